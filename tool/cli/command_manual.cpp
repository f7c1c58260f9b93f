#include "tool/cli/command.h"
#include "tool/cli/manual.h"

namespace shmem_bind::cli {

Outcome command_man(Environment&) {
  Outcome outcome;
  outcome.text = man_page(read_manual());
  outcome.json.add("page", outcome.text);
  return outcome;
}

Outcome command_completion(Environment& environment) {
  const Manual manual = read_manual();
  const std::string& shell = environment.args.shell;
  Outcome outcome;
  outcome.text = shell == "bash"  ? bash_completion(manual)
                 : shell == "zsh" ? zsh_completion(manual)
                                  : fish_completion(manual);
  outcome.json.add("shell", shell).add("script", outcome.text);
  return outcome;
}

}  // namespace shmem_bind::cli
