#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/base/tree_writer.h"
#include "tool/binding/clean_plan.h"
#include "tool/binding/places.h"
#include "tool/cli/command.h"
#include "tool/cli/tree.h"

namespace shmem_bind::cli {
namespace {

using binding::CleanedFile;
using binding::CleanPlan;

// What cleaning means for a tree as it stands.
struct Cleaning {
  binding::Texts texts;
  CleanPlan plan;
  std::vector<std::string> users;  // other operators that need what is shared
};

Result<Cleaning> propose_clean(const Operator& op, FileSystem& files) {
  const binding::Places places = binding::places_of(op.mode, op.name);
  std::vector<std::string> paths = places.own;
  paths.insert(paths.end(), places.shared.begin(), places.shared.end());
  paths.insert(paths.end(), places.foreign.begin(), places.foreign.end());
  auto texts = present(paths, op.tree, files);
  if (!texts.ok()) {
    return texts.failure();
  }
  Cleaning cleaning;
  cleaning.texts = std::move(texts.value());
  std::vector<std::string> others = other_sources(op, places.binding, files);
  if (op.mode == contract::BuildMode::kInTreeExample) {
    // Sources that others wrote by hand lie in the same folder and do not need our files.
    std::erase_if(others, [&](const std::string& other) {
      const auto text =
          files.read(fmt::format("{}/{}/src/torch_bind_{}.cpp", op.tree, places.binding, other));
      return !text.ok() || text.value().find("\"npu_launch.h\"") == std::string::npos;
    });
  }
  cleaning.users = binding::users_of_shared(op.mode, op.name, cleaning.texts, others);
  cleaning.plan = binding::plan_clean(op.mode, op.name, cleaning.texts, others);
  return cleaning;
}

// Lists all that stands in the way; true when nothing does, or --force stands.
bool settle(const Args& args, const CleanPlan& plan, Outcome& outcome) {
  bool settled = true;
  bool broken = false;
  for (const auto& [path, file] : plan) {
    const bool conflict = file.action == CleanedFile::Action::kConflict;
    broken = broken || file.action == CleanedFile::Action::kBroken;
    if (conflict || file.action == CleanedFile::Action::kBroken) {
      outcome.messages += fmt::format(
          "{}: {}{}\n", path, file.reason, conflict && args.force ? ", cleaned (--force)" : "");
      settled = settled && conflict && args.force;
    }
  }
  if (!settled) {
    outcome.exit_code = kExitDiffers;
    outcome.messages += fmt::format(
        "nothing was removed\n    way out: {}\n",
        broken ? "restore the marks in that file" : "--force keeps these texts aside and cleans");
  }
  return settled;
}

// The changes of files, and beside them what people wrote and --force takes away.
std::vector<TreeFile> changes_of(const Cleaning& cleaning,
                                 const Operator& op,
                                 Environment& environment,
                                 Outcome& outcome) {
  std::vector<TreeFile> changes;
  for (const auto& [path, file] : cleaning.plan) {
    if (file.action == CleanedFile::Action::kKeep) {
      continue;
    }
    changes.push_back({path, file.text, false, !file.stays});
    if (file.action == CleanedFile::Action::kConflict) {
      const std::string& old = cleaning.texts.at(path);
      changes.push_back({aside(path, old, op.tree, environment.files), old, false, false});
      outcome.messages += fmt::format("{}: {} kept as {}\n",
                                      path,
                                      environment.args.dry_run ? "would be" : "is",
                                      changes.back().path);
    }
  }
  return changes;
}

// What build made, as folders: the operator's own, and the binding's when nobody else needs it.
std::vector<std::string> built_folders(const Operator& op, bool shared_too, FileSystem& files) {
  const binding::Places places = binding::places_of(op.mode, op.name);
  std::vector<std::string> folders = {places.records};
  if (shared_too && op.mode == contract::BuildMode::kIndependentProject) {
    folders.push_back(places.binding + "/build");
  }
  std::erase_if(
      folders, [&](const std::string& folder) { return !files.is_folder(below(op.tree, folder)); });
  return folders;
}

struct Left {
  std::string path;
  std::string reason;
};

// Files in `folder` that the plan does not know.
void add_strangers(const Operator& op,
                   const std::string& folder,
                   const CleanPlan& plan,
                   FileSystem& files,
                   std::vector<Left>& left) {
  for (const std::string& name : files.list(below(op.tree, folder))) {
    const std::string path = fmt::format("{}/{}", folder, name);
    if (name == "build" || plan.contains(path)) {
      continue;
    }
    if (files.is_folder(below(op.tree, path))) {
      add_strangers(op, path, plan, files, left);
    } else {
      left.push_back({path, "not written by shmem-bind"});
    }
  }
}

// What stays, and why: what people wrote, what others need, what the tree's own script made.
std::vector<Left> what_stays(const Operator& op, const Cleaning& cleaning, FileSystem& files) {
  const binding::Places places = binding::places_of(op.mode, op.name);
  std::vector<Left> left;
  for (const auto& [path, file] : cleaning.plan) {
    if (file.action == CleanedFile::Action::kKeep) {
      left.push_back({path, file.reason});
    }
  }
  if (op.mode == contract::BuildMode::kInTreeExample) {
    for (const std::string& library : {places.kernel_library, places.binding_library}) {
      if (files.exists(below(op.tree, library))) {
        left.push_back({library, "scripts/build.sh of the tree made it"});
      }
    }
  } else if (cleaning.users.empty()) {
    add_strangers(op, places.binding, cleaning.plan, files, left);
  } else if (files.is_folder(below(op.tree, places.binding + "/build"))) {
    left.push_back({places.binding + "/build", "used by " + joined(cleaning.users, ", ")});
  }
  return left;
}

void tell(const Args& args,
          const CleanPlan& plan,
          const std::vector<std::string>& folders,
          const std::vector<Left>& left,
          Outcome& outcome) {
  std::vector<std::string> removed;
  std::vector<std::string> updated;
  for (const auto& [path, file] : plan) {
    if (file.action != CleanedFile::Action::kKeep) {
      (file.stays ? updated : removed).push_back(path);
    }
  }
  removed.insert(removed.end(), folders.begin(), folders.end());
  for (const std::string& path : updated) {
    outcome.text += fmt::format(
        "{} {}\n", args.dry_run ? "would take our lines out of" : "our lines are out of", path);
  }
  for (const std::string& path : removed) {
    outcome.text += fmt::format("{} {}\n", args.dry_run ? "would remove" : "removed", path);
  }
  std::vector<std::string> stays;
  for (const Left& item : left) {
    outcome.text += fmt::format("left {}: {}\n", item.path, item.reason);
    stays.push_back(JsonObject().add("path", item.path).add("reason", item.reason).text());
  }
  outcome.text += removed.empty() && updated.empty() ? "clean: nothing to remove\n" : "";
  outcome.json.add_value("removed", json_texts(removed))
      .add_value("updated", json_texts(updated))
      .add_value("left", json_list(stays));
}

void clean(Environment& environment, const Operator& op, Outcome& outcome) {
  auto writer = TreeWriter::open(op.tree);  // from here on nobody else writes into the tree
  if (!writer.ok()) {
    fail(outcome, writer.failure());
    return;
  }
  const auto cleaning = propose_clean(op, environment.files);
  if (!cleaning.ok()) {
    fail(outcome, cleaning.failure());
    return;
  }
  if (!settle(environment.args, cleaning.value().plan, outcome)) {
    return;
  }
  const auto folders = built_folders(op, cleaning.value().users.empty(), environment.files);
  const auto left = what_stays(op, cleaning.value(), environment.files);
  const auto changes = changes_of(cleaning.value(), op, environment, outcome);
  if (!environment.args.dry_run) {
    for (const std::string& folder : folders) {
      if (const auto done = environment.files.remove(below(op.tree, folder)); !done.ok()) {
        fail(outcome, done.failure());
        return;
      }
    }
    if (const auto written = writer.value().write(changes); !written.ok()) {
      fail(outcome, written.failure());
      return;
    }
  }
  tell(environment.args, cleaning.value().plan, folders, left, outcome);
}

}  // namespace

// Needs no contract: one that is broken must not keep an operator from being cleaned.
Outcome command_clean(Environment& environment) {
  Outcome outcome;
  const auto op = open_operator(environment.args.path, environment.files);
  if (op.ok()) {
    clean(environment, op.value(), outcome);
  } else {
    fail(outcome, op.failure());
  }
  return outcome;
}

}  // namespace shmem_bind::cli
