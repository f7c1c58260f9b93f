#include <algorithm>
#include <set>
#include <utility>

#include "tool/lint/checks.h"
#include "tool/lint/errors.h"
#include "tool/lint/python_values.h"
#include "tool/lint/test_script.h"

// What a test must do: seeded data, a golden, several PEs, exit codes that are looked at.

namespace shmem_bind::lint {
namespace {

bool is_seed(const PythonCall& call) {
  return call.name == "manual_seed" || call.name == "manual_seed_all" || call.name == "seed" ||
         call.name == "default_rng";
}

// Made of what is the same on every PE.
bool is_one_for_all(const PythonFile& file, const PythonCall& call) {
  const PythonValues values(file);
  return std::all_of(
      call.arguments.begin(), call.arguments.end(), [&](const PythonArgument& argument) {
        return values.is_the_same(call.function, argument.text, argument.names);
      });
}

bool is_comparison(const PythonCall& call) {
  static const std::set<std::string> names = {"equal",
                                              "allclose",
                                              "assert_close",
                                              "isclose",
                                              "array_equal",
                                              "assert_equal",
                                              "assert_allclose",
                                              "assert_array_equal",
                                              "=="};
  return names.contains(call.name);
}

// A comparison whose answer matters; those that raise by themselves need nobody to look.
bool compares(const PythonFile& file) {
  return std::any_of(file.calls.begin(), file.calls.end(), [](const PythonCall& call) {
    return is_comparison(call) && (!call.is_dropped || call.name.starts_with("assert_"));
  });
}

bool has_comparison(const PythonFile& file) {
  return std::any_of(file.calls.begin(), file.calls.end(), is_comparison);
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

// The number of PEs that attr_init is told, or that processes are started for.
bool is_one(const PythonFile& file, const PythonCall& call) {
  const auto is_1 = [&](const PythonArgument* argument) {
    return argument != nullptr && PythonValues(file).resolved(argument->text) == "1";
  };
  const bool is_second = call.arguments.size() > 1 && call.arguments[1].keyword.empty();
  return is_1(call.argument("n_ranks")) || is_1(call.argument("n_pes")) ||
         is_1(call.argument("nprocs")) ||
         (call.name == "attr_init" && is_second && is_1(&call.arguments[1]));
}

// Why the script runs one PE only; empty when it does not.
std::string why_one_pe(const Program& program) {
  for (const Script* file : program) {
    for (const PythonCall& call : file->facts.calls) {
      const bool starts = call.name == "spawn" || call.name == "start_processes";
      if ((call.name == "attr_init" || starts) && is_one(file->facts, call)) {
        return call.name + " is told of one PE";
      }
    }
  }
  if (!any_file(program, starts_processes)) {
    return "it starts no processes";
  }
  const bool is_1 = any_file(program, [](const PythonFile& file) {
    const PythonCall* option = pes_option(file);
    const PythonArgument* standard = option == nullptr ? nullptr : option->argument("default");
    return standard != nullptr && PythonValues(file).resolved(standard->text) == "1";
  });
  return is_1 ? "--pes is 1 by default" : "";
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
    const Span begin = init_span(program);
    if (!any_file(program, has_seed)) {
      diagnostics.add(kThinTest, begin, "no seed");
    }
    if (!any_file(program, has_comparison)) {
      diagnostics.add(kThinTest, begin, "no result is compared with a golden");
    }
  }
  for (const Script* file : programs_of_tests(tree)) {
    for (const PythonCall& call : file->facts.calls) {
      const bool may_be_dropped = compares(file->facts) || call.name == "==";
      const bool is_lost = may_be_dropped ? call.is_statement : call.is_dropped;
      if (is_comparison(call) && !call.name.starts_with("assert_") && is_lost) {
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
    const Program program = program_of(tree, *script);
    if (const std::string why = why_one_pe(program); !why.empty()) {
      diagnostics.add(kOnePe, init_span(program), why);
    }
  }
  for (const OperatorFacts& op : tree.operators) {
    for (const Script& script : tree.python) {
      const bool is_test = script.path == op.folder + "/scripts/torch_test_" + op.name + ".py";
      if (is_test && script.facts.mistake.empty() && !starts_shmem(program_of(tree, script))) {
        diagnostics.add(kOnePe, script.span(0, 1), "it never starts SHMEM: there is no attr_init");
      }
    }
  }
}

}  // namespace shmem_bind::lint
