#include "tool/contract/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"
#include "tool/contract/naming.h"
#include "tool/contract/reader.h"

namespace shmem_bind::contract {
namespace {

// What a pointer may be, as far as its name tells.
enum class Kind { kInput, kOutput, kState, kUnknown };

struct Hint {
  std::string_view word;  // in the name of a parameter
  Kind kind;
};

// The first that fits counts.
constexpr std::array kHints = {
    Hint{"state", Kind::kState},
    Hint{"gva", Kind::kState},
    Hint{"sync", Kind::kState},
    Hint{"flag", Kind::kState},
    Hint{"signal", Kind::kState},
    Hint{"workspace", Kind::kState},
    Hint{"sym", Kind::kState},
    Hint{"out", Kind::kOutput},
    Hint{"dst", Kind::kOutput},
    Hint{"recv", Kind::kOutput},
    Hint{"result", Kind::kOutput},
    Hint{"input", Kind::kInput},
    Hint{"src", Kind::kInput},
    Hint{"send", Kind::kInput},
};

Kind kind_of(const std::string& name) {
  for (const Hint& hint : kHints) {
    if (name.find(hint.word) != std::string::npos) {
      return hint.kind;
    }
  }
  return name == "x" || name == "in" ? Kind::kInput : name == "y" ? Kind::kOutput : Kind::kUnknown;
}

// Numbers that kernels are told, by the names they usually have.
struct NumberHint {
  std::string_view names;  // separated and enclosed by blanks
  std::string_view expression;
};
constexpr std::array kNumberHints = {
    NumberHint{" elements count numel length n num ", "numel({})"},
    NumberHint{" bytes nbytes size_bytes ", "bytes({})"},
    NumberHint{" magic epoch sequence seq ", "epoch"},
    NumberHint{" n_pes pe_count pe_size n_ranks rank_size ", "n_pes"},
    NumberHint{" pe rank my_pe rank_id ", "pe"},
};

std::string guess_of_number(const Parameter& parameter, const std::string& tensor) {
  for (const NumberHint& hint : kNumberHints) {
    if (hint.names.find(" " + parameter.name + " ") != std::string_view::npos) {
      return replaced(std::string(hint.expression), "{}", tensor);
    }
  }
  return "";
}

// The dtype that the type of a pointer proves; empty for pointers to bytes of anything.
std::string dtype_of(const Parameter& parameter) {
  struct Row {
    std::string_view type, dtype;
  };
  static constexpr std::array kRows = {Row{"type-parameter-0-0", "dtype"},
                                       Row{"signed char", "int8"},
                                       Row{"short", "int16"},
                                       Row{"int", "int32"},
                                       Row{"long", "int64"},
                                       Row{"long long", "int64"},
                                       Row{"float", "fp32"},
                                       Row{"double", "fp64"},
                                       Row{"bool", "bool"},
                                       Row{"half", "fp16"},
                                       Row{"op::fp16_t", "fp16"},
                                       Row{"op::bfloat16", "bf16"}};
  std::string type = parameter.canonical.substr(0, parameter.canonical.find(" *"));
  type.erase(0, type.starts_with("const ") ? 6 : 0);
  for (const Row& row : kRows) {
    if (row.type == type) {
      return std::string(row.dtype);
    }
  }
  return "";
}

constexpr const char* kHead = R"(# {0}

What the operator does, for whom, and what it assumes.

## Canonical DSL

Every `<...>` is a question, and `shmem-bind check {1}` stops until it is answered. One that ends
with `?` is a guess: take `<` and `?>` away when it is right. docs/contract.md of shmem-bind explains all keys.

```yaml
dsl_version: "0.3"
meta:
  op_name: {2}
  op_kind: {3}
  build_mode: {4}
  op_root: {1}
  torch_required: true
)";

constexpr const char* kProof = R"(# correctness:
#   case_matrix:  # shapes of the first input that verify runs
#     - {case: small, shape: "[64, 32]", category: functional}
# Without evidence generate, build and verify stop (exit code 14):
# status:
#   correctness: {result: passed, evidence: "where the evaluation lies"}
#   review: {result: passed, evidence: "where the review lies"}
)";

class Drafter {
 public:
  Drafter(const std::string& op_name, BuildMode mode, const KernelHeader* header)
      : op_name_(op_name), in_tree_(mode == BuildMode::kInTreeExample), header_(header) {
    choose();
    sort_parameters();
  }

  Draft run() {
    add_head();
    add_interface();
    draft_.text += kProof;
    add_binding();
    draft_.text += "```\n";
    return std::move(draft_);
  }

 private:
  // A value that `check` refuses until it is replaced; with '?' it is a guess to confirm.
  std::string ask(std::string_view question) {
    ++draft_.questions;
    return fmt::format("\"<{}>\"", question);
  }

  void choose() {
    if (header_ == nullptr) {
      return;
    }
    entries_ = usual_entries(op_name_, *header_);
    if (entries_.size() == 1) {
      entry_ = entries_.front();
    } else {
      draft_.remarks.push_back(
          entries_.empty() ? "the header does not show which function launches the kernel"
                           : "the header declares several functions that could be the entry");
    }
    for (const HeaderError& error : header_->errors) {
      draft_.remarks.push_back("the header does not compile: " + error.text);
    }
    for (const std::string& name : header_->not_found) {
      draft_.remarks.push_back("the header includes a file that is not beside it: " + name);
    }
  }

