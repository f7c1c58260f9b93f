#include "tool/lint/test_script.h"

#include <algorithm>
#include <array>

namespace shmem_bind::lint {
namespace {

constexpr std::array kProcessStarters = {"Process", "Popen", "fork", "spawn", "start_processes"};

}  // namespace

std::vector<const Script*> shmem_scripts(const Tree& tree) {
  std::vector<const Script*> scripts;
  for (const Script& script : tree.python) {
    if (call_of(script.facts, {"attr_init"}) != nullptr) {
      scripts.push_back(&script);
    }
  }
  return scripts;
}

std::vector<const Script*> test_scripts(const Tree& tree) {
  std::vector<const Script*> scripts = shmem_scripts(tree);
  std::erase_if(scripts, [](const Script* script) {
    return !script->name().starts_with("torch_test") && folder_name(script->path) != "torch_test";
  });
  return scripts;
}

std::vector<const Script*> program_of(const Tree& tree, const Script& script) {
  std::vector<const Script*> files = {&script};
  for (size_t at = 0; at < files.size(); ++at) {
    for (const std::string& module : files[at]->facts.imports) {
      for (const Script& other : tree.python) {
        if (other.name() == module + ".py" &&
            std::find(files.begin(), files.end(), &other) == files.end()) {
          files.push_back(&other);
        }
      }
    }
  }
  return files;
}

std::vector<const Script*> programs_of(const Tree& tree,
                                       const std::vector<const Script*>& scripts) {
  std::vector<const Script*> files;
  for (const Script* script : scripts) {
    for (const Script* file : program_of(tree, *script)) {
      if (std::find(files.begin(), files.end(), file) == files.end()) {
        files.push_back(file);
      }
    }
  }
  return files;
}

Span span_of(const Script& script, const PythonPlace& place) {
  return script.span(place.begin, place.end);
}

std::set<std::string> callers_of(const PythonFile& file, const std::string& name) {
  std::set<std::string> callers;
  for (const PythonCall& call : file.calls) {
    if (call.name == name) {
      callers.insert(call.function);
    }
  }
  return callers;
}

std::set<std::string> reached_from(const PythonFile& file, std::set<std::string> functions) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const PythonFunction& function : file.functions) {
      if (!functions.contains(function.name)) {
        continue;
      }
      for (const std::string& used : function.used) {
        grows = (file.function(used) != nullptr && functions.insert(used).second) || grows;
      }
    }
  }
  return functions;
}

std::set<std::string> worker_functions(const PythonFile& file) {
  std::set<std::string> functions = callers_of(file, "attr_init");
  for (const PythonCall& call : file.calls) {
    const PythonArgument* target = call.argument("target");
    if (target != nullptr && file.function(target->text) != nullptr) {
      functions.insert(target->text);
    }
  }
  return reached_from(file, std::move(functions));
}

std::set<std::string> worker_process_functions(const PythonFile& file) {
  std::set<std::string> functions = worker_functions(file);
  for (const PythonFunction& function : file.functions) {
    const std::set<std::string> reached = reached_from(file, {function.name});
    const auto calls_one = [&](const std::set<std::string>& callers) {
      return std::any_of(callers.begin(), callers.end(), [&](const std::string& caller) {
        return reached.contains(caller);
      });
    };
    const bool starts_processes =
        std::any_of(kProcessStarters.begin(), kProcessStarters.end(), [&](const char* starter) {
          return calls_one(callers_of(file, starter));
        });
    if (!starts_processes && calls_one(callers_of(file, "attr_init"))) {
      functions.insert(reached.begin(), reached.end());
    }
  }
  return functions;
}

std::set<std::string> import_functions(const PythonFile& file) {
  std::set<std::string> functions = {""};
  for (const PythonCall& call : file.calls) {
    if (call.function.empty() && file.function(call.name) != nullptr) {
      functions.insert(call.name);
    }
  }
  return reached_from(file, std::move(functions));
}

const PythonCall* call_of(const PythonFile& file, std::initializer_list<const char*> names) {
  const auto found =
      std::find_if(file.calls.begin(), file.calls.end(), [&](const PythonCall& call) {
        return std::find(names.begin(), names.end(), call.name) != names.end();
      });
  return found == file.calls.end() ? nullptr : &*found;
}

}  // namespace shmem_bind::lint
