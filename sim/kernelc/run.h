#pragma once

#include <string>
#include <vector>

namespace shmem_sim::kernelc {

struct RunResult {
  int exit_code = 0;   // 128 + signal when it died from one
  std::string output;  // standard output, when captured
};

// Runs a program found on PATH; standard error passes through. `input` is fed to its standard
// input.
RunResult run(const std::vector<std::string>& command, const std::string& input, bool capture);

// Replaces this process. Returns only when the program cannot be started.
int replace_by(const std::vector<std::string>& command);

// Folder of the toolkit this program lies in (bin/ or compiler/bin/), empty when it lies elsewhere.
std::string toolkit_root();

bool file_exists(const std::string& path);
bool write_file(const std::string& path, const std::string& text);
std::string environment(const char* name, const std::string& fallback);

}  // namespace shmem_sim::kernelc
