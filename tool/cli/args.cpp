#include "tool/cli/args.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tool/base/text.h"
#include "tool/cli/command_line.h"

namespace shmem_bind::cli {
namespace {

constexpr const char* kAbout =
    R"(Binds a SHMEM operator to PyTorch, from its contract and its kernel header, and proves the binding on several PEs.

An operator is a folder custom-ops/<op>/, or examples/<op>/ of a SHMEM source tree, with
  docs/design.md           its contract: one fenced yaml block
  src/<op>_kernel.{h,cpp}  its kernel and how it is called
A first run, without an NPU:
  shmem-bind check custom-ops/all_gather      is the contract in order, does it fit the header?
  shmem-bind run   custom-ops/all_gather      generate, build, verify on 2 and 8 PEs
)";

constexpr const char* kOutput =
    "Results go to standard output, talk to standard error; --format json gives both as one object "
    "on standard output.";

// docs/contract.md of the specification, section 6; command.h names them for the code.
const std::vector<ExitCode> kExitCodes = {
    {0, "done or skipped"},
    {1, "the tool or the machine failed"},
    {2, "usage"},
    {10, "the contract, the header or, with lint, the tree has findings"},
    {11, "the tree differs"},
    {12, "build failed"},
    {13, "verification failed"},
    {14, "evidence is missing: correctness, review, or what makes a verdict complete"},
};

// What to say when the first word is no command; CLI11 would only say that one is required.
std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
  }
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.front() == '-' ||
      std::find(names.begin(), names.end(), word) != names.end()) {
    return "";
  }
  const std::string near = nearest_name(word, names);
  return "shmem-bind: there is no command '" + word + "'" +
         (near.empty() ? "" : "; did you mean " + near + "?") + "\n    way out: one of " +
         joined(names, ", ") + "; shmem-bind --help explains them\n";
}

}  // namespace

const char* about_text() {
  return kAbout;
}

const char* output_rules() {
  return kOutput;
}

const std::vector<ExitCode>& exit_codes() {
  return kExitCodes;
}

std::string usage_footer() {
  std::string text = "\nExit codes:";
  for (const ExitCode& exit : kExitCodes) {
    text += fmt::format("\n  {:<3} {}", exit.code, exit.meaning);
  }
  return text + "\n" + kOutput;
}

std::variant<Args, Farewell> parse_args(int argc, const char* const* argv) {
  Args args;
  CLI::App app{kAbout, "shmem-bind"};
  describe_command_line(app, args);
  if (std::string complaint = unknown_command(app, argc, argv); !complaint.empty()) {
    return Farewell{2, std::move(complaint)};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream complaint;
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error, out, complaint);
    return Farewell{asked ? 0 : 2, out.str() + complaint.str()};
  }
  return args;
}

}  // namespace shmem_bind::cli
