#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/binding/file_set.h"
#include "tool/cli/batch_table.h"
#include "tool/cli/command.h"

namespace shmem_bind::cli {

// One operator on its way; it leaves the way with the first stage that fails.
struct BatchItem {
  BatchRow row;
  Args args;  // as of a `run` of this operator
  Outcome outcome;
  std::optional<Operator> op;
  std::optional<binding::Plan> unchanged;  // there is nothing to generate
  std::string log;                         // all it said
  bool was_verified = false;

  bool goes_on() const { return op && row.state == BatchState::kReady; }
};

// What belongs to no single operator.
struct BatchTalk {
  std::vector<std::string> trees;  // JSON of each binding's build
  std::string text;                // of a --dry-run
  std::string log;
};

// The table, the JSON, the exit code and the JUnit file of a batch that has ended.
Outcome batch_outcome(const Environment& environment,
                      const std::vector<BatchItem>& items,
                      const BatchTalk& talk);

}  // namespace shmem_bind::cli
