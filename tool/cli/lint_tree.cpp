#include "tool/cli/lint_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/base/text.h"
#include "tool/cli/command.h"
#include "tool/cli/find_operators.h"
#include "tool/lint/allowance.h"

namespace shmem_bind::cli {
namespace {

constexpr std::chrono::seconds kPythonDeadline{120};

bool ends_with_one(const std::string& path, std::initializer_list<std::string_view> ends) {
  return std::any_of(
      ends.begin(), ends.end(), [&](std::string_view end) { return path.ends_with(end); });
}

class Reader {
 public:
  Reader(FileSystem& files, ProcessRunner& runner, LintTree& tree)
      : files_(files), runner_(runner), tree_(tree) {}

  Result<Done> read(const std::string& shown) {
    std::string folder = absolute_path(shown);
    while (folder.ends_with('/')) {  // of "."
      folder.pop_back();
    }
    if (auto done = read_folder(shown == "." ? "" : shown + "/", folder); !done.ok()) {
      return done;
    }
    read_operators(shown);
    return ask_python();
  }

 private:
  // `shown`: what stands in front of a name, as the user wrote it.
  Result<Done> read_folder(const std::string& shown, const std::string& folder) {
    if (files_.exists(folder + "/CMakeCache.txt")) {
      return Done{};  // copies of sources, if anything
    }
    for (const std::string& name : files_.list(folder)) {
      const std::string path = folder + "/" + name;
      if (name.starts_with('.') || files_.is_link(path)) {
        continue;
      }
      auto done = files_.is_folder(path) ? read_folder(shown + name + "/", path)
                                         : read_file(shown + name, path);
      if (!done.ok()) {
        return done;
      }
    }
    return Done{};
  }

  Result<Done> read_file(const std::string& shown, const std::string& path) {
    const bool is_cpp = ends_with_one(path, {".cpp", ".cc", ".cxx", ".h", ".hpp"});
    const bool is_cmake = ends_with_one(path, {"/CMakeLists.txt", ".cmake"});
    const bool is_python = path.ends_with(".py");
    const bool is_shell = path.ends_with(".sh");
    const bool is_document = path.ends_with(".md");
    if (!is_cpp && !is_cmake && !is_python && !is_shell && !is_document) {
      return Done{};
    }
    auto text = files_.read(path);
    if (!text.ok()) {
      return text.failure();
    }
    ++tree_.file_count;
    const int source = tree_.texts.add(shown, text.value());
    for (lint::Allowance& item : lint::read_allowances(text.value(), source)) {
      tree_.facts.allowances.push_back(std::move(item));
    }
    if (is_cpp) {
      read_cpp(path, source, text.value());
    } else if (is_cmake) {
      tree_.facts.cmake.push_back({path, source, binding::parse_cmake(text.value())});
    } else if (is_python) {
      tree_.facts.python.push_back({path, source, {}});
    } else if (is_shell) {
      tree_.facts.shell.push_back({path, source, lint::read_shell(text.value())});
    } else {
      documents_[path] = source;
      auto blocks = contract::fenced_blocks(text.value(), source);
      tree_.facts.documents.push_back({path, source, {text.value(), std::move(blocks)}});
    }
    return Done{};
  }

  // Kernels and programs without torch are no bindings: the lexer need not see them.
  void read_cpp(const std::string& path, int source, const std::string& text) {
    if (text.find("torch") == std::string::npos &&
        path.find("/torch_binding/") == std::string::npos) {
      return;
    }
    lint::CppFile facts = lint::read_cpp(text);
    if (lint::is_binding_source(path, facts)) {
      tree_.facts.cpp.push_back({path, source, std::move(facts)});
    }
  }

  void read_operators(const std::string& shown) {
    for (const std::string& folder : find_operators(shown, files_)) {
      lint::OperatorFacts facts;
      facts.folder = absolute_path(folder);  // a prefix of the paths of its files
      facts.name = facts.folder.substr(facts.folder.rfind('/') + 1);
      facts.source = documents_[facts.folder + "/docs/design.md"];
      auto op = open_operator(folder, files_);
      facts.has_contract = op.ok() && op.value().is_valid;
      if (facts.has_contract) {
        facts.contract = std::move(op.value().contract);
        facts.wants_torch = facts.contract.torch_required.value_or(false);
      } else {
        tree_.notes.push_back(
            fmt::format("{}: its dtypes and the call number are not compared with "
                        "the contract, which has findings: shmem-bind check {}",
                        folder,
                        folder));
      }
      tree_.facts.operators.push_back(std::move(facts));
    }
  }

  Result<Done> ask_python() {
    auto& scripts = tree_.facts.python;
    if (scripts.empty()) {
      return Done{};
    }
    const std::string set = environment("PYTHON");
    const std::string python = set.empty() ? "python3" : set;
    Command command{{python, "-I", "-X", "utf8", "-W", "ignore", "-c", lint::python_program()},
                    {},
                    "",
                    kPythonDeadline};
    for (const auto& script : scripts) {
      command.words.push_back(script.path);
    }
    const ProcessResult result = runner_.run(command, {});
    if (!result.ok()) {
      return Failure{
          fmt::format("{} Python files cannot be read: {} {}\n{}    way out: set PYTHON to a "
                      "Python 3.8 or newer",
                      scripts.size(),
                      python,
                      result.exit_code == 127 ? "was not found" : "failed",
                      result.exit_code == 127 ? "" : result.output)};
    }
    auto facts = lint::read_python_facts(result.output);
    if (!facts.ok() || facts.value().size() != scripts.size()) {
      return facts.ok() ? Failure{python + " answered for other files than it was asked about"}
                        : facts.failure();
    }
    for (size_t i = 0; i < scripts.size(); ++i) {
      scripts[i].facts = std::move(facts.value()[i]);
    }
    return Done{};
  }

  FileSystem& files_;
  ProcessRunner& runner_;
  LintTree& tree_;
  std::map<std::string, int> documents_;  // absolute path -> source
};

}  // namespace

Result<LintTree> read_lint_tree(const std::string& folder,
                                FileSystem& files,
                                ProcessRunner& runner) {
  LintTree tree;
  if (auto done = Reader(files, runner, tree).read(folder); !done.ok()) {
    return done.failure();
  }
  return tree;
}

}  // namespace shmem_bind::cli
