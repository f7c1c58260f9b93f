#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/prove/variants.h"

// Every variant is the whole class, in a namespace of its own; those that change what all operators
// share have a copy of that in the namespace too, and their own Manager.

namespace shmem_bind::prove {
namespace {

constexpr const char* kRegistration = R"(
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

bool is_usable(const Variant& variant) {
  return variant.row.kind == "binding" && variant.row.state.empty();
}

bool is_whole(const Variant& variant) {
  return variant.texts.contains("launch") || variant.texts.contains("header") ||
         variant.texts.contains("manager");
}

}  // namespace

MutantSources mutant_sources(const std::vector<Variant>& variants,
                             const contract::Contract& contract,
                             const std::string& op_source,
                             const std::string& manager_source,
                             const std::string& launch_header,
                             const std::string& launch_source) {
  static_cast<void>(contract);
  const ClassParts op = parts_of(op_source);
  const ClassParts manager = parts_of(manager_source);
  MutantSources sources;
  sources.op =
      op.prelude + kRegistration +
      in_namespace("unchanged",
                   "unchanged",
                   op.body,
                   registration("chosen_mutant().empty() || chosen_mutant().front() == 'k'",
                                op.registration));
  sources.bindings = op.prelude + manager.prelude + kRegistration;
  sources.launch = launch_source + op.prelude + manager.prelude + kRegistration;
  std::string other = "true";
  size_t count = 0;
  for (const Variant& variant : variants) {
    if (!is_usable(variant)) {
      continue;
    }
    const std::string& id = variant.row.id;
    const std::string body = text_of(variant, "class", op.body);
    const std::string registered = registration(is_chosen(id), op.registration);
    if (is_whole(variant)) {
      other += " && !(" + is_chosen(id) + ")";
      sources.launch +=
          in_namespace("mutant_" + id,
                       id,
                       without_includes(text_of(variant, "header", launch_header)) +
                           without_includes(text_of(variant, "launch", launch_source)) +
                           text_of(variant, "manager", manager.body) + body,
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

}  // namespace shmem_bind::prove
