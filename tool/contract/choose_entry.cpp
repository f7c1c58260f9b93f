#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

std::string without_blanks(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) {
    return c != ' ' && c != '\t';
  });
  return out;
}

// `f(uint32_t, void*, ...)`: a name with the types of its parameters, the last may be "...".
struct WantedEntry {
  std::string name;
  bool has_types = false;
  bool is_open = false;  // "..."
  std::vector<std::string> types;

  explicit WantedEntry(std::string_view text) {
    const size_t open = text.find('(');
    name = without_blanks(text.substr(0, open));
    name.erase(0, name.starts_with("::") ? 2 : 0);
    if (open == std::string_view::npos) {
      return;
    }
    has_types = true;
    std::string list = without_blanks(text.substr(open + 1, text.rfind(')') - open - 1));
    while (!list.empty()) {
      const size_t comma = list.find(',');
      types.push_back(list.substr(0, comma));
      list.erase(0, comma == std::string::npos ? list.size() : comma + 1);
    }
    if (!types.empty() && types.back() == "...") {
      is_open = true;
      types.pop_back();
    }
  }

  bool fits(const Function& function) const {
    if (function.qualified() != name && function.name != name) {
      return false;
    }
    const size_t count = function.parameters.size();
    if (!has_types) {
      return true;
    }
    if (is_open ? count < types.size() : count != types.size()) {
      return false;
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const Parameter& parameter = function.parameters[i];
      if (types[i] != without_blanks(parameter.type) &&
          types[i] != without_blanks(parameter.canonical)) {
        return false;
      }
    }
    return true;
  }
};

EntryCandidates wanted_entries(const YamlNode& wanted, const KernelHeader& header) {
  const WantedEntry entry(wanted.text);
  EntryCandidates found;
  for (const Function& function : header.functions) {
    if (entry.fits(function)) {
      found.push_back(&function);
    }
  }
  return found;
}

std::vector<std::string> names_of(const KernelHeader& header) {
  std::vector<std::string> names;
  for (const Function& function : header.functions) {
    if (std::find(names.begin(), names.end(), function.qualified()) == names.end()) {
      names.push_back(function.qualified());
    }
  }
  return names;
}

std::string what_is_there(const KernelHeader& header) {
  const std::vector<std::string> names = names_of(header);
  if (!names.empty()) {
    return "it declares " + joined(names, ", ");
  }
  if (!header.classes.empty()) {
    return fmt::format("it declares no function, only the class {}; a launch function is needed",
                       joined(header.classes, ", "));
  }
  return "it declares no function";
}

void report_errors(const std::vector<HeaderError>& errors,
                   const KernelHeader& header,
                   Diagnostics& diagnostics) {
  for (const HeaderError& error : errors) {
    const std::string missing =
        header.not_found.empty() ? "" : "; not found: " + joined(header.not_found, ", ");
    diagnostics.add(kHeaderError, error.span, error.text + missing);
  }
}

void report_none(Reading& reading, const YamlNode& wanted, Span place, const KernelHeader& header) {
  // A declaration that does not compile may be missing from the list: its errors come first.
  for (const Function& function : header.functions) {
    report_errors(function.errors, header, reading.diagnostics);
  }
  report_errors(header.errors, header, reading.diagnostics);
  const std::string name = wanted.exists() ? WantedEntry(wanted.text).name : "";
  const std::string near = name.empty() ? "" : nearest_name(name, names_of(header));
  const bool same =
      std::any_of(header.functions.begin(), header.functions.end(), [&](const Function& function) {
        return function.name == name || function.qualified() == name;
      });
  reading.diagnostics.add(
      kNoEntry,
      place,
      what_is_there(header) + (same           ? ", with other parameters"
                               : near.empty() ? ""
                                              : "; did you mean " + near + "?"));
}

}  // namespace

EntryCandidates usual_entries(const std::string& op, const KernelHeader& header) {
  EntryCandidates host;
  EntryCandidates device;  // only looked at to say so, when there is nothing else
  for (const Function& function : header.functions) {
    (function.is_device ? device : host).push_back(&function);
  }
  if (host.empty()) {
    host = device;
  }
  for (const std::string& name : {"aclshmem_" + op, op + "_kernel", op + "_demo"}) {
    EntryCandidates found;
    std::copy_if(
        host.begin(), host.end(), std::back_inserter(found), [&](const Function* function) {
          return function->name == name;
        });
    if (!found.empty()) {
      return found;
    }
  }
  return host.size() == 1 ? host : EntryCandidates{};
}

const Function* choose_entry(Reading& reading, const KernelHeader& header) {
  const YamlNode& wanted = reading.binding()["entry"];
  const EntryCandidates found = wanted.exists() ? wanted_entries(wanted, header)
                                                : usual_entries(reading.contract.op_name, header);
  const Span place = wanted.exists() ? wanted.span : reading.place_of("torch_binding");
  if (found.empty()) {
    report_none(reading, wanted, place, header);
    return nullptr;
  }
  if (found.size() > 1) {
    Diagnostic& item = reading.diagnostics.add(
        kSeveralEntries,
        place,
        found[0]->qualified() +
            "; overloads are told apart by types, as in \"f(uint32_t, void*, ...)\"");
    for (const Function* function : found) {
      item.related.emplace_back(function->span, function->qualified());
    }
    return nullptr;
  }
  const Function& entry = *found[0];
  report_errors(entry.errors, header, reading.diagnostics);
  const auto refuse = [&](const Rule& rule, const std::string& detail) {
    reading.diagnostics.add(rule, entry.span, detail).related.emplace_back(place, "wanted here");
  };
  if (entry.is_device) {
    refuse(kDeviceFunction, entry.qualified());
  }
  if (entry.return_type != "void" && entry.errors.empty()) {
    refuse(kReturnType, fmt::format("{} {}", entry.return_type, entry.qualified()));
  }
  if (entry.is_variadic) {
    refuse(kParameterType, entry.qualified() + " takes any arguments (...)");
  }
  if (entry.is_template && entry.template_parameter.empty()) {
    refuse(kTemplateParameters, entry.qualified());
  }
  return entry.errors.empty() && !entry.is_device ? &entry : nullptr;
}

}  // namespace shmem_bind::contract
