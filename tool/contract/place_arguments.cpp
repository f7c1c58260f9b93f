#include <fmt/format.h>

#include <algorithm>

#include "tool/base/text.h"
#include "tool/contract/errors.h"
#include "tool/contract/expression.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

using Role = Argument::Role;

bool is_launch_stream(const Parameter& parameter) {
  const bool named = parameter.name.find("tream") != std::string::npos;
  return parameter.type == "aclrtStream" || (parameter.canonical == "void *" && named);
}

bool is_pointer_role(Role role) {
  return role == Role::kTensor || role == Role::kState || role == Role::kStream;
}

// Gives every parameter its role: first what is said, then what the evidence leaves no choice
// about (contract §3). The rest is asked for, never guessed.
class Placer {
 public:
  Placer(Reading& reading, const Function& function)
      : reading_(reading), contract_(reading.contract), function_(function) {
    for (const Parameter& parameter : function.parameters) {
      Argument argument;
      argument.parameter = parameter.name.empty()
                               ? fmt::format("argument{}", arguments_.size())  // unnamed
                               : parameter.name;
      argument.cpp_type = replaced(parameter.type, " *", "*");
      argument.canonical_type = parameter.canonical;
      arguments_.push_back(std::move(argument));
    }
    placed_.resize(arguments_.size(), false);
  }

  void run() {
    if (!place_said()) {
      return;  // what is left over would be asked for twice
    }
    place_launch();
    place_by_name();
    place_the_last_pointer();
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!placed_[i]) {
        ask(i);
      }
    }
    contract_.entry.arguments = arguments_;
    if (!reading_.diagnostics.has_errors()) {
      check_the_whole();
    }
  }

 private:
  const Parameter& parameter(size_t i) const { return function_.parameters[i]; }

  void place(size_t i, Role role, int tensor = -1, ExpressionPtr expression = nullptr) {
    arguments_[i].role = role;
    arguments_[i].tensor = tensor;
    arguments_[i].expression = std::move(expression);
    placed_[i] = true;
  }

  bool is_used(Role role, int tensor = -1) const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (placed_[i] && arguments_[i].role == role && arguments_[i].tensor == tensor) {
        return true;
      }
    }
    return false;
  }

  int tensor_named(std::string_view name) const {
    const auto& tensors = contract_.tensors;
    const auto found = std::find_if(
        tensors.begin(), tensors.end(), [&](const Tensor& t) { return t.name == name; });
    return found == tensors.end() ? -1 : static_cast<int>(found - tensors.begin());
  }

  bool place_said() {
    bool all_fit = true;
    for (const auto& [key, value] : reading_.binding()["arguments"].entries) {
      std::vector<std::string> names;
      bool found = false;
      for (size_t i = 0; i < arguments_.size(); ++i) {
        names.push_back(arguments_[i].parameter);
        if (arguments_[i].parameter == key.text) {
          all_fit = place_meaning(i, value) && all_fit;
          found = true;
        }
      }
      all_fit = all_fit && found;
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
    return all_fit;
  }

  bool place_meaning(size_t i, const YamlNode& value) {
    const int tensor = tensor_named(value.text);
    if (value.text == "block_dim") {
      place(i, Role::kBlockDim);
    } else if (value.text == "stream") {
      place(i, Role::kStream);
    } else if (value.text == "ffts") {
      place(i, Role::kFfts);
    } else if (value.text == "state") {
      place(i, Role::kState);
    } else if (tensor >= 0) {
      place(i, Role::kTensor, tensor);
    } else {
      place(i, Role::kExpression, -1, expression_of(value, reading_.diagnostics));
      arguments_[i].text = value.text;
    }
    const bool fits =
        is_pointer_role(arguments_[i].role) ? parameter(i).is_pointer() : parameter(i).is_number();
    if (!fits) {
      reading_.diagnostics
          .add(kBadArgument,
               value.span,
               fmt::format("'{}' does not fit the parameter {} {}",
                           value.text,
                           arguments_[i].cpp_type,
                           arguments_[i].parameter))
          .related.emplace_back(parameter(i).span, "declared here");
    }
    return fits;
  }

  void place_launch() {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const std::optional<Role> role = launch_role(function_, i);
      if (!placed_[i] && role && (role != Role::kStream || !is_used(Role::kStream))) {
        place(i, *role);
      }
    }
  }

  bool is_symmetric_buffer(std::string_view name) const {
    for (const YamlNode& buffer : reading_.root["memory"]["buffers"].items) {
      if (buffer["name"].text == name && buffer["type"].text == "symmetric") {
        return true;
      }
    }
    return false;
  }

  bool is_attribute(std::string_view name) const {
    return std::any_of(contract_.attributes.begin(),
                       contract_.attributes.end(),
                       [&](const Attribute& attribute) { return attribute.name == name; });
  }

  void place_by_name() {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      const Parameter& p = parameter(i);
      if (placed_[i]) {
        continue;
      }
      const int tensor = tensor_named(p.name);
      if (p.is_pointer() && tensor >= 0 && !is_used(Role::kTensor, tensor)) {
        place(i, Role::kTensor, tensor);
      } else if (p.is_pointer() && is_symmetric_buffer(p.name) &&
                 contract_.state_bytes != nullptr && !is_used(Role::kState)) {
        place(i, Role::kState);
      } else if (p.is_number() && is_attribute(p.name)) {
        place(i, Role::kExpression, -1, parse_expression(p.name, p.span, reading_.diagnostics));
        arguments_[i].text = p.name;
      }
    }
  }

  // One pointer left and one thing left to be pointed at.
  void place_the_last_pointer() {
    std::vector<size_t> pointers;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (!placed_[i] && parameter(i).is_pointer()) {
        pointers.push_back(i);
      }
    }
    std::vector<int> tensors;
    for (int t = 0; t < static_cast<int>(contract_.tensors.size()); ++t) {
      if (!is_used(Role::kTensor, t)) {
        tensors.push_back(t);
      }
    }
    const bool state_left = contract_.state_bytes != nullptr && !is_used(Role::kState);
    if (pointers.size() != 1 || tensors.size() + (state_left ? 1 : 0) != 1) {
      return;
    }
    if (state_left) {
      place(pointers[0], Role::kState);
    } else {
      place(pointers[0], Role::kTensor, tensors[0]);
    }
  }

  // The question, with the line to paste and what could stand in it.
  void ask(size_t i) {
    const Parameter& p = parameter(i);
    if (!p.is_pointer() && !p.is_number()) {
      reading_.diagnostics.add(
          kParameterType, p.span, fmt::format("{} {}", p.type, arguments_[i].parameter));
      return;
    }
    std::vector<std::string> choices;
    if (p.is_pointer()) {
      for (int t = 0; t < static_cast<int>(contract_.tensors.size()); ++t) {
        if (!is_used(Role::kTensor, t)) {
          choices.push_back(contract_.tensors[static_cast<size_t>(t)].name);
        }
      }
      choices.emplace_back("state");
    }
    reading_.diagnostics
        .add(kUnplacedArgument,
             reading_.place_of("torch_binding"),
             fmt::format("{} {}; add to torch_binding:  arguments: {{{}: <{}>}}",
                         arguments_[i].cpp_type,
                         arguments_[i].parameter,
                         arguments_[i].parameter,
                         p.is_pointer() ? joined(choices, " or ")
                                        : "an expression, e.g. numel(input) or epoch"))
        .related.emplace_back(p.span, "declared here");
  }

  void check_the_whole() {
    const Span place = reading_.place_of("torch_binding");
    for (int t = 0; t < static_cast<int>(contract_.tensors.size()); ++t) {
      if (!is_used(Role::kTensor, t)) {
        reading_.diagnostics.add(kUnusedTensor,
                                 reading_.place_of("interface"),
                                 contract_.tensors[static_cast<size_t>(t)].name);
      }
    }
    if (!is_used(Role::kStream)) {
      reading_.diagnostics.add(kNoStream, function_.span, function_.name);
    }
    if (is_used(Role::kState) && contract_.state_bytes == nullptr) {
      reading_.diagnostics.add(kNoStateSize, place);
    }
    if (!is_used(Role::kState) && contract_.state_bytes != nullptr) {
      reading_.diagnostics.add(kUnusedState, contract_.state_bytes->span);
    }
    const bool has_epoch =
        std::any_of(arguments_.begin(), arguments_.end(), [](const Argument& argument) {
          return argument.expression != nullptr && names_in(*argument.expression).contains("epoch");
        });
    if (is_used(Role::kState) && !has_epoch) {
      reading_.diagnostics.add(kNoEpoch, place);
    }
  }

  Reading& reading_;
  Contract& contract_;
  const Function& function_;
  std::vector<Argument> arguments_;
  std::vector<bool> placed_;
};

}  // namespace

