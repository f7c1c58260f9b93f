#include "tool/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace shmem_bind {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kGraceMs = 2000;

sigset_t ending_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&set, number);
  }
  return set;
}

// Blocks the signals that end this process and makes them readable; when it ends they take effect.
class SignalWatch {
 public:
  SignalWatch() {
    const sigset_t set = ending_signals();
    pthread_sigmask(SIG_BLOCK, &set, &before_);
    file_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalWatch() {
    close(file_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  int file() const { return file_; }
  const sigset_t& mask_before() const { return before_; }

 private:
  sigset_t before_;
  int file_;
};

[[noreturn]] void start(const Command& command, int output, const sigset_t& mask) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
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
  words.reserve(command.words.size() + 1);
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

// False when the other end is closed.
bool read_available(int file, LineReader& reader) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t count = read(file, buffer.data(), buffer.size());
    if (count > 0) {
      reader.add({buffer.data(), static_cast<size_t>(count)});
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
}

enum class End { kExited, kDeadline, kSignal };

// Waits until the child is gone, the deadline has come or this process is told to end. The pipe may
// stay open longer than the child lives, in the hands of what it started; the child's end is what
// counts.
End watch(const Command& command, int child, int output, int signals, LineReader& reader) {
  const bool limited = command.deadline.count() > 0;
  const Clock::time_point deadline = Clock::now() + command.deadline;
  bool open = true;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (limited && left <= 0) {
      return End::kDeadline;
    }
    std::array<pollfd, 3> files = {
        {{child, POLLIN, 0}, {signals, POLLIN, 0}, {open ? output : -1, POLLIN, 0}}};
    if (poll(files.data(), files.size(), limited ? static_cast<int>(left) : -1) <= 0) {
      continue;
    }
    if (files[2].revents != 0) {
      open = read_available(output, reader);
    }
    if (files[1].revents != 0) {
      return End::kSignal;
    }
    if (files[0].revents != 0 || (child < 0 && !open)) {
      return End::kExited;
    }
  }
}

// Asks the group to end, so that launchers can end workers in groups of their own; waits a little
// for the child.
void ask_to_end(pid_t child, int child_file) {
  kill(-child, SIGTERM);
  pollfd file{child_file, POLLIN, 0};
  poll(&file, 1, kGraceMs);
}

int exit_code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProcessResult failed(const char* what) {
  ProcessResult result;
  result.output = fmt::format("{}: {}\n", what, std::strerror(errno));
  return result;
}

}  // namespace

ProcessResult RealProcessRunner::run(const Command& command,
                                     const std::function<void(std::string_view)>& on_line) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return failed("pipe");
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const SignalWatch signals;
  const pid_t child = fork();
  if (child == 0) {
    start(command, ends[1], signals.mask_before());
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return failed("fork");
  }
  setpgid(child, child);
  const int child_file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  ProcessResult result;
  LineReader reader(result.output, on_line);
  const End end = watch(command, child_file, ends[0], signals.file(), reader);
  result.timed_out = end == End::kDeadline;
  result.interrupted = end == End::kSignal;
  if (end != End::kExited) {
    ask_to_end(child, child_file);
  }
  kill(-child, SIGKILL);  // the child when it still runs, and what it left running
  result.exit_code = exit_code_of(child);
  read_available(ends[0], reader);
  reader.finish();
  close(ends[0]);
  close(child_file);
  return result;
}

std::string display(const Command& command) {
  std::string out;
  for (const std::string& word : command.words) {
    const bool plain =
        word.find_first_of(" \t\n\"'$\\;&|<>()*?`#~") == std::string::npos && !word.empty();
    out += out.empty() ? "" : " ";
    out += plain ? word : "'" + word + "'";
  }
  return out;
}

}  // namespace shmem_bind
