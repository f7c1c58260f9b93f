#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "tool/base/text.h"
#include "tool/binding/file_set.h"

// Any bytes as a file that several operators share. What is planned must keep the lines of other
// operators (here: those that say "foreign"), and planning on top of it must change nothing.

using shmem_bind::binding::FileSet;
using shmem_bind::binding::PlannedFile;

namespace {

constexpr const char* kPath = "custom-ops/torch_binding/CMakeLists.txt";

FileSet our_files() {
  shmem_bind::binding::GeneratedFile file;
  file.text = shmem_bind::binding::stamped(
      "set(A\n  # shmem-bind: sources begin\n  # shmem-bind: sources end\n)\n", "#", "fuzzing");
  file.shared["sources"] = {"  src/torch_bind_ours.cpp"};
  return {{kPath, file}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const FileSet files = our_files();
  const std::string present(reinterpret_cast<const char*>(data), size);
  const auto plan = plan_write(files, "ours", {{kPath, present}});
  const PlannedFile& planned = plan.at(kPath);
  if (planned.action == PlannedFile::Action::kConflict) {
    if (planned.reason.empty()) {
      __builtin_trap();
    }
    return 0;
  }
  for (const std::string_view line : shmem_bind::split_lines(present)) {
    if (line.find("foreign") != std::string_view::npos &&
        planned.text.find(line) == std::string::npos) {
      __builtin_trap();
    }
  }
  const auto again = plan_write(files, "ours", {{kPath, planned.text}});
  if (again.at(kPath).action != PlannedFile::Action::kUnchanged) {
    __builtin_trap();
  }
  return 0;
}
