#include "tool/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace shmem_bind {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void start(const Command& command, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) {
    std::fprintf(stderr, "cannot enter %s: %s\n", command.folder.c_str(), std::strerror(errno));
    _exit(127);
  }
  for (const auto& [name, value] : command.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> words;
  for (const std::string& word : command.words) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  execvp(words[0], words.data());
  std::fprintf(stderr, "cannot start %s: %s\n", words[0], std::strerror(errno));
  _exit(127);
}

// Hands complete lines to `on_line`; keeps the rest.
class LineReader {
 public:
  LineReader(std::string& all, const std::function<void(std::string_view)>& on_line)
      : all_(all), on_line_(on_line) {}
  void add(std::string_view text) {
    all_ += text;
    while (on_line_) {
      const size_t end = all_.find('\n', at_);
      if (end == std::string::npos) {
        return;
      }
      on_line_(std::string_view(all_).substr(at_, end - at_));
      at_ = end + 1;
    }
  }
  void finish() {
    if (on_line_ && at_ < all_.size()) {
      on_line_(std::string_view(all_).substr(at_));
    }
  }

 private:
  std::string& all_;
  const std::function<void(std::string_view)>& on_line_;
  size_t at_ = 0;
};

// Reads until the pipe closes, or the deadline; true when it closed.
bool read_all(int file, Clock::time_point deadline, bool limited, LineReader& reader) {
  char buffer[65536];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (limited && left <= 0) {
      return false;
    }
    pollfd waiting{file, POLLIN, 0};
    const int ready = poll(&waiting, 1, limited ? static_cast<int>(left) : -1);
    if (ready <= 0) {
      continue;
    }
    const ssize_t count = read(file, buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      return true;
    }
    if (count > 0) {
      reader.add({buffer, static_cast<size_t>(count)});
    }
  }
}

}  // namespace

ProcessResult RealProcessRunner::run(const Command& command,
                                     const std::function<void(std::string_view)>& on_line) {
  ProcessResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.output = fmt::format("pipe: {}", std::strerror(errno));
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    start(command, ends[1]);
  }
  close(ends[1]);
  setpgid(child, child);
  LineReader reader(result.output, on_line);
  const bool limited = command.deadline.count() > 0;
  const bool closed = read_all(ends[0], Clock::now() + command.deadline, limited, reader);
  result.timed_out = !closed;
  if (!closed) {
    kill(-child, SIGKILL);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);  // what it left running
  close(ends[0]);
  reader.finish();
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

std::string display(const Command& command) {
  std::string out;
  for (const std::string& word : command.words) {
    const bool plain = word.find_first_of(" \t\"'$\\") == std::string::npos && !word.empty();
    out += out.empty() ? "" : " ";
    out += plain ? word : "'" + word + "'";
  }
  return out;
}

}  // namespace shmem_bind
