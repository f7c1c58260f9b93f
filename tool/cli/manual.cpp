#include "tool/cli/manual.h"

#include "tool/binding/file_set.h"
#include "tool/cli/command_line.h"
#include "tool/cli/every_rule.h"

namespace shmem_bind::cli {
namespace {

// "TEXT:{text,json}" -> TEXT
std::string value_name(const std::string& type) {
  return type.substr(0, type.find(':'));
}

// "TEXT:{text,json}" -> text, json
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const size_t open = type.find('{');
  const size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) {
    return choices;
  }
  for (size_t begin = open + 1; begin < close;) {
    const size_t end = std::min(type.find(',', begin), close);
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

ManualOption read_option(const CLI::Option& option) {
  ManualOption read;
  for (const std::string& name : option.get_snames()) {
    read.names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    read.names.push_back("--" + name);
  }
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) {
    read.value = value_name(type);
    read.choices = choices_in(type);
  }
  read.about = option.get_description();
  return read;
}

ManualArgument read_argument(const CLI::Option& option) {
  ManualArgument read;
  read.name = option.get_name(true);
  read.is_required = option.get_required();
  read.choices = choices_in(option.get_type_name());
  read.about = option.get_description();
  return read;
}

ManualCommand read_command(const CLI::App& app) {
  ManualCommand command{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.arguments.push_back(read_argument(*option));
    } else {
      command.options.push_back(read_option(*option));
    }
  }
  return command;
}

}  // namespace

Manual read_manual() {
  Args args;
  CLI::App app{about_text(), "shmem-bind"};
  describe_command_line(app, args);
  Manual manual;
  manual.version = binding::kToolVersion;
  manual.about = about_text();
  manual.output_rules = output_rules();
  manual.exit_codes = exit_codes();
  manual.options = read_command(app).options;
  for (const CLI::App* command : app.get_subcommands({})) {
    manual.commands.push_back(read_command(*command));
    for (ManualArgument& argument : manual.commands.back().arguments) {
      if (argument.name == "code") {
        for (const Rule* rule : every_rule()) {
          argument.choices.emplace_back(rule->code);
        }
      }
    }
  }
  return manual;
}

}  // namespace shmem_bind::cli
