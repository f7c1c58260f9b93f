#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tool/cli/args.h"
#include "tool/cli/manual.h"

namespace shmem_bind::cli {

// All commands with their options; what `app` then parses goes to `args`.
void describe_command_line(CLI::App& app, Args& args);

// Parts of the description that CLI11 keeps as one text.
const char* about_text();
const char* output_rules();
std::string usage_footer();  // exit codes and output_rules, below --help
const std::vector<ExitCode>& exit_codes();

}  // namespace shmem_bind::cli
