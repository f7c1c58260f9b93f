#include "sim/core/meeting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

#include "sim/core/control.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// So long PE 0 stays after a refusal, for PEs that start later.
constexpr std::chrono::milliseconds kLateComers = 10s;

Status mismatch(std::string message) {
  return failed(static_cast<int32_t>(JoinFault::kMismatch), std::move(message));
}

std::string key_of(int pe) {
  return fmt::format("PE {}", pe);
}

// A PE that finds that something does not fit tells all others.
Status introduce(KeyValueClient& client,
                 const JobOptions& options,
                 const Introduction& mine,
                 Clock::time_point deadline) {
  std::string kept;
  Status status = client.set(key_of(options.pe), mine.text(), deadline, kept);
  if (status.ok() && kept != mine.text()) {
    status = mismatch(fmt::format("two processes join as PE {}: pid {} and pid {}",
                                  options.pe,
                                  Introduction::parse(kept).pid,
                                  mine.pid));
    client.refuse(status.message);
  }
  return status;
}

Status get_to_know(KeyValueClient& client,
                   int pe,
                   const Introduction& mine,
                   Clock::time_point deadline,
                   std::vector<Introduction>& all) {
  std::string text;
  Status status = client.get(key_of(pe), deadline, text);
  if (!status.ok()) {
    return status;
  }
  all.push_back(Introduction::parse(text));
  if (!mine.fits(all.back())) {
    status = mismatch(
        fmt::format("{} PEs and {} heap bytes here (pid {}), {} PEs and {} heap bytes on PE {} "
                    "(pid {}); they must be equal on all PEs",
                    mine.pe_count,
                    mine.heap_bytes,
                    mine.pid,
                    all.back().pe_count,
                    all.back().heap_bytes,
                    pe,
                    all.back().pid));
    client.refuse(status.message);
  }
  return status;
}

Status meet(const JobOptions& options, const Introduction& mine, std::vector<Introduction>& all) {
  const auto deadline = Clock::now() + options.timeout;
  KeyValueClient client;
  Status status = client.connect(options.host, options.port, deadline);
  if (status.ok()) {
    status = introduce(client, options, mine, deadline);
  }
  for (int pe = 0; pe < options.pe_count && status.ok(); ++pe) {
    status = get_to_know(client, pe, mine, deadline, all);
  }
  if (!status.ok()) {
    status.message = fmt::format("PE {} of {}: {}", options.pe, options.pe_count, status.message);
  }
  return status;
}

}  // namespace

bool Introduction::fits(const Introduction& other) const {
  return pe_count == other.pe_count && heap_bytes == other.heap_bytes;
}

std::string Introduction::text() const {
  return fmt::format("{} {} {} {} {}", pe_count, heap_bytes, pid, file, name);
}

Introduction Introduction::parse(const std::string& text) {
  Introduction result;
  std::istringstream in(text);
  in >> result.pe_count >> result.heap_bytes >> result.pid >> result.file >> result.name;
  return result;
}

Status meet_peers(const JobOptions& options, Meeting& meeting, std::vector<Introduction>& all) {
  if (options.pe == 0) {
    Status status =
        KeyValueServer::start(options.host, options.port, options.listener_fd, meeting.server);
    if (!status.ok()) {
      return status;
    }
  }
  meeting.hand_over = std::make_unique<HandOver>(own_memory_file());
  const Introduction mine{
      options.pe_count, options.heap_bytes, getpid(), own_memory_file(), meeting.hand_over->name()};
  Status status = meet(options, mine, all);
  if (status.code == static_cast<int32_t>(JoinFault::kMismatch) && meeting.server != nullptr) {
    // Those who come late are to hear why, too.
    meeting.server->wait_until_told(
        options.pe_count,
        Clock::now() + std::min<std::chrono::milliseconds>(options.timeout, kLateComers));
  }
  return status;
}

}  // namespace shmem_sim
