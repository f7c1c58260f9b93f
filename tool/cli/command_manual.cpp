#include "tool/cli/command.h"
#include "tool/cli/manual.h"

namespace shmem_bind::cli {

Outcome command_man(Environment&) {
  Outcome outcome;
  outcome.text = man_page(read_manual());
  return outcome;
}

Outcome command_completion(Environment& environment) {
  const Manual manual = read_manual();
  const std::string& shell = environment.args.shell;
  Outcome outcome;
  outcome.text = shell == "bash"  ? bash_completion(manual)
                 : shell == "zsh" ? zsh_completion(manual)
                                  : fish_completion(manual);
  return outcome;
}

}  // namespace shmem_bind::cli
