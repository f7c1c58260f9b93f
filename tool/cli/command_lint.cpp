#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/cli/command.h"
#include "tool/cli/lint_tree.h"
#include "tool/lint/rules.h"

namespace shmem_bind::cli {
namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

std::string number_of(size_t count, const std::string& word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

Outcome command_lint(Environment& environment) {
  Outcome outcome;
  const std::string folder = without_slashes(environment.args.path);
  if (!environment.files.is_folder(folder)) {
    fail(outcome, {folder + " is no folder: lint looks at a tree, such as custom-ops"});
    return outcome;
  }
  const auto tree = read_lint_tree(folder, environment.files, environment.runner);
  if (!tree.ok()) {
    fail(outcome, tree.failure());
    return outcome;
  }
  if (tree.value().file_count == 0) {
    fail(outcome, {folder + " holds no C++, Python, CMake, shell or Markdown file"});
    return outcome;
  }
  for (const std::string& note : tree.value().notes) {
    outcome.messages += note + "\n";
  }
  size_t allowed = 0;
  const Diagnostics found = lint::check(tree.value().facts, &allowed);
  for (const Diagnostic& diagnostic : found.list()) {
    outcome.text += to_text(diagnostic, tree.value().texts);
  }
  outcome.text +=
      fmt::format("{}: {}{} in {}, by {}\n",
                  folder,
                  found.list().empty() ? "no findings" : number_of(found.list().size(), "finding"),
                  allowed == 0 ? "" : fmt::format(" and {} allowed", allowed),
                  number_of(static_cast<size_t>(tree.value().file_count), "file"),
                  number_of(lint::all_rules().size(), "rule"));
  outcome.json.add("tree", folder)
      .add("files", tree.value().file_count)
      .add("allowed", static_cast<int>(allowed))
      .add_value("diagnostics", std::string(trimmed(to_json(found, tree.value().texts))));
  outcome.exit_code = found.has_errors() || !tree.value().notes.empty() ? kExitContract : kExitDone;
  return outcome;
}

}  // namespace shmem_bind::cli
