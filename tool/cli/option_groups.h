#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tool/cli/args.h"

// Options that several commands have, in groups: what they set in `args`, and what --help says.

namespace shmem_bind::cli {

// An option that takes names with commas between them.
void add_names(CLI::App* command,
               const std::string& name,
               std::vector<std::string>& names,
               const std::string& about);

void add_gate(CLI::App* command, Args& args);          // going on without evidence
void add_writing(CLI::App* command, Args& args);       // of files into the tree
void add_roots(CLI::App* command, Args& args);         // CANN, SHMEM, Python
void add_target(CLI::App* command, Args& args);        // roots, and how to build with them
void add_verification(CLI::App* command, Args& args);  // what of the plan is run
void add_junit(CLI::App* command, Args& args);
void add_reports(CLI::App* command, Args& args);  // JUnit, and the language of the text
void add_verdict(CLI::App* command, Args& args);  // the file, and where its operator lies

}  // namespace shmem_bind::cli
