#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shmem_bind {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  // added to the own one
  std::string folder;                              // empty: the current one
  std::chrono::milliseconds deadline{0};           // 0: none
};

struct ProcessResult {
  int exit_code = -1;  // 128 + signal when it died from one; 127 when it could not be started
  bool timed_out = false;
  std::string output;        // standard output and error, as they came
  bool interrupted = false;  // ended because this program was told to end (Ctrl-C, SIGTERM, SIGHUP)

  bool ok() const { return exit_code == 0 && !timed_out && !interrupted; }
};

// Runs programs. Each gets its own process group, which is ended with it: nothing it started
// survives it.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Calls `on_line` for every line of output as it comes (may be empty). Blocks until the program
  // has ended; what it left running is ended then, and at the deadline.
  virtual ProcessResult run(const Command& command,
                            const std::function<void(std::string_view)>& on_line) = 0;
};

// One run at a time: while a program runs, SIGINT, SIGTERM and SIGHUP to this process end the
// program's group first and take effect on this process when run() has returned.
class RealProcessRunner : public ProcessRunner {
 public:
  ProcessResult run(const Command& command,
                    const std::function<void(std::string_view)>& on_line) override;
};

// The command as a person would type it, for messages.
std::string display(const Command& command);

}  // namespace shmem_bind
