#include "tool/binding/clean_plan.h"

#include <fmt/format.h>

#include <set>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"
#include "tool/binding/places.h"
#include "tool/binding/shared_region.h"

namespace shmem_bind::binding {
namespace {

using Action = CleanedFile::Action;

// Every region that some file of a tree may have; the comment marks are those of the file.
std::vector<RegionPlace> regions_of(const std::string& path) {
  const std::string comment = path.ends_with(".h") ? "//" : "#";
  std::vector<RegionPlace> regions;
  for (const char* name : {"kernel_folders", "kernel_targets", "sources", "declarations"}) {
    regions.push_back({name, comment, 0});
  }
  return regions;
}

class Planner {
 public:
  Planner(const Places& places,
          const std::string& op_name,
          const Texts& existing,
          std::vector<std::string> users)
      : places_(places), op_(op_name), existing_(existing), users_(std::move(users)) {}

  CleanPlan plan() {
    for_each(places_.own, [this](const std::string& path) { take_own(path); });
    for_each(places_.shared, [this](const std::string& path) {
      users_.empty() ? take_own(path) : leave_shared(path);
    });
    for_each(places_.foreign, [this](const std::string& path) { leave_foreign(path); });
    return std::move(plan_);
  }

 private:
  template <class Take>
  void for_each(const std::vector<std::string>& paths, const Take& take) {
    for (const std::string& path : paths) {
      if (existing_.contains(path)) {
        take(path);
      }
    }
  }

  void set(const std::string& path, Action action, std::string reason = {}) {
    plan_[path] = {action, {}, false, std::move(reason)};
  }

  // A file that nobody else needs.
  void take_own(const std::string& path) {
    const std::string& text = existing_.at(path);
    if (!is_stamped(text)) {
      set(path, Action::kKeep, "not written by shmem-bind");
    } else if (edited_by_hand(text)) {
      set(path, Action::kConflict, "edited by hand since it was written");
    } else if (std::string reason = without_operator(text, op_).obstacle; !reason.empty()) {
      set(path, Action::kConflict, std::move(reason));
    } else {
      set(path, Action::kRemove);
    }
  }

  // A file of ours that other operators need.
  void leave_shared(const std::string& path) {
    RegionEdit edit = without_operator(existing_.at(path), op_);
    if (edit.text == existing_.at(path)) {
      set(path, Action::kKeep, "used by " + joined(users_, ", "));
    } else {
      update(path, std::move(edit));
    }
  }

  // A file of the tree: all our regions lose this operator's lines.
  void leave_foreign(const std::string& path) {
    RegionEdit all{existing_.at(path), "", false};
    for (const RegionPlace& region : regions_of(path)) {
      RegionEdit edit = without_entry(all.text, region, op_);
      if (edit.is_broken) {
        set(path, Action::kBroken, edit.obstacle);
        return;
      }
      all.text = std::move(edit.text);
      all.obstacle = all.obstacle.empty() ? edit.obstacle : all.obstacle;
    }
    if (all.text != existing_.at(path)) {
      update(path, std::move(all));
    }
  }

  void update(const std::string& path, RegionEdit edit) {
    plan_[path] = {edit.obstacle.empty() ? Action::kUpdate : Action::kConflict,
                   std::move(edit.text),
                   true,
                   edit.obstacle};
  }

  const Places& places_;
  const std::string& op_;
  const Texts& existing_;
  std::vector<std::string> users_;
  CleanPlan plan_;
};

}  // namespace

std::vector<std::string> users_of_shared(contract::BuildMode mode,
                                         const std::string& op_name,
                                         const Texts& existing,
                                         const std::vector<std::string>& others) {
  std::set<std::string> users(others.begin(), others.end());
  const Places places = places_of(mode, op_name);
  for (const auto* paths : {&places.shared, &places.foreign}) {
    for (const std::string& path : *paths) {
      if (!existing.contains(path)) {
        continue;
      }
      for (const RegionPlace& region : regions_of(path)) {
        const auto found = entries_of(existing.at(path), region);
        users.insert(found.begin(), found.end());
      }
    }
  }
  users.erase(op_name);
  return {users.begin(), users.end()};
}

CleanPlan plan_clean(contract::BuildMode mode,
                     const std::string& op_name,
                     const Texts& existing,
                     const std::vector<std::string>& others) {
  const Places places = places_of(mode, op_name);
  return Planner(places, op_name, existing, users_of_shared(mode, op_name, existing, others))
      .plan();
}

}  // namespace shmem_bind::binding
