#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shmem_bind::cli {

// ready: of a --dry-run; unverified: nothing failed, but the verdict is not complete.
enum class BatchState { kReady, kVerified, kFailed, kUnverified, kSkipped };
std::string_view name_of(BatchState state);

struct BatchRow {
  std::string folder;  // of the operator, as it was found
  BatchState state = BatchState::kReady;
  std::string why;  // of a failure or a skip, one line
  int exit_code = 0;
  std::vector<int64_t> pes;       // on which it was verified, or would be
  std::optional<double> seconds;  // of building and verifying; nothing when it did not come to that
};

// The worst of all: a failure of tool or machine (1), then what is wrong with the operator, the
// later the stage that found it the worse (13, 12, 11, 10), then missing evidence (14).
int worst_exit_code(const std::vector<BatchRow>& rows);

std::vector<std::string> texts_of(const std::vector<int64_t>& numbers);

// One line per operator, and one that counts them.
std::string batch_table(const std::vector<BatchRow>& rows);

}  // namespace shmem_bind::cli
