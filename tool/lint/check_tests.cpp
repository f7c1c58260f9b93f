#include <algorithm>
#include <set>
#include <utility>

#include "tool/lint/checks.h"
#include "tool/lint/errors.h"
#include "tool/lint/test_script.h"

// What a test must do: seeded data, a golden, several PEs, exit codes that are looked at.

namespace shmem_bind::lint {
namespace {

bool is_seed(const PythonCall& call) {
  return call.name == "manual_seed" || call.name == "manual_seed_all" || call.name == "seed" ||
         call.name == "default_rng";
}

bool is_set_in_module(const PythonFile& file, const std::string& name) {
  return std::any_of(file.set_in_module.begin(),
                     file.set_in_module.end(),
                     [&](const PythonName& item) { return item.text == name; });
}

// Made of constants of the file only: the same on every PE.
bool is_one_for_all(const PythonFile& file, const PythonCall& call) {
  return std::all_of(
      call.arguments.begin(), call.arguments.end(), [&](const PythonArgument& argument) {
        return std::all_of(argument.names.begin(),
                           argument.names.end(),
                           [&](const std::string& name) { return is_set_in_module(file, name); });
      });
}

bool compares(const PythonFile& file) {
  return call_of(file,
                 {"equal",
                  "allclose",
                  "assert_close",
                  "isclose",
                  "array_equal",
                  "assert_allclose",
                  "assert_array_equal"}) != nullptr;
}

using Program = std::vector<const Script*>;

// The files of all tests, each once.
Program programs_of_tests(const Tree& tree) {
  return programs_of(tree, test_scripts(tree));
}

template <class Is>
bool any_file(const Program& program, const Is& is) {
  return std::any_of(
      program.begin(), program.end(), [&](const Script* file) { return is(file->facts); });
}

bool has_seed(const PythonFile& file) {
  return std::any_of(file.calls.begin(), file.calls.end(), is_seed);
}

bool starts_processes(const PythonFile& file) {
  const bool knows_torchrun =
      std::any_of(file.strings.begin(), file.strings.end(), [](const auto& item) {
        return item.text == "WORLD_SIZE";
      });
  return knows_torchrun || call_of(file,
                                   {"Process",
                                    "Popen",
                                    "fork",
                                    "spawn",
                                    "start_processes",
                                    "ProcessPoolExecutor",
                                    "Pool",
                                    "init_process_group"}) != nullptr;
}

const PythonCall* pes_option(const PythonFile& file) {
  for (const PythonCall& call : file.calls) {
    const bool is_option = call.name == "add_argument" && !call.arguments.empty() &&
                           call.arguments[0].text.find("--pes") != std::string::npos;
    if (is_option) {
      return &call;
    }
  }
  return nullptr;
}

// Why the script runs one PE only; empty when it does not.
std::string why_one_pe(const Program& program, const PythonCall& init) {
  if (init.arguments.size() > 1 && init.arguments[1].text == "1") {
    return "attr_init is told of one PE";
  }
  if (!any_file(program, starts_processes)) {
    return "it starts no processes";
  }
  const bool is_one = any_file(program, [](const PythonFile& file) {
    const PythonCall* option = pes_option(file);
    const PythonArgument* standard = option == nullptr ? nullptr : option->argument("default");
    return standard != nullptr && standard->text == "1";
  });
  return is_one ? "--pes is 1 by default" : "";
}

}  // namespace

void check_test_exists(const Tree& tree, Diagnostics& diagnostics) {
  for (const OperatorFacts& op : tree.operators) {
    const std::string path = op.folder + "/scripts/torch_test_" + op.name + ".py";
    const bool is_there = std::any_of(tree.python.begin(),
                                      tree.python.end(),
                                      [&](const Script& script) { return script.path == path; });
    if (op.wants_torch && !is_there) {
      diagnostics.add(kNoTest, {op.source, 0, 1}, "scripts/torch_test_" + op.name + ".py");
    }
  }
}

void check_test_compares(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : test_scripts(tree)) {
    const Program program = program_of(tree, *script);
    const Span begin = span_of(*script, call_of(script->facts, {"attr_init"})->place);
    if (!any_file(program, has_seed)) {
      diagnostics.add(kThinTest, begin, "no seed");
    }
    if (!any_file(program, compares)) {
      diagnostics.add(kThinTest, begin, "no result is compared with a golden");
    }
  }
  for (const Script* file : programs_of_tests(tree)) {
    for (const PythonCall& call : file->facts.calls) {
      const bool is_test =
          call.name == "equal" || call.name == "allclose" || call.name == "array_equal";
      if (is_test && call.is_statement) {
        diagnostics.add(
            kThinTest, span_of(*file, call.place), "what " + call.name + " says is dropped");
      }
    }
  }
}

void check_seed(const Tree& tree, Diagnostics& diagnostics) {
  std::set<const PythonCall*> told;
  for (const Script* script : test_scripts(tree)) {
    std::vector<std::pair<const Script*, const PythonCall*>> same;
    bool has_own = false;
    for (const Script* file : program_of(tree, *script)) {
      for (const PythonCall& call : file->facts.calls) {
        if (is_seed(call)) {
          const bool is_same = !call.arguments.empty() && is_one_for_all(file->facts, call);
          has_own = has_own || !is_same;
          if (is_same) {
            same.emplace_back(file, &call);
          }
        }
      }
    }
    for (const auto& [file, call] : same) {
      if (!has_own && told.insert(call).second) {  // else it is the common seed of what all share
        diagnostics.add(kOneSeed,
                        span_of(*file, call->place),
                        call->name + "(" + call->arguments[0].text + ")");
      }
    }
  }
}

void check_pes(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : test_scripts(tree)) {
    const PythonCall& init = *call_of(script->facts, {"attr_init"});
    if (const std::string why = why_one_pe(program_of(tree, *script), init); !why.empty()) {
      diagnostics.add(kOnePe, span_of(*script, init.place), why);
    }
  }
}

}  // namespace shmem_bind::lint
