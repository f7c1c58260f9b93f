#include "tool/cli/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "tool/binding/places.h"
#include "tool/binding/wrong_mode.h"

namespace shmem_bind::cli {
namespace {

// Adds those files that exist; their texts do not matter.
void look_for(const std::vector<std::string>& paths,
              const std::string& tree,
              FileSystem& files,
              binding::Texts& texts) {
  for (const std::string& path : paths) {
    if (files.exists(below(tree, path))) {
      texts.emplace(path, "");
    }
  }
}

}  // namespace

std::string below(const std::string& folder, const std::string& path) {
  return fmt::format("{}/{}", folder, path);
}

Result<binding::Texts> present(const std::vector<std::string>& paths,
                               const std::string& tree,
                               FileSystem& files) {
  binding::Texts texts;
  for (const std::string& path : paths) {
    if (!files.exists(below(tree, path))) {
      continue;
    }
    auto text = files.read(below(tree, path));
    if (!text.ok()) {
      return text.failure();
    }
    texts[path] = std::move(text.value());
  }
  return texts;
}

Result<Proposal> propose(const Operator& op, FileSystem& files) {
  auto texts = present(binding::paths_to_read(op.contract), op.tree, files);
  if (!texts.ok()) {
    return texts.failure();
  }
  look_for(binding::paths_to_look_for(op.contract), op.tree, files, texts.value());
  Proposal proposal{std::move(texts.value()), {}};
  proposal.tree = binding::plan_tree(op.contract, proposal.texts);
  return proposal;
}

bool settle_problems(const std::vector<binding::TreeProblem>& problems,
                     const binding::Texts& texts,
                     Outcome& outcome) {
  for (const binding::TreeProblem& problem : problems) {
    const auto text = texts.find(problem.path);
    const auto lines =
        text == texts.end()
            ? 0
            : std::count(text->second.begin(),
                         text->second.begin() + static_cast<std::ptrdiff_t>(problem.at),
                         '\n');
    outcome.messages += fmt::format(
        "{}:{}: {}\n    way out: {}\n", problem.path, lines + 1, problem.text, problem.way_out);
  }
  if (!problems.empty()) {
    outcome.exit_code = kExitContract;
  }
  return problems.empty();
}

bool mode_is_right(const Operator& op, FileSystem& files, Outcome& outcome) {
  const binding::ModePaths paths =
      binding::wrong_mode_paths(op.contract.build_mode, op.contract.op_name);
  auto texts = present(paths.texts, op.tree, files);
  if (!texts.ok()) {
    fail(outcome, texts.failure());
    return false;
  }
  look_for(paths.presences, op.tree, files, texts.value());
  return settle_problems(
      binding::wrong_mode_problems(op.contract.build_mode, op.contract.op_name, texts.value()),
      texts.value(),
      outcome);
}

std::string aside(const std::string& path,
                  const std::string& text,
                  const std::string& tree,
                  FileSystem& files) {
  const std::string first = path + ".hand-edited";
  std::string name = first;
  for (int number = 2; files.exists(below(tree, name)); ++number) {
    const auto present = files.read(below(tree, name));
    if (present.ok() && present.value() == text) {
      break;
    }
    name = fmt::format("{}.{}", first, number);
  }
  return name;
}

std::vector<std::string> other_sources(const Operator& op,
                                       const std::string& binding,
                                       FileSystem& files) {
  constexpr std::string_view kPrefix = "torch_bind_";
  constexpr std::string_view kSuffix = ".cpp";
  std::vector<std::string> names;
  for (const std::string& file : files.list(below(op.tree, binding + "/src"))) {
    if (!file.starts_with(kPrefix) || !file.ends_with(kSuffix)) {
      continue;
    }
    std::string name = file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size());
    if (name != op.name && name != "manager") {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace shmem_bind::cli
