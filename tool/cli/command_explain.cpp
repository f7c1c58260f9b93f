#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tool/base/text.h"
#include "tool/cli/command.h"
#include "tool/cli/every_rule.h"
#include "tool/contract/explanation.h"
#include "tool/lint/rules.h"

namespace shmem_bind::cli {
namespace {

std::string_view kind_of(const Rule& rule) {
  switch (rule.severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

// What a family of codes is about: the letter a code begins with.
std::string_view origin_of(const Rule& rule) {
  switch (rule.code.front()) {
    case 'C':
      return "the contract, docs/design.md";
    case 'H':
      return "the kernel header, compared with the contract";
    case 'N':
      return "the contract's expressions, evaluated over its cases and PE counts";
    case 'G':
      return "the contract's golden, the right answer verify compares with";
    case 'L':
      return "a tree's bindings, builds, tests and documents, by shmem-bind lint";
    default:
      return "";
  }
}

// Of a rule of lint; else empty.
std::string_view lint_reason(const Rule& rule) {
  for (const lint::LintRule& item : lint::all_rules()) {
    if (item.rule->code == rule.code) {
      return item.why;
    }
  }
  return "";
}

std::string rule_json(const Rule& rule) {
  JsonObject json;
  json.add("code", rule.code)
      .add("kind", kind_of(rule))
      .add("text", rule.text)
      .add("way_out", rule.hint)
      .add("origin", origin_of(rule));
  if (const auto* explanation = contract::explanation_of(rule)) {
    json.add("why", explanation->why)
        .add("file", explanation->file)
        .add("faulty", explanation->faulty)
        .add("repaired", explanation->repaired);
  } else {
    json.add("why", lint_reason(rule));
  }
  return json.text();
}

std::string indented(std::string_view lines) {
  std::string out;
  for (const std::string_view line : split_lines(lines)) {
    out += line.empty() ? "\n" : fmt::format("      {}\n", line);
  }
  return out;
}

// Broken at blanks, so that a terminal need not.
std::string filled(std::string_view text) {
  constexpr size_t kWidth = 90;
  std::string out;
  size_t column = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const bool breaks = column + (end - begin) > kWidth;
    out += column == 0 ? "    " : breaks ? "\n    " : " ";
    column = breaks ? 0 : column;
    out += text.substr(begin, end - begin);
    column += end - begin + 1;
    begin = end + 1;
  }
  return out + "\n";
}

std::string example_text(const Rule& rule) {
  const auto* item = contract::explanation_of(rule);
  return item == nullptr ? "\n" + filled(lint_reason(rule))
                         : fmt::format("\n{}\n    faulty, in {}:\n{}    repaired:\n{}",
                                       filled(item->why),
                                       item->file,
                                       indented(item->faulty),
                                       indented(item->repaired));
}

std::string rule_text(const Rule& rule) {
  return fmt::format("{} ({}): {}\n    way out: {}\n    found in: {}\n{}",
                     rule.code,
                     kind_of(rule),
                     rule.text,
                     rule.hint,
                     origin_of(rule),
                     example_text(rule));
}

void explain_all(Outcome& outcome) {
  std::vector<std::string> rules;
  for (const Rule* rule : every_rule()) {
    outcome.text += fmt::format("{}  {:<7}  {}\n", rule->code, kind_of(*rule), rule->text);
    rules.push_back(rule_json(*rule));
  }
  outcome.json.add_value("rules", json_list(rules));
}

void refuse(const std::string& code, Outcome& outcome) {
  std::vector<std::string> codes;
  for (const Rule* rule : every_rule()) {
    codes.emplace_back(rule->code);
  }
  const std::string near = nearest_name(code, codes);
  outcome.exit_code = kExitUsage;
  outcome.messages += fmt::format(
      "shmem-bind: there is no diagnostic '{}'{}\n    way out: shmem-bind explain "
      "lists them all\n",
      code,
      near.empty() ? "" : "; did you mean " + near + "?");
}

}  // namespace

Outcome command_explain(Environment& environment) {
  Outcome outcome;
  std::string code = environment.args.code;
  std::transform(code.begin(), code.end(), code.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  if (code.empty()) {
    explain_all(outcome);
    return outcome;
  }
  const auto rules = every_rule();
  const auto found = std::find_if(
      rules.begin(), rules.end(), [&code](const Rule* rule) { return rule->code == code; });
  if (found == rules.end()) {
    refuse(code, outcome);
    return outcome;
  }
  outcome.text = rule_text(**found);
  outcome.json.add_value("rule", rule_json(**found));
  return outcome;
}

}  // namespace shmem_bind::cli
