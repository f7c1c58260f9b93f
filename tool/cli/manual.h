#pragma once

#include <string>
#include <vector>

// The command line as data, taken from the same description that parses it and prints --help: what
// the man page and the shells' completions are made of.

namespace shmem_bind::cli {

struct ManualOption {
  std::vector<std::string> names;    // "-v", "--verbose"
  std::string value;                 // what it takes: PATH, INT, …; empty: a flag
  std::vector<std::string> choices;  // the only values, when they are listed
  std::string about;
};

struct ManualArgument {
  std::string name;
  bool is_required = false;
  std::vector<std::string> choices;  // empty: a path
  std::string about;
};

struct ManualCommand {
  std::string name;
  std::string about;
  std::vector<ManualArgument> arguments;
  std::vector<ManualOption> options;
};

struct ExitCode {
  int code;
  const char* meaning;
};

struct Manual {
  std::string version;
  std::string about;  // lines; indented ones stay as they are
  std::string output_rules;
  std::vector<ManualOption> options;  // before a command
  std::vector<ManualCommand> commands;
  std::vector<ExitCode> exit_codes;
};

Manual read_manual();

std::string man_page(const Manual& manual);  // troff, for man(1)
std::string bash_completion(const Manual& manual);
std::string zsh_completion(const Manual& manual);
std::string fish_completion(const Manual& manual);

}  // namespace shmem_bind::cli
