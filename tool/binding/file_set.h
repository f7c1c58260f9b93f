#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/binding/shared_region.h"

// Generated files in memory. Paths are relative to the tree (the folder above `custom-ops/`), with
// '/'. Ordered, so that everything derived from a set is deterministic.

namespace shmem_bind::binding {

struct GeneratedFile {
  std::string text;
  bool executable = false;
  // Lines of this operator inside files that several operators share: region name -> lines. The
  // rest of `text` is ours.
  std::map<std::string, std::vector<std::string>> shared;
};

using FileSet = std::map<std::string, GeneratedFile>;

// What writing a set into a tree means for one file.
struct PlannedFile {
  enum class Action { kCreate, kUpdate, kUnchanged, kConflict };
  Action action = Action::kUnchanged;
  std::string text;  // what will stand there
  bool executable = false;
  std::string reason;  // kConflict: why
};
using Plan = std::map<std::string, PlannedFile>;

// `existing` holds the present text of every path of the set that exists. A file that was edited by
// hand since it was written is a conflict, and so is a shared file in which this operator's lines
// were edited, or in which lines stand that belong to no operator. The lines of other operators are
// kept as they are. Pure.
Plan plan_write(const FileSet& files,
                const std::string& op,
                const std::map<std::string, std::string>& existing);

// Puts two lines at the top: who wrote the text and from what (`origin`), then `facts` and a digest
// of the text, by which hand edits are recognised.
std::string stamped(const std::string& text,
                    const std::string& comment,
                    const std::string& origin,
                    const std::string& facts = {});

// True when the text carries no stamp, or was changed behind it. Lines inside shared regions do not
// count.
bool edited_by_hand(const std::string& text);

// True when the text says that shmem-bind wrote it, whatever was done to it since.
bool is_stamped(const std::string& text);

// A file of ours without the operator's lines in its shared regions; the obstacle is what a person
// wrote into them and would be lost.
RegionEdit without_operator(const std::string& text, const std::string& op);

inline constexpr const char* kToolVersion = "0.1.0";

}  // namespace shmem_bind::binding
