#include "sim/kernelc/run.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace shmem_sim::kernelc {
namespace {

std::vector<char*> argument_vector(const std::vector<std::string>& command) {
  std::vector<char*> list;
  for (const std::string& word : command) {
    list.push_back(const_cast<char*>(word.c_str()));
  }
  list.push_back(nullptr);
  return list;
}

// Writes `input` and reads until the other end closes, both as far as the pipes let us.
std::string exchange(int to, int from, const std::string& input) {
  std::string output;
  size_t written = 0;
  char buffer[65536];
  while (to >= 0 || from >= 0) {
    if (to >= 0 && written == input.size()) {
      close(to);
      to = -1;
      continue;
    }
    pollfd files[] = {{to, POLLOUT, 0}, {from, POLLIN, 0}};
    if (poll(files, 2, -1) < 0 && errno != EINTR) {
      break;
    }
    if (to >= 0 && files[0].revents != 0) {
      const ssize_t count =
          write(to, input.data() + written, std::min<size_t>(input.size() - written, 65536));
      if (count < 0) {
        written = input.size();  // the reader is gone; its exit status tells why
      } else {
        written += static_cast<size_t>(count);
      }
    }
    if (from >= 0 && files[1].revents != 0) {
      const ssize_t count = read(from, buffer, sizeof buffer);
      if (count <= 0) {
        close(from);
        from = -1;
      } else {
        output.append(buffer, static_cast<size_t>(count));
      }
    }
  }
  return output;
}

}  // namespace

RunResult run(const std::vector<std::string>& command, const std::string& input, bool capture) {
  std::signal(SIGPIPE, SIG_IGN);
  int to[2] = {-1, -1};
  int from[2] = {-1, -1};
  if (pipe(to) != 0 || (capture && pipe(from) != 0)) {
    std::perror("bisheng: pipe");
    return {1, ""};
  }
  const pid_t child = fork();
  if (child == 0) {
    dup2(to[0], STDIN_FILENO);
    if (capture) {
      dup2(from[1], STDOUT_FILENO);
    }
    for (const int file : {to[0], to[1], from[0], from[1]}) {
      if (file > STDERR_FILENO) {
        close(file);
      }
    }
    replace_by(command);
    _exit(127);
  }
  close(to[0]);
  if (capture) {
    close(from[1]);
  }
  RunResult result;
  result.output = exchange(to[1], from[0], input);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

int replace_by(const std::vector<std::string>& command) {
  execvp(command[0].c_str(), argument_vector(command).data());
  std::fprintf(stderr,
               "bisheng: cannot start %s: %s (SHMEM_SIM_HOST_CXX names the compiler)\n",
               command[0].c_str(),
               std::strerror(errno));
  return 127;
}

bool file_exists(const std::string& path) {
  return access(path.c_str(), R_OK) == 0;
}

std::string toolkit_root() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  std::string folder(path, static_cast<size_t>(length < 0 ? 0 : length));
  for (int up = 0; up < 3; ++up) {
    folder = folder.substr(0, folder.rfind('/'));
    if (file_exists(folder + "/include/shmem_sim/language.h")) {
      return folder;
    }
  }
  return "";
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

std::string environment(const char* name, const std::string& fallback) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : fallback;
}

}  // namespace shmem_sim::kernelc
