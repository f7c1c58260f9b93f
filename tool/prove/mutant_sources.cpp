#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/prove/variants.h"

// Every variant is the whole class, in a namespace of its own; those that change what all operators
// share have a copy of that in the namespace too, and their own Manager.

namespace shmem_bind::prove {
namespace {

constexpr const char* kRegistration = R"(
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "torch_register.h"

#undef SHMEM_OPS_METHOD1
#define SHMEM_OPS_METHOD1(Class, name, ...) \
  ::shmem_ops::method(#name, &::SHMEM_PROVE::ShmemOps::Class::name __VA_OPT__(, ) __VA_ARGS__)
#define SHMEM_PROVE_REGISTER(chosen, Class, ...)                   \
  [[maybe_unused]] static const bool registered_##Class =          \
      (chosen) && ::shmem_ops::register_class<ShmemOps::Class>(    \
                      #Class __VA_OPT__(, SHMEM_OPS_EXPAND(SHMEM_OPS_METHODS(Class, __VA_ARGS__))))

namespace {
[[maybe_unused]] std::string_view chosen_mutant() {
  const char* name = std::getenv("SHMEM_BIND_MUTANT");
  return name == nullptr ? "" : name;
}
// Whoever judges a run wants to know what was really loaded in it.
[[maybe_unused]] bool announced(const char* id) {
  const char* path = std::getenv("SHMEM_BIND_PROVE_SEEN");
  if (std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a")) {
    std::fprintf(file, "%s\n", id);
    std::fclose(file);
  }
  return true;
}
}  // namespace
)";

std::string without_includes(const std::string& text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    if (!line.starts_with("#include") && !line.starts_with("#pragma")) {
      out += std::string(line) + "\n";
    }
  }
  return out;
}

std::string text_of(const Variant& variant, const char* name, const std::string& original) {
  const auto found = variant.texts.find(name);
  return found == variant.texts.end() ? original : found->second;
}

// A compiler's complaint names the variant by its `file`.
std::string in_namespace(const std::string& name,
                         const std::string& file,
                         const std::string& body,
                         const std::string& registrations) {
  return fmt::format(
      "\n#undef SHMEM_PROVE\n#define SHMEM_PROVE {0}\n#line 1 \"{1}\"\nnamespace {0} "
      "{{\n{2}\n{3}}}  // namespace {0}\n",
      name,
      file,
      body,
      registrations);
}

std::string registration(const std::string& chosen, const std::string& arguments) {
  return fmt::format("SHMEM_PROVE_REGISTER({}, {});\n", chosen, arguments);
}

std::string is_chosen(const std::string& id) {
  return fmt::format("chosen_mutant() == \"{}\"", id);
}

// The operator's class says that it was chosen; the Manager beside it does not.
std::string is_announced(const std::string& chosen, const std::string& id) {
  return fmt::format("({}) && announced(\"{}\")", chosen, id);
}

std::string includes_of(const std::string& text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    if (line.starts_with("#include <")) {
      out += std::string(line) + "\n";
    }
  }
  return out;
}

bool is_usable(const Variant& variant) {
  return variant.row.kind == "binding" && variant.row.state.empty();
}

bool is_whole(const Variant& variant) {
  return std::any_of(variant.texts.begin(), variant.texts.end(), [](const auto& text) {
    return text.first != "class";
  });
}

}  // namespace

MutantSources mutant_sources(const std::vector<Variant>& variants,
                             const std::string& op_source,
                             const std::string& manager_source,
                             const Texts& texts) {
  const ClassParts op = parts_of(op_source);
  const ClassParts manager = parts_of(manager_source);
  const std::string& launch = texts.at("launch");
  const std::string& checks = texts.at("checks");
  MutantSources sources;
  sources.op = op.prelude + kRegistration +
               in_namespace("unchanged",
                            "unchanged",
                            op.body,
                            registration(is_announced("chosen_mutant().empty()", "unchanged"),
                                         op.registration));
  sources.bindings = op.prelude + manager.prelude + kRegistration;
  sources.launch = launch + includes_of(checks) + op.prelude + manager.prelude + kRegistration;
  std::string other = "true";
  size_t count = 0;
  for (const Variant& variant : variants) {
    if (!is_usable(variant)) {
      continue;
    }
    const std::string& id = variant.row.id;
    const std::string body = text_of(variant, "class", op.body);
    const std::string registered = registration(is_announced(is_chosen(id), id), op.registration);
    if (is_whole(variant)) {
      other += " && !(" + is_chosen(id) + ")";
      std::string whole;
      for (const char* name : {"header", "launch", "checks"}) {
        whole += without_includes(text_of(variant, name, texts.at(name)));
      }
      sources.launch +=
          in_namespace("mutant_" + id,
                       id,
                       whole + text_of(variant, "manager", manager.body) + body,
                       registered + registration(is_chosen(id), manager.registration));
    } else {
      std::string& target = count++ % 2 == 0 ? sources.bindings : sources.op;
      target += in_namespace("mutant_" + id, id, body, registered);
    }
  }
  sources.bindings += in_namespace(
      "unchanged_manager", "unchanged", manager.body, registration(other, manager.registration));
  return sources;
}

std::string announcing(const std::string& id) {
  return fmt::format(R"(
#include <cstdio>
#include <cstdlib>
namespace {{
[[maybe_unused]] const bool prove_announced = [] {{
  const char* path = std::getenv("SHMEM_BIND_PROVE_SEEN");
  if (std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a")) {{
    std::fprintf(file, "%s\n", "{}");
    std::fclose(file);
  }}
  return true;
}}();
}}  // namespace
)",
                     id);
}

}  // namespace shmem_bind::prove