// The first uint32_t before the stream is the number of blocks; fftsAddr goes by name and type.
std::optional<Argument::Role> launch_role(const Function& function, size_t i) {
  const std::vector<Parameter>& parameters = function.parameters;
  const Parameter& parameter = parameters[i];
  const std::string& type = parameter.canonical;
  const bool stream_follows = i + 1 < parameters.size() && is_launch_stream(parameters[i + 1]);
  if (is_launch_stream(parameter)) {
    return Role::kStream;
  }
  if (i == 0 && type == "unsigned int" && stream_follows) {
    return Role::kBlockDim;
  }
  if (parameter.name.starts_with("ffts") &&
      (type == "unsigned long" || type == "unsigned long long")) {
    return Role::kFfts;
  }
  return std::nullopt;
}

void place_arguments(Reading& reading, const Function& entry) {
  Placer(reading, entry).run();
}

void read_entry(Reading& reading, const KernelHeader& header) {
  const Function* function = choose_entry(reading, header);
  if (function == nullptr) {
    return;
  }
  Contract& contract = reading.contract;
  KernelEntry& entry = contract.entry;
  entry.qualified_name = function->qualified();
  entry.namespaces = function->namespaces;
  entry.name = function->name;
  entry.is_template = function->is_template;
  entry.declaration = function->declaration();
  const bool fits =
      function->is_template ? !contract.dispatch.empty() : contract.dispatch.size() <= 1;
  if (!fits) {
    reading.diagnostics
        .add(
            kTemplateDispatch,
            reading.place_of("torch_binding"),
            function->is_template
                ? fmt::format("{} is a template, and nothing says for which dtypes", function->name)
                : fmt::format("{} is no template, and {} dtypes are declared",
                              function->name,
                              contract.dispatch.size()))
        .related.emplace_back(function->span, "declared here");
  }
  place_arguments(reading, *function);
}

}  // namespace shmem_bind::contract
