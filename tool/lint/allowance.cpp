#include "tool/lint/allowance.h"

#include <algorithm>
#include <set>

#include "tool/base/text.h"
#include "tool/lint/checks.h"
#include "tool/lint/errors.h"

namespace shmem_bind::lint {
namespace {

constexpr std::string_view kWord = "shmem-bind: allow(";

// The comment's begin directly in front of the word; npos: there is none.
size_t comment_begin(std::string_view line, size_t word) {
  for (const std::string_view mark : {"//", "#", "<!--"}) {
    const size_t at = line.substr(0, word).rfind(mark);
    if (at != std::string_view::npos &&
        trimmed(line.substr(at + mark.size(), word - at - mark.size())).empty()) {
      return at;
    }
  }
  return std::string_view::npos;
}

std::vector<std::string> codes_in(std::string_view text) {
  std::vector<std::string> codes;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || text[at] == ',') {
      codes.emplace_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  return codes;
}

std::string reason_in(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.ends_with("-->")) {
    rest = trimmed(rest.substr(0, rest.size() - 3));
  }
  return rest.starts_with(":") ? std::string(trimmed(rest.substr(1))) : "";
}

bool allows(const Allowance& item, const Diagnostic& diagnostic) {
  const Span& span = diagnostic.span;
  return !item.reason.empty() && span.source == item.span.source && span.begin >= item.begin &&
         span.begin < item.end &&
         std::find(item.codes.begin(), item.codes.end(), diagnostic.rule->code) != item.codes.end();
}

// The words of an allowance in a text of the program are no comment.
bool is_in_a_string(const Tree& tree, const Span& span) {
  for (const File<CppFile>& file : tree.cpp) {
    for (const CppToken& token : file.facts.tokens) {
      if (file.source == span.source && token.is_literal && token.begin < span.begin &&
          span.begin < token.end) {
        return true;
      }
    }
  }
  return std::any_of(tree.python.begin(), tree.python.end(), [&](const auto& file) {
    const auto& strings = file.facts.strings;
    return file.source == span.source &&
           std::any_of(strings.begin(), strings.end(), [&](const PythonName& text) {
             return text.place.begin < span.begin && span.begin < text.place.end;
           });
  });
}

}  // namespace

std::vector<Allowance> read_allowances(const std::string& text, int source) {
  std::vector<Allowance> found;
  if (text.find(kWord) == std::string::npos) {
    return found;
  }
  for (const std::string_view line : split_lines(text)) {
    const size_t word = line.find(kWord);
    const size_t mark = word == std::string_view::npos ? word : comment_begin(line, word);
    const size_t close = mark == std::string_view::npos ? mark : line.find(')', word);
    if (close == std::string_view::npos) {
      continue;
    }
    const auto begin = static_cast<size_t>(line.data() - text.data());
    const size_t open = word + kWord.size();
    size_t end = begin + line.size();
    if (trimmed(line.substr(0, mark)).empty()) {  // alone on its line: it is about the next one
      end = std::min(text.find('\n', std::min(end + 1, text.size())), text.size());
    }
    found.push_back({{source, begin + mark, begin + line.size()},
                     begin,
                     end,
                     codes_in(line.substr(open, close - open)),
                     reason_in(line.substr(close + 1))});
  }
  return found;
}

std::vector<Diagnostic> without_allowed(const Tree& tree,
                                        std::vector<Diagnostic> found,
                                        size_t& allowed) {
  std::set<std::pair<const Allowance*, std::string_view>> used;
  std::erase_if(found, [&](const Diagnostic& diagnostic) {
    bool is_allowed = false;
    for (const Allowance& item : tree.allowances) {
      if (allows(item, diagnostic)) {
        used.emplace(&item, diagnostic.rule->code);
        is_allowed = true;
      }
    }
    allowed += is_allowed ? 1 : 0;
    return is_allowed;
  });
  for (const Allowance& item : tree.allowances) {
    for (const std::string& code : item.codes) {
      if (!item.reason.empty() && !used.contains({&item, code}) &&
          !is_in_a_string(tree, item.span)) {
        found.push_back({&kUnusedAllowance, item.span, code, {}});
      }
    }
  }
  return found;
}

void check_allowances(const Tree& tree, Diagnostics& diagnostics) {
  for (const Allowance& item : tree.allowances) {
    if (item.reason.empty() && !is_in_a_string(tree, item.span)) {
      diagnostics.add(kNoReason, item.span, joined(item.codes, ", "));
    }
  }
}

}  // namespace shmem_bind::lint