  void sort_parameters() {
    for (size_t i = 0; entry_ != nullptr && i < entry_->parameters.size(); ++i) {
      const Parameter& parameter = entry_->parameters[i];
      if (launch_role(*entry_, i)) {
        continue;  // block_dim, stream and ffts are found by type and place
      }
      (parameter.is_pointer() ? pointers_ : numbers_).push_back(&parameter);
      if (parameter.is_pointer() && kind_of(parameter.name) == Kind::kInput &&
          first_input_.empty()) {
        first_input_ = parameter.name;
      }
    }
  }

  void add_head() {
    const std::string root = (in_tree_ ? "examples/" : "custom-ops/") + op_name_;
    draft_.text = fmt::format(kHead,
                              class_name_of(op_name_),
                              root,
                              op_name_,
                              ask("transport, or what the kernel computes"),
                              in_tree_ ? "in_tree_example" : "independent_project");
  }

  void add_tensors(const char* list, Kind kind, const char* usual) {
    draft_.text += fmt::format("  {}:\n", list);
    bool found = false;
    for (const Parameter* parameter : pointers_) {
      if (kind_of(parameter->name) != kind) {
        continue;
      }
      found = true;
      const std::string proven = dtype_of(*parameter);
      const bool dispatched = entry_->is_template;
      draft_.text += fmt::format(
          "    # {} {}: listed here because of its name\n"
          "    - {{name: {}, dtype: {}, shape: {}}}\n",
          parameter->type,
          parameter->name,
          parameter->name,
          !proven.empty() ? proven : ask(dispatched ? "dtype?" : "a dtype, as fp16"),
          ask("a shape, as [rows, cols]"));
    }
    if (!found) {
      draft_.text += fmt::format("    - {{name: {}, dtype: {}, shape: {}}}\n",
                                 ask(usual),
                                 ask("a dtype, or dtype for all of torch_binding.dtypes"),
                                 ask("a shape, as [rows, cols]"));
    }
  }

  void add_interface() {
    draft_.text += "interface:\n";
    add_tensors("inputs", Kind::kInput, "input");
    add_tensors("outputs", Kind::kOutput, "output");
  }

  std::string entry_text() {
    if (entry_ != nullptr) {
      return entry_->qualified();
    }
    std::vector<std::string> names;
    for (const Function* function : entries_) {
      names.push_back(function->qualified());
    }
    return ask(names.empty() ? "the host function that launches the kernel"
                             : joined(names, " or ") + "?");
  }

  std::string answer_for(const Parameter& parameter) {
    if (!parameter.is_pointer()) {
      const std::string guess =
          guess_of_number(parameter, first_input_.empty() ? "input" : first_input_);
      return ask(guess.empty() ? "an expression, or the name of an attribute" : guess + "?");
    }
    switch (kind_of(parameter.name)) {
      case Kind::kState:
        return ask("state?");
      case Kind::kUnknown:
        return ask("state, or a tensor that inputs or outputs list");
      default:
        return ask(parameter.name + "?");
    }
  }

  void add_arguments() {
    if (pointers_.empty() && numbers_.empty()) {
      return;
    }
    draft_.text += "  arguments:\n";
    for (const Parameter& parameter : entry_->parameters) {
      const bool asked = std::any_of(pointers_.begin(),
                                     pointers_.end(),
                                     [&](const Parameter* p) { return p == &parameter; }) ||
                         std::any_of(numbers_.begin(), numbers_.end(), [&](const Parameter* p) {
                           return p == &parameter;
                         });
      if (asked && !parameter.name.empty()) {
        draft_.text += fmt::format(
            "    {}: {}  # {}\n", parameter.name, answer_for(parameter), parameter.type);
      }
    }
  }

  void add_binding() {
    draft_.text += fmt::format("torch_binding:\n  entry: {}\n", entry_text());
    if (entry_ == nullptr || entry_->is_template) {
      draft_.text += fmt::format("  dtypes: [{}]\n", ask("int8, int32, fp16, bf16, fp32 ..."));
    }
    draft_.text += fmt::format("  block_dim: {}\n  n_pes: {}\n", ask("8?"), ask("1..16?"));
    add_arguments();
    draft_.text += fmt::format(
        "  state: {}\n  golden: {}\n",
        ask("bytes of symmetric state, as 4096 * n_pes; without state remove this line"),
        ask("all_gather, document, or file.py:function"));
  }

  const std::string& op_name_;
  bool in_tree_;
  const KernelHeader* header_;
  std::vector<const Function*> entries_;
  const Function* entry_ = nullptr;
  std::vector<const Parameter*> pointers_;
  std::vector<const Parameter*> numbers_;
  std::string first_input_;
  Draft draft_;
};

}  // namespace

Draft draft_contract(const std::string& op_name, BuildMode mode, const KernelHeader* header) {
  return Drafter(op_name, mode, header).run();
}

}  // namespace shmem_bind::contract
