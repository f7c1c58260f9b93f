#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "tool/base/process.h"

namespace shmem_bind::doctor {

// A machine whose programs give answers written beforehand, in order; then none.
class FakeRunner : public ProcessRunner {
 public:
  struct Answer {
    std::string output;
    int exit_code = 0;
  };
  FakeRunner(std::initializer_list<Answer> answers) : answers_(answers) {}

  std::vector<Command> commands;

  ProcessResult run(const Command& command, const std::function<void(std::string_view)>&) override {
    commands.push_back(command);
    ProcessResult result;
    result.exit_code = 127;
    if (!answers_.empty()) {
      result.exit_code = answers_.front().exit_code;
      result.output = answers_.front().output;
      answers_.pop_front();
    }
    return result;
  }

 private:
  std::deque<Answer> answers_;
};

}  // namespace shmem_bind::doctor
