#include <algorithm>
#include <iterator>
#include <regex>

#include "tool/lint/checks.h"
#include "tool/lint/errors.h"
#include "tool/lint/test_script.h"

// Processes of a test, and what they may not do.

namespace shmem_bind::lint {
namespace {

constexpr size_t kLongestName = 300;  // std::regex recurses: longer texts are none

// The binding's package loads the libraries when it is imported.
bool imports_package(const PythonFile& file) {
  return file.has_attribute("shmem_custom_ops") || file.has_attribute("aclshmem_ops");
}

// What shows that somebody asks how a started process ended.
bool looks_at_exit(const PythonFile& file, const std::string& starter) {
  const auto has_one = [&](std::initializer_list<const char*> names) {
    return std::any_of(
        names.begin(), names.end(), [&](const char* name) { return file.looks_at(name); });
  };
  if (starter == "Process") {
    return has_one({"exitcode"});
  }
  return starter == "fork" ? has_one({"waitpid", "waitid", "wait3", "wait4"})
                           : has_one({"returncode", "wait", "poll", "check_returncode", "waitpid"});
}

// subprocess.run and os.system as whole statements, without check=True.
bool drops_exit(const PythonCall& call) {
  const PythonArgument* check = call.argument("check");
  const bool is_run = call.name == "run" && call.argument("capture_output") != nullptr;
  const bool is_subprocess =
      call.owner == "subprocess" && (call.name == "run" || call.name == "call");
  return call.is_dropped &&
         (call.name == "system" || ((is_run || is_subprocess) && check == nullptr));
}

bool is_shmem_call(const std::string& name) {
  static const std::regex shmem(R"(aclshmemx?_(?!torch|ops$)\w+)");
  return name.size() <= kLongestName && std::regex_match(name, shmem);
}

// load_library, and the functions of the program's other files that reach it.
std::set<std::string> loaders_of(const std::vector<const Script*>& program) {
  std::set<std::string> loaders = {"load_library"};
  for (size_t i = program.size(); i-- > 1;) {
    for (const PythonFunction& function : program[i]->facts.functions) {
      const auto reached = reached_from(program[i]->facts, {function.name});
      for (const std::string& caller : callers_of(program[i]->facts, "load_library")) {
        if (reached.contains(caller)) {
          loaders.insert(function.name);
        }
      }
    }
  }
  return loaders;
}

// Another file of the program loads when it is imported.
bool is_loaded_by_import(const std::vector<const Script*>& program) {
  return std::any_of(program.begin() + 1, program.end(), [](const Script* file) {
    const auto at_import = import_functions(file->facts);
    const auto callers = callers_of(file->facts, "load_library");
    return std::any_of(callers.begin(), callers.end(), [&](const std::string& caller) {
      return at_import.contains(caller);
    });
  });
}

}  // namespace

void check_load(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : shmem_scripts(tree)) {
    const PythonFile& file = script->facts;
    const auto program = program_of(tree, *script);
    std::set<std::string> callers;
    for (const std::string& loader : loaders_of(program)) {
      callers.merge(callers_of(file, loader));
    }
    auto workers = worker_process_functions(file);
    workers.merge(import_functions(file));
    const bool in_worker =
        std::any_of(callers.begin(), callers.end(), [&](const std::string& name) {
          return workers.contains(name);
        });
    if (!in_worker && !imports_package(file) && !is_loaded_by_import(program)) {
      diagnostics.add(
          kNoLoad,
          span_of(*script, call_of(file, {"attr_init"})->place),
          callers.empty() ? "load_library is nowhere" : "load_library is outside of the worker");
    }
  }
}

namespace {

// Globals that a function sets which only __main__ leads to.
std::vector<PythonName> set_by_the_parent(const PythonFile& file) {
  std::set<std::string> called;
  for (const PythonCall& call : file.calls) {
    if (call.function == "__main__" && file.function(call.name) != nullptr) {
      called.insert(call.name);
    }
  }
  std::vector<PythonName> found;
  const auto workers = worker_process_functions(file);
  const auto reached = reached_from(file, called);
  std::copy_if(file.globals.begin(),
               file.globals.end(),
               std::back_inserter(found),
               [&](const PythonName& name) {
                 return reached.contains(name.function) && !workers.contains(name.function);
               });
  return found;
}

}  // namespace

void check_global(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : shmem_scripts(tree)) {
    const PythonFile& file = script->facts;
    const auto workers = worker_functions(file);
    std::vector<PythonName> set = file.set_under_main;
    for (const PythonName& name : set_by_the_parent(file)) {
      set.push_back(name);
    }
    for (const PythonName& name : set) {
      const auto reader = std::find_if(
          file.functions.begin(), file.functions.end(), [&](const PythonFunction& function) {
            return workers.contains(function.name) &&
                   std::find(function.used.begin(), function.used.end(), name.text) !=
                       function.used.end();
          });
      if (reader != file.functions.end()) {
        diagnostics.add(kLostGlobal,
                        span_of(*script, name.place),
                        name.text + ", which " + reader->name + "() reads");
      }
    }
  }
}

void check_exit_codes(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : programs_of(tree, shmem_scripts(tree))) {
    for (const PythonCall& call : script->facts.calls) {
      const bool starts = call.name == "Process" || call.name == "Popen" || call.name == "fork";
      if ((starts && !looks_at_exit(script->facts, call.name)) || drops_exit(call)) {
        diagnostics.add(kIgnoredExit, span_of(*script, call.place), call.name);
      }
    }
  }
}

void check_python_calls(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script& script : tree.python) {
    for (const PythonName& name : script.facts.attributes) {
      if (is_shmem_call(name.text)) {
        diagnostics.add(kShmemFromPython, span_of(script, name.place), name.text);
      }
    }
    for (const PythonName& text : script.facts.strings) {  // getattr(library, "aclshmem_…")
      if (is_shmem_call(text.text)) {
        diagnostics.add(kShmemFromPython, span_of(script, text.place), text.text);
      }
    }
    for (const std::string& module : script.facts.imports) {
      if (module == "shmem" || module.starts_with("shmem.")) {
        diagnostics.add(kShmemFromPython, script.span(0, 1), "import " + module);
      }
    }
  }
}

}  // namespace shmem_bind::lint
