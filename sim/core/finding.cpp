#include "sim/core/finding.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "sim/core/block.h"
#include "sim/core/config.h"
#include "sim/core/job.h"
#include "sim/core/stream.h"

namespace shmem_sim {
namespace {

std::atomic<int64_t> g_count{0};

void forget_findings_in_child() {
  g_count = 0;
}

// One write, so that lines of several processes do not mix.
void append(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(descriptor, text.data(), text.size());
}

}  // namespace

void report(const Finding& finding) {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_findings_in_child);
  static_cast<void>(registered);
  g_count.fetch_add(1);
  nlohmann::json record = {{"rule", finding.rule},
                           {"detail", finding.detail},
                           {"pe", job_pe()},
                           {"pid", getpid()},
                           {"device", current_device()}};
  std::string place;
  if (const Block* block = current_block()) {
    record["kernel"] = kernel_name(*block);
    record["block"] = block->index;
    record["call"] = block->last_call;
    place = fmt::format(", kernel {} block {}", kernel_name(*block), block->index);
    if (!block->last_call.empty()) {
      place += fmt::format(", in {}", block->last_call);
    }
    if (block->line.file != nullptr) {
      record["file"] = block->line.file;
      record["line"] = block->line.line;
      place += fmt::format(" at {}:{}", block->line.file, block->line.line);
    }
  }
  append(STDERR_FILENO,
         fmt::format("shmem-sim: finding {}: PE {} (pid {}){}: {}\n",
                     finding.rule,
                     job_pe(),
                     getpid(),
                     place,
                     finding.detail));
  const std::string& path = config().findings_file;
  if (!path.empty()) {
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0) {
      append(file, record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
      close(file);
    }
  }
}

int64_t finding_count() {
  return g_count.load();
}

}  // namespace shmem_sim
