#include <fmt/format.h>

#include <map>

#include "tool/base/text.h"
#include "tool/cli/manual.h"

// One renderer per shell; each script stands alone and asks shmem-bind nothing while a person
// types.

namespace shmem_bind::cli {
namespace {

// Within '...' of a POSIX-like shell.
std::string quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

bool takes_path(const ManualOption& option) {
  return option.value == "PATH";
}

std::vector<std::string> names_of(const std::vector<ManualOption>& options) {
  std::vector<std::string> names;
  for (const ManualOption& option : options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// What stands behind an option, said once for all commands that have it.
std::string bash_values(const Manual& manual) {
  std::map<std::string, std::string> replies;
  for (const ManualCommand& command : manual.commands) {
    for (const ManualOption& option : command.options) {
      if (!option.value.empty()) {
        const std::string reply = !option.choices.empty()
                                      ? fmt::format("-W \"{}\"", joined(option.choices, " "))
                                  : takes_path(option) ? "-f"
                                                       : "-W \"\"";
        replies[joined(option.names, "|")] = reply;
      }
    }
  }
  std::string out;
  for (const auto& [names, reply] : replies) {
    out += fmt::format(
        "        {}) mapfile -t COMPREPLY < <(compgen {} -- \"${{current}}\"); return ;;\n",
        names,
        reply);
  }
  return out;
}

std::string bash_commands(const Manual& manual) {
  std::string out;
  for (const ManualCommand& command : manual.commands) {
    std::string choices = "-W \"\"";
    for (const ManualArgument& argument : command.arguments) {
      choices =
          argument.choices.empty() ? "-f" : fmt::format("-W \"{}\"", joined(argument.choices, " "));
    }
    out += fmt::format("        {}) options=\"{}\"; arguments=({}) ;;\n",
                       command.name,
                       joined(names_of(command.options), " "),
                       choices);
  }
  return out;
}

// In _arguments and _describe a ':' separates and brackets enclose.
std::string zsh_text(const std::string& text) {
  std::string out = replaced(text, "\\", "\\\\");
  for (const char* special : {":", "[", "]"}) {
    out = replaced(out, special, std::string("\\") + special);
  }
  return out;
}

std::string zsh_action(const std::vector<std::string>& choices, bool is_path) {
  return !choices.empty() ? "(" + joined(choices, " ") + ")" : is_path ? "_files" : " ";
}

std::string zsh_option(const ManualOption& option) {
  std::string value;
  if (!option.value.empty()) {
    value = fmt::format(
        ":{}:{}", zsh_text(option.value), zsh_action(option.choices, takes_path(option)));
  }
  // One of several spellings is enough: each excludes the others.
  const std::string others =
      option.names.size() > 1 ? fmt::format("({})", joined(option.names, " ")) : "";
  std::string out;
  for (const std::string& name : option.names) {
    out +=
        fmt::format(" \\\n                {}",
                    quoted(fmt::format("{}{}[{}]{}", others, name, zsh_text(option.about), value)));
  }
  return out;
}

std::string zsh_command(const ManualCommand& command) {
  std::string out = fmt::format("        {})\n            _arguments", command.name);
  for (const ManualOption& option : command.options) {
    out += zsh_option(option);
  }
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const ManualArgument& argument = command.arguments[i];
    out += fmt::format(
        " \\\n                {}",
        quoted(fmt::format(
            "{}:{}:{}", i + 1, zsh_text(argument.name), zsh_action(argument.choices, true))));
  }
  return out + "\n            ;;\n";
}

// Within '...' fish knows \' and \\.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const std::string& command, const ManualOption& option) {
  std::string out =
      fmt::format("complete -c shmem-bind -n '__fish_seen_subcommand_from {}'", command);
  for (const std::string& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    out += " -x -a " + fish_quoted(joined(option.choices, " "));
  } else if (!option.value.empty()) {
    out += takes_path(option) ? " -r -F" : " -x";
  }
  return out + " -d " + fish_quoted(option.about) + "\n";
}

std::string fish_arguments(const ManualCommand& command) {
  std::string out;
  for (const ManualArgument& argument : command.arguments) {
    out += fmt::format(
        "complete -c shmem-bind -n '__fish_seen_subcommand_from {}' {}\n",
        command.name,
        argument.choices.empty() ? "-F" : "-f -a " + fish_quoted(joined(argument.choices, " ")));
  }
  return out;
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  std::vector<std::string> names;
  for (const ManualCommand& command : manual.commands) {
    names.push_back(command.name);
  }
  return fmt::format(
      R"(# bash completion, written by shmem-bind completion bash. Source it, or keep it as
# ~/.local/share/bash-completion/completions/shmem-bind.
_shmem_bind() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="${{COMP_WORDS[1]}}" options="" arguments=()
    if [ "${{COMP_CWORD}}" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "{} {}" -- "${{current}}")
        return
    fi
    compopt -o filenames 2>/dev/null
    case "${{previous}}" in
{}    esac
    case "${{command}}" in
{}        *) return ;;
    esac
    if [[ "${{current}}" == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${{options}}" -- "${{current}}")
    else
        mapfile -t COMPREPLY < <(compgen "${{arguments[@]}}" -- "${{current}}")
    fi
}}
complete -F _shmem_bind shmem-bind
)",
      joined(names, " "),
      joined(names_of(manual.options), " "),
      bash_values(manual),
      bash_commands(manual));
}

std::string zsh_completion(const Manual& manual) {
  std::string list;
  std::string cases;
  for (const ManualCommand& command : manual.commands) {
    list += fmt::format("        {}\n", quoted(command.name + ":" + zsh_text(command.about)));
    cases += zsh_command(command);
  }
  return fmt::format(R"(#compdef shmem-bind
# zsh completion, written by shmem-bind completion zsh. Keep it as _shmem-bind in a folder of fpath,
# or source it after compinit.
_shmem_bind() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    local command="${{words[2]}}"
    shift words
    (( CURRENT-- ))
    case "${{command}}" in
{}    esac
}}
if [ "${{funcstack[1]}}" = "_shmem-bind" ]; then
    _shmem_bind "$@"
else
    compdef _shmem_bind shmem-bind
fi
)",
                     list,
                     cases);
}

std::string fish_completion(const Manual& manual) {
  std::string out =
      "# fish completion, written by shmem-bind completion fish. Keep it as\n"
      "# ~/.config/fish/completions/shmem-bind.fish.\n"
      "complete -c shmem-bind -f\n";
  for (const ManualCommand& command : manual.commands) {
    out += fmt::format("complete -c shmem-bind -n __fish_use_subcommand -a {} -d {}\n",
                       command.name,
                       fish_quoted(command.about));
  }
  for (const ManualCommand& command : manual.commands) {
    for (const ManualOption& option : command.options) {
      out += fish_option(command.name, option);
    }
    out += fish_arguments(command);
  }
  return out;
}

}  // namespace shmem_bind::cli
