#include <algorithm>
#include <array>
#include <regex>

#include "tool/lint/checks.h"
#include "tool/lint/errors.h"
#include "tool/lint/test_script.h"

// Processes of a test, and what they may not do.

namespace shmem_bind::lint {
namespace {

constexpr size_t kLongestEndpoint = 300;  // std::regex recurses: longer texts are none
constexpr std::array<std::string_view, 3> kWellKnownPorts = {"27010", "8899", "8662"};

// tcp://127.0.0.1:8662; the piece :8662 of a formatted text.
bool is_fixed_endpoint(const std::string& text) {
  static const std::regex endpoint(R"(tcp://[^/\s:]*:[1-9][0-9]{1,4})");
  static const std::regex piece(R"(:[1-9][0-9]{3,4})");
  return text.size() <= kLongestEndpoint &&
         (std::regex_match(text, endpoint) || std::regex_match(text, piece));
}

// IPPORT=tcp://127.0.0.1:8662, SHMEM_UID_SESSION_ID=${SHMEM_UID_SESSION_ID:-127.0.0.1:8899}, and
// the endpoint as an argument.
bool is_fixed_in_shell(const std::string& word) {
  static const std::regex setting(
      R"((IPPORT|SHMEM_UID_SESSION_ID)=(\$\{\w+:?-)?(tcp://)?[\w.-]+:[1-9][0-9]{1,4}\}?)");
  return word.starts_with("tcp://")
             ? is_fixed_endpoint(word)
             : word.size() <= kLongestEndpoint && std::regex_match(word, setting);
}

// The binding's package loads the libraries when it is imported.
bool imports_package(const PythonFile& file) {
  return file.has_attribute("shmem_custom_ops") || file.has_attribute("aclshmem_ops");
}

// What shows that somebody asks how a started process ended.
bool looks_at_exit(const PythonFile& file, const std::string& starter) {
  const auto has_one = [&](std::initializer_list<const char*> names) {
    return std::any_of(
        names.begin(), names.end(), [&](const char* name) { return file.has_attribute(name); });
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
  return call.is_statement &&
         (call.name == "system" ||
          (call.name == "run" && check == nullptr && call.argument("capture_output") != nullptr));
}

bool is_shmem_call(const std::string& name) {
  static const std::regex shmem(R"(aclshmemx?_(?!torch|ops$)\w+)");
  return name.size() <= kLongestEndpoint && std::regex_match(name, shmem);
}

}  // namespace

void check_load(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : shmem_scripts(tree)) {
    const PythonFile& file = script->facts;
    const auto callers = callers_of(file, "load_library");
    auto workers = worker_process_functions(file);
    workers.merge(import_functions(file));
    const bool in_worker =
        std::any_of(callers.begin(), callers.end(), [&](const std::string& name) {
          return workers.contains(name);
        });
    if (!in_worker && !imports_package(file)) {
      diagnostics.add(
          kNoLoad,
          span_of(*script, call_of(file, {"attr_init"})->place),
          callers.empty() ? "load_library is nowhere" : "load_library is outside of the worker");
    }
  }
}

void check_global(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : shmem_scripts(tree)) {
    const PythonFile& file = script->facts;
    const auto workers = worker_functions(file);
    for (const PythonName& name : file.set_under_main) {
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

void check_port(const Tree& tree, Diagnostics& diagnostics) {
  for (const Script* script : programs_of(tree, shmem_scripts(tree))) {
    for (const PythonName& text : script->facts.strings) {
      if (is_fixed_endpoint(text.text)) {
        diagnostics.add(kFixedPort, span_of(*script, text.place), text.text);
      }
    }
    for (const PythonName& number : script->facts.numbers) {
      if (std::find(kWellKnownPorts.begin(), kWellKnownPorts.end(), number.text) !=
          kWellKnownPorts.end()) {
        diagnostics.add(kFixedPort, span_of(*script, number.place), number.text);
      }
    }
  }
  for (const File<ShellFile>& file : tree.shell) {
    for (const ShellWord& word : file.facts.words) {
      if (is_fixed_in_shell(word.text)) {
        diagnostics.add(kFixedPort, file.span(word.begin, word.end), word.text);
      }
    }
  }
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppToken& token : file.facts.tokens) {
      if (token.is_literal && token.text.size() > 2 && token.text.front() == '"' &&
          is_fixed_endpoint(token.text.substr(1, token.text.size() - 2))) {
        diagnostics.add(kFixedPort, file.span(token.begin, token.end), token.text);
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
  }
}

}  // namespace shmem_bind::lint
