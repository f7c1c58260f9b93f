#include "tests/support/pe_group.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace shmem_sim::test {

using namespace std::chrono_literals;

std::vector<int> run_pes(int pe_count, const std::function<int(int pe)>& body, int deadline_s) {
  std::vector<pid_t> children;
  for (int pe = 0; pe < pe_count; ++pe) {
    const pid_t child = fork();
    if (child == 0) {
      _exit(body(pe));
    }
    children.push_back(child);
  }
  std::vector<int> codes(static_cast<size_t>(pe_count), -1);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(deadline_s);
  size_t left = children.size();
  bool over = false;
  while (left > 0) {
    over = over || std::chrono::steady_clock::now() > deadline;
    for (size_t pe = 0; pe < children.size(); ++pe) {
      int status = 0;
      if (codes[pe] >= 0) {
        continue;
      }
      if (over) {
        kill(children[pe], SIGKILL);
      }
      if (waitpid(children[pe], &status, over ? 0 : WNOHANG) == children[pe]) {
        codes[pe] = over ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        --left;
      }
    }
    std::this_thread::sleep_for(2ms);
  }
  return codes;
}

uint16_t free_port() {
  uint16_t port = 0;
  const int listener = bind_listener("127.0.0.1", 0, port);
  close(listener);
  return port;
}

JobOptions options_of(int pe, int pe_count, uint16_t port, uint64_t heap_bytes) {
  JobOptions options;
  options.pe = pe;
  options.pe_count = pe_count;
  options.host = "127.0.0.1";
  options.port = port;
  options.heap_bytes = heap_bytes;
  options.timeout = 20s;
  return options;
}

}  // namespace shmem_sim::test
