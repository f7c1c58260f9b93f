#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shmem_bind {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  // added to the own one
  std::string folder;                              // empty: the current one
  std::chrono::milliseconds deadline{0};           // 0: none
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when it died from one
  bool timed_out = false;
  std::string output;  // standard output and error, as they came

  bool ok() const { return exit_code == 0 && !timed_out; }
};

// Runs programs. Each gets its own process group, which is ended with it: nothing it started
// survives it.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Calls `on_line` for every line of output as it comes (may be empty). Blocks until the program
  // has ended.
  virtual ProcessResult run(const Command& command,
                            const std::function<void(std::string_view)>& on_line) = 0;
};

class RealProcessRunner : public ProcessRunner {
 public:
  ProcessResult run(const Command& command,
                    const std::function<void(std::string_view)>& on_line) override;
};

// The command as a person would type it, for messages.
std::string display(const Command& command);

}  // namespace shmem_bind
