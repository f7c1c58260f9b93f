#include "tool/doctor/library_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tool/base/text.h"

namespace shmem_bind::doctor {
namespace {

// Of CANN and SHMEM, real or simulated: one of them from another place is loaded silently.
constexpr std::array<std::string_view, 7> kWatched = {"libascendcl.so",
                                                      "libhccl.so",
                                                      "libopapi.so",
                                                      "libruntime.so",
                                                      "libshmem.so",
                                                      "libshmem_sim_ascendc.so",
                                                      "libshmem_sim_core.so"};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) {
      parts.push_back(resolved_path(path.substr(begin, end - begin)));
    }
    begin = end + 1;
  }
  return parts;
}

bool lies_below(const std::string& folder, const std::string& root) {
  return !root.empty() && (folder + "/").starts_with(resolved_path(root) + "/");
}

std::vector<std::string> watched_in(const std::string& folder, FileSystem& files) {
  std::vector<std::string> found;
  for (const std::string_view name : kWatched) {
    if (files.exists(fmt::format("{}/{}", folder, name))) {
      found.emplace_back(name);
    }
  }
  return found;
}

}  // namespace

std::string Roots::set_up() const {
  return fmt::format(
      "unset LD_LIBRARY_PATH; . {}/set_env.sh; . {}/install/set_env.sh", cann, shmem);
}

Findings look_at_library_path(const std::string& path, const Roots& roots, FileSystem& files) {
  const std::vector<std::string> parts = parts_of(path);
  const auto is_own = [&roots](const std::string& folder) {
    return lies_below(folder, roots.cann) || lies_below(folder, roots.shmem);
  };
  // The set_env.sh of a root that is not on the path yet puts it in front of everything.
  const auto last_own = std::find_if(parts.rbegin(), parts.rend(), is_own).base() - parts.begin();
  Findings findings;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (is_own(parts[i])) {
      continue;
    }
    if (!files.exists(parts[i])) {
      findings.push_back(
          {"library path", Health::kYellow, parts[i] + " is not there", roots.set_up()});
      continue;
    }
    const std::vector<std::string> stale = watched_in(parts[i], files);
    if (!stale.empty()) {
      const bool in_front = static_cast<std::ptrdiff_t>(i) < last_own;
      findings.push_back({"library path",
                          in_front ? Health::kRed : Health::kYellow,
                          fmt::format("{} holds {} of another installation, {} this one",
                                      parts[i],
                                      joined(stale, ", "),
                                      in_front ? "in front of" : "behind"),
                          roots.set_up()});
    }
  }
  if (findings.empty()) {
    findings.push_back({"library path",
                        Health::kGreen,
                        fmt::format("{} folders, no foreign CANN or SHMEM in them", parts.size()),
                        ""});
  }
  return findings;
}

}  // namespace shmem_bind::doctor
