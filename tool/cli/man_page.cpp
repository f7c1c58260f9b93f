#include <fmt/format.h>

#include "tool/base/text.h"
#include "tool/cli/manual.h"

namespace shmem_bind::cli {
namespace {

// Text that troff shows as it is: a backslash, a hyphen that can be searched for, and no line that
// begins like a request.
std::string plain(std::string text) {
  text = replaced(std::move(text), "\\", "\\e");
  text = replaced(std::move(text), "-", "\\-");
  if (text.starts_with('.') || text.starts_with('\'')) {
    text.insert(0, "\\&");
  }
  return text;
}

std::string bold(const std::string& text) {
  return "\\fB" + plain(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + plain(text) + "\\fR";
}

std::string option_head(const ManualOption& option) {
  std::vector<std::string> names;
  names.reserve(option.names.size());
  for (const std::string& name : option.names) {
    names.push_back(bold(name));
  }
  const std::string value =
      option.choices.empty() ? italic(option.value) : italic(joined(option.choices, "|"));
  return joined(names, ", ") + (option.value.empty() ? "" : " " + value);
}

std::string options_text(const std::vector<ManualOption>& options) {
  std::string out;
  for (const ManualOption& option : options) {
    out += fmt::format(".TP\n{}\n{}\n", option_head(option), plain(option.about));
  }
  return out;
}

std::string command_text(const ManualCommand& command) {
  std::string head = "shmem\\-bind " + plain(command.name);
  for (const ManualArgument& argument : command.arguments) {
    head += argument.is_required ? " " + italic(argument.name) : " [" + italic(argument.name) + "]";
  }
  std::string out = fmt::format(".SS \"{}\"\n{}\n", head, plain(command.about));
  for (const ManualArgument& argument : command.arguments) {
    out += fmt::format(".TP\n{}\n{}\n", italic(argument.name), plain(argument.about));
  }
  std::vector<ManualOption> options = command.options;
  std::erase_if(options, [](const ManualOption& option) {
    return option.names.back() == "--help";  // OPTIONS says it for all
  });
  return out + options_text(options);
}

// Indented lines keep their shape, the others are filled.
std::string about_lines(const std::string& about) {
  std::string out;
  bool shaped = false;
  for (const std::string_view line : split_lines(about)) {
    const bool indented = line.starts_with(' ');
    if (indented != shaped) {
      out += indented ? ".nf\n" : ".fi\n";
      shaped = indented;
    }
    out += line.empty() ? ".PP\n" : plain(std::string(line)) + "\n";
  }
  return out + (shaped ? ".fi\n" : "");
}

}  // namespace

std::string man_page(const Manual& manual) {
  std::string out = fmt::format(
      ".\\\" Written by shmem-bind man.\n"
      ".TH SHMEM\\-BIND 1 \"\" \"shmem\\-bind {}\" \"User Commands\"\n"
      ".SH NAME\nshmem\\-bind \\- bind SHMEM operators to PyTorch and prove the bindings\n"
      ".SH SYNOPSIS\n\\fBshmem\\-bind\\fR \\fIcommand\\fR [\\fIoptions\\fR] [\\fIargument\\fR]\n"
      ".SH DESCRIPTION\n",
      plain(manual.version));
  out += about_lines(manual.about);
  out += ".SH OPTIONS\n" + options_text(manual.options);
  out += ".SH COMMANDS\n";
  for (const ManualCommand& command : manual.commands) {
    out += command_text(command);
  }
  out += ".SH OUTPUT\n" + plain(manual.output_rules) + "\n.SH EXIT STATUS\n";
  for (const ExitCode& exit : manual.exit_codes) {
    out += fmt::format(".TP\n\\fB{}\\fR\n{}\n", exit.code, plain(exit.meaning));
  }
  return out;
}

}  // namespace shmem_bind::cli
