#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/contract/dtype.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

std::string list_of(const std::vector<Function>& functions) {
  std::vector<std::string> names;
  for (const Function& function : functions) {
    names.push_back(function.qualified());
  }
  return names.empty() ? "it declares no function" : "it declares " + joined(names, ", ");
}

// The functions that fit the name the contract gives.
std::vector<const Function*> named(const std::string& wanted,
                                   const std::vector<Function>& functions) {
  const std::string name = wanted.substr(0, wanted.find('('));
  std::vector<const Function*> found;
  for (const Function& function : functions) {
    if (function.qualified() == name || function.name == name) {
      found.push_back(&function);
    }
  }
  return found;
}

// The functions that fit the operator's name by convention, else the only one there is.
std::vector<const Function*> conventional(const std::string& op,
                                          const std::vector<Function>& functions) {
  for (const std::string& name : {"aclshmem_" + op, op + "_kernel", op + "_demo"}) {
    if (auto found = named(name, functions); !found.empty()) {
      return found;
    }
  }
  return functions.size() == 1 ? std::vector<const Function*>{&functions[0]}
                               : std::vector<const Function*>{};
}

const Function* choose_entry(Reading& reading, const std::vector<Function>& functions) {
  const YamlNode& wanted = reading.binding()["entry"];
  const std::vector<const Function*> found =
      wanted.exists() ? named(wanted.text, functions)
                      : conventional(reading.contract.op_name, functions);
  const Span place = wanted.exists() ? wanted.span : reading.place_of("torch_binding");
  if (found.empty()) {
    std::vector<std::string> names;
    for (const Function& function : functions) {
      names.push_back(function.qualified());
    }
    const std::string near = wanted.exists() ? nearest_name(wanted.text, names) : "";
    reading.diagnostics.add(
        kNoEntry, place, list_of(functions) + (near.empty() ? "" : "; did you mean " + near + "?"));
    return nullptr;
  }
  if (found.size() > 1) {
    Diagnostic& item = reading.diagnostics.add(kSeveralEntries, place, found[0]->qualified());
    for (const Function* function : found) {
      item.related.emplace_back(function->span, function->declaration());
    }
    return nullptr;
  }
  return found[0];
}

class Placer {
 public:
  Placer(Reading& reading, const Function& function) : reading_(reading), function_(function) {
    arguments_.resize(function.parameters.size());
    placed_.resize(function.parameters.size(), false);
  }

  void run() {
    place_explicit();
    place_launch();
    place_tensors_by_name();
    place_the_last_pointer();
    ask_for_the_rest();
    for (size_t i = 0; i < arguments_.size(); ++i) {
      arguments_[i].parameter = function_.parameters[i].name;
      arguments_[i].cpp_type = replaced(function_.parameters[i].type, " *", "*");
      arguments_[i].canonical_type = function_.parameters[i].canonical;
    }
    reading_.contract.entry.arguments = arguments_;
    check_every_tensor_is_used();
  }

 private:
  const Parameter& parameter(size_t i) const { return function_.parameters[i]; }

  void place(size_t i, Argument argument) {
    arguments_[i] = std::move(argument);
    placed_[i] = true;
  }

  int tensor_named(std::string_view name) const {
    const auto& tensors = reading_.contract.tensors;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name == name) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  Argument meaning(const YamlNode& value) {
    Argument argument;
    if (value.text == "block_dim") {
      argument.role = Argument::Role::kBlockDim;
    } else if (value.text == "stream") {
      argument.role = Argument::Role::kStream;
    } else if (value.text == "ffts") {
      argument.role = Argument::Role::kFfts;
    } else if (value.text == "state") {
      argument.role = Argument::Role::kState;
    } else if (const int tensor = tensor_named(value.text); tensor >= 0) {
      argument.role = Argument::Role::kTensor;
      argument.tensor = tensor;
    } else {
      argument.role = Argument::Role::kExpression;
      argument.expression = expression_of(value, reading_.diagnostics);
    }
    return argument;
  }

  void place_explicit() {
    for (const auto& [key, value] : reading_.binding()["arguments"].entries) {
      std::vector<std::string> names;
      bool found = false;
      for (size_t i = 0; i < function_.parameters.size(); ++i) {
        names.push_back(parameter(i).name);
        if (parameter(i).name == key.text) {
          place(i, meaning(value));
          check_kind(i, value);
          found = true;
        }
      }
      if (!found) {
        const std::string near = nearest_name(key.text, names);
        reading_.diagnostics
            .add(kBadArgument,
                 key.span,
                 fmt::format("{} has no parameter '{}'{}",
                             function_.name,
                             key.text,
                             near.empty() ? "" : "; did you mean " + near + "?"))
            .related.emplace_back(function_.span, "declared here");
      }
    }
  }

