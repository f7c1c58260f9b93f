#include "tool/build/artifact.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"

namespace shmem_bind::build {
namespace {

using contract::Argument;
using contract::Contract;

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : symbol;
}

void add_functions(Elf* elf,
                   Elf_Scn* section,
                   const GElf_Shdr& header,
                   std::vector<std::string>& names) {
  Elf_Data* data = elf_getdata(section, nullptr);
  const size_t count =
      data == nullptr || header.sh_entsize == 0 ? 0 : header.sh_size / header.sh_entsize;
  for (size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr ||
        symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC) {
      continue;
    }
    if (const char* name = elf_strptr(elf, header.sh_link, symbol.st_name)) {
      names.push_back(demangled(name));
    }
  }
}

// How the demangler spells the types of the dtype table; the rest of the table is spelled as in
// source.
std::string demangled_type(std::string_view host_type) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"int8_t", "signed char"},
                                                                      {"uint8_t", "unsigned char"},
                                                                      {"int16_t", "short"},
                                                                      {"int32_t", "int"},
                                                                      {"int64_t", "long"}};
  for (const auto& [source, spelled] : kNames) {
    if (source == host_type) {
      return std::string(spelled);
    }
  }
  return std::string(host_type);
}

// The compiler writes "const unsigned char *" and "type-parameter-0-0 *", the demangler "unsigned
// char const*" and "int*".
std::string demangled_parameter(std::string type, const std::string& template_argument) {
  type = replaced(std::move(type), "type-parameter-0-0", template_argument);
  type = replaced(std::move(type), " *", "*");
  constexpr std::string_view kConst = "const ";
  const size_t star = type.find('*');
  if (type.rfind(kConst, 0) == 0 && star != std::string::npos) {
    type = type.substr(kConst.size(), star - kConst.size()) + " const" + type.substr(star);
  }
  return type;
}

std::string parameters_of(const Contract& contract, const std::string& template_argument) {
  std::vector<std::string> types;
  for (const Argument& argument : contract.entry.arguments) {
    if (argument.canonical_type.empty()) {
      return "";
    }
    types.push_back(demangled_parameter(argument.canonical_type, template_argument));
  }
  return "(" + joined(types, ", ") + ")";
}

using ElfFile = std::unique_ptr<Elf, int (*)(Elf*)>;

// `bytes` must stay as long as the file; libelf wants memory it may change.
ElfFile open_elf(std::string& bytes) {
  elf_version(EV_CURRENT);
  return {elf_memory(bytes.data(), bytes.size()), &elf_end};
}

// The texts of a section, each once.
std::vector<std::string> texts_in(Elf_Scn* section) {
  std::vector<std::string> texts;
  const Elf_Data* data = elf_getdata(section, nullptr);
  std::string_view rest =
      data == nullptr || data->d_buf == nullptr
          ? std::string_view()
          : std::string_view(static_cast<const char*>(data->d_buf), data->d_size);
  while (!rest.empty()) {
    const std::string text(rest.substr(0, rest.find('\0')));
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(text);
    }
    rest.remove_prefix(std::min(rest.size(), text.size() + 1));
  }
  return texts;
}

}  // namespace

std::string compiler_of(const std::string& elf_bytes) {
  std::string bytes = elf_bytes;
  const ElfFile elf = open_elf(bytes);
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0) {
    return "";
  }
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    const char* name = gelf_getshdr(section, &header) == nullptr
                           ? nullptr
                           : elf_strptr(elf.get(), names, header.sh_name);
    if (name != nullptr && std::string_view(name) == ".comment") {
      return joined(texts_in(section), ", ");
    }
  }
  return "";
}

Result<std::vector<std::string>> exported_functions(const std::string& library_bytes) {
  std::string bytes = library_bytes;
  const ElfFile elf = open_elf(bytes);
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF ||
      gelf_getclass(elf.get()) != ELFCLASS64) {
    return Failure{"not a 64-bit ELF library"};
  }
  std::vector<std::string> names;
  bool found = false;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_DYNSYM) {
      found = true;
      add_functions(elf.get(), section, header, names);
    }
  }
  if (!found) {
    return Failure{"no dynamic symbol table: not a shared library"};
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Instantiation> needed_functions(const Contract& contract) {
  const std::string& name = contract.entry.qualified_name;
  if (!contract.entry.is_template) {
    return {{"", name, parameters_of(contract, "")}};
  }
  std::vector<Instantiation> needed;
  for (const contract::Dtype dtype : contract.dispatch) {
    const contract::DtypeRow& row = contract::row(dtype);
    const std::string type = demangled_type(row.host_type);
    needed.push_back(
        {std::string(row.dsl), fmt::format("{}<{}>", name, type), parameters_of(contract, type)});
  }
  return needed;
}

std::vector<std::string> artifact_findings(const std::vector<Instantiation>& needed,
                                           const std::vector<std::string>& exported) {
  std::vector<std::string> findings;
  for (const Instantiation& item : needed) {
    std::vector<std::string> others;
    bool there = false;
    for (const std::string& function : exported) {
      const size_t at = function.find(item.name);
      const size_t end = at + item.name.size();
      const bool starts = at == 0 || (at != std::string::npos && function[at - 1] == ' ');
      if (!starts || (end < function.size() && function[end] != '(')) {
        continue;
      }
      // A C function has no parameters in its symbol.
      there = there || end == function.size() || item.parameters.empty() ||
              function.substr(end) == item.parameters;
      others.push_back(function.substr(end));
    }
    const std::string dtype = item.dtype.empty() ? "" : item.dtype + ": ";
    if (!there && others.empty()) {
      findings.push_back(fmt::format("{}{} is not in the library", dtype, item.name));
    } else if (!there) {
      findings.push_back(fmt::format("{}{} has the parameters {}, the header declares {}",
                                     dtype,
                                     item.name,
                                     joined(others, " and "),
                                     item.parameters));
    }
  }
  return findings;
}

}  // namespace shmem_bind::build