  // A pointer takes a tensor, the state or the stream; a number takes the rest.
  void check_kind(size_t i, const YamlNode& value) {
    const Argument::Role role = arguments_[i].role;
    const bool pointer_role = role == Argument::Role::kTensor || role == Argument::Role::kState ||
                              role == Argument::Role::kStream;
    if (pointer_role != parameter(i).is_pointer()) {
      reading_.diagnostics
          .add(kBadArgument,
               value.span,
               fmt::format("'{}' does not fit the parameter {} {}",
                           value.text,
                           parameter(i).type,
                           parameter(i).name))
          .related.emplace_back(parameter(i).span, "declared here");
    }
  }

  void place_launch() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const Parameter& p = parameter(i);
      if (placed_[i]) {
        continue;
      }
      const bool number = p.canonical == "unsigned int";
      const bool stream_next = i + 1 < function_.parameters.size() &&
                               parameter(i + 1).canonical == "void *" &&
                               parameter(i + 1).name.find("tream") != std::string::npos;
      if (i == 0 && number && stream_next) {
        place(0, {Argument::Role::kBlockDim, {}, {}, -1, nullptr});
        place(1, {Argument::Role::kStream, {}, {}, -1, nullptr});
      } else if (p.name.rfind("ffts", 0) == 0 &&
                 (p.canonical == "unsigned long" || p.canonical == "unsigned long long")) {
        place(i, {Argument::Role::kFfts, {}, {}, -1, nullptr});
      }
    }
  }

  bool is_tensor_placed(int tensor) const {
    return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument& a) {
      return a.role == Argument::Role::kTensor && a.tensor == tensor;
    });
  }

  void place_tensors_by_name() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      const int tensor = tensor_named(parameter(i).name);
      if (!placed_[i] && parameter(i).is_pointer() && tensor >= 0 && !is_tensor_placed(tensor)) {
        place(i, {Argument::Role::kTensor, {}, {}, tensor, nullptr});
      }
    }
  }

  // One pointer left and one thing left to be pointed at.
  void place_the_last_pointer() {
    std::vector<size_t> pointers;
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (!placed_[i] && parameter(i).is_pointer()) {
        pointers.push_back(i);
      }
    }
    std::vector<int> tensors;
    for (size_t t = 0; t < reading_.contract.tensors.size(); ++t) {
      if (!is_tensor_placed(static_cast<int>(t))) {
        tensors.push_back(static_cast<int>(t));
      }
    }
    const bool state_left =
        reading_.contract.state_bytes != nullptr &&
        std::none_of(arguments_.begin(), arguments_.end(), [](const Argument& a) {
          return a.role == Argument::Role::kState;
        });
    if (pointers.size() == 1 && tensors.size() == 1 && !state_left) {
      place(pointers[0], {Argument::Role::kTensor, {}, {}, tensors[0], nullptr});
    } else if (pointers.size() == 1 && tensors.empty() && state_left) {
      place(pointers[0], {Argument::Role::kState, {}, {}, -1, nullptr});
    }
  }

  void ask_for_the_rest() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (!placed_[i]) {
        const Parameter& p = parameter(i);
        reading_.diagnostics
            .add(kUnplacedArgument,
                 reading_.place_of("torch_binding"),
                 fmt::format("{} {}; add under torch_binding:  arguments: {{{}: {}}}",
                             p.type,
                             p.name,
                             p.name,
                             p.is_pointer() ? "<a tensor, or state>"
                                            : "<an expression, e.g. numel(input) or epoch>"))
            .related.emplace_back(p.span, "declared here");
      }
    }
  }

  void check_every_tensor_is_used() {
    for (size_t t = 0; t < reading_.contract.tensors.size(); ++t) {
      if (!is_tensor_placed(static_cast<int>(t)) && !reading_.diagnostics.has_errors()) {
        reading_.diagnostics.add(
            kUnusedTensor, reading_.place_of("interface"), reading_.contract.tensors[t].name);
      }
    }
  }

  Reading& reading_;
  const Function& function_;
  std::vector<Argument> arguments_;
  std::vector<bool> placed_;
};

}  // namespace

void read_entry(Reading& reading, const std::vector<Function>& functions) {
  const Function* function = choose_entry(reading, functions);
  if (function == nullptr) {
    return;
  }
  KernelEntry& entry = reading.contract.entry;
  entry.qualified_name = function->qualified();
  entry.namespaces = function->namespaces;
  entry.name = function->name;
  entry.is_template = function->is_template;
  entry.declaration = function->declaration();
  if (function->is_template == reading.contract.dispatch.empty() &&
      (function->is_template || reading.contract.dispatch.size() > 1)) {
    reading.diagnostics
        .add(kTemplateDispatch, reading.place_of("torch_binding"), function->declaration())
        .related.emplace_back(function->span, "declared here");
  }
  Placer(reading, *function).run();
  const bool epoch =
      std::any_of(entry.arguments.begin(), entry.arguments.end(), [](const Argument& a) {
        return a.expression != nullptr && names_in(*a.expression).contains("epoch");
      });
  if (!epoch && reading.contract.state_bytes != nullptr) {
    reading.diagnostics.add(kNoEpoch, reading.place_of("torch_binding"));
  }
}

}  // namespace shmem_bind::contract
