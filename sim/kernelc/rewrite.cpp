#include "sim/kernelc/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/kernelc/tokens.h"

namespace shmem_sim::kernelc {
namespace {

constexpr std::string_view kUbuf = "__shmem_sim_ubuf__";
constexpr std::string_view kGlobal = "__shmem_sim_global__";

bool is_marker_word(std::string_view text) {
  static const std::set<std::string_view> words = {
      kUbuf, kGlobal, "__shmem_sim_gm__", "__shmem_sim_cbuf__", "__shmem_sim_aicore__"};
  return words.contains(text);
}

// A launch: the callee is [callee, open), the configuration (open, close), where close is the first
// of three `>`.
struct Launch {
  size_t callee = 0;
  size_t open = 0;
  size_t close = 0;
};

class Rewriter {
 public:
  Rewriter(std::string_view source, bool vector_only)
      : tokens_(tokenize(source)), list_(tokens_.list), vector_only_(vector_only) {}

  Rewritten run() {
    find_kernels();
    find_aliases();
    find_launches();
    Rewritten result;
    result.text = range(0, list_.size());
    result.problems = std::move(problems_);
    return result;
  }

 private:
  // --- walking ---
  bool blank(size_t i) const {
    return list_[i].kind == Token::Kind::kSpace || list_[i].kind == Token::Kind::kMarker;
  }
  size_t next(size_t i) const {
    do {
      ++i;
    } while (i < list_.size() && blank(i));
    return i;
  }
  // The significant token before i, or kNone.
  size_t before(size_t i) const {
    while (i-- > 0) {
      if (!blank(i)) {
        return i;
      }
    }
    return kNone;
  }
  bool is(size_t i, std::string_view text) const {
    return i < list_.size() && list_[i].text == text;
  }

  // The token that closes the bracket at i; list end when there is none.
  size_t closing(size_t i, std::string_view open, std::string_view close) const {
    int depth = 0;
    for (; i < list_.size(); ++i) {
      depth += list_[i].text == open ? 1 : 0;
      depth -= list_[i].text == close ? 1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return list_.size();
  }

  void problem(size_t i, std::string text) {
    problems_.push_back(
        {tokens_.files[static_cast<size_t>(list_[i].file)], list_[i].line, std::move(text)});
  }

  // --- what the file declares ---

  bool is_core_ratio(size_t i) const {
    const size_t second = next(i);
    return is(i, "[") && is(second, "[") && is(next(second), "bisheng");
  }

  // Kernels and whether their declaration says core_ratio(0, n): vector cores only.
  void find_kernels() {
    size_t start = 0;  // of the declaration
    for (size_t i = 0; i < list_.size(); ++i) {
      const std::string_view text = list_[i].text;
      if (text == ";" || text == "{" || text == "}") {
        start = i + 1;
      } else if (text == kGlobal) {
        declare_kernel(start, i);
      }
    }
  }

  void declare_kernel(size_t start, size_t marker) {
    bool vector = false;
    size_t end = marker;
    while (end < list_.size() && !is(end, "(")) {
      if (is(end, "[") && is_core_ratio(end)) {
        end = closing(end, "[", "]");
      }
      end = next(end);
    }
    for (size_t i = start; i < end; ++i) {
      if (is(i, "core_ratio")) {
        const size_t first = next(next(i));
        vector = vector || is(first, "0");
      }
    }
    const size_t name = before(end);
    if (name != kNone && list_[name].kind == Token::Kind::kIdentifier) {
      kernels_[std::string(list_[name].text)] = vector || vector_only_;
    }
  }

  // using P = __ubuf__ T*;   typedef __ubuf__ T* P;
  void find_aliases() {
    for (size_t i = 0; i < list_.size(); ++i) {
      if (!is(i, "using") && !is(i, "typedef")) {
        continue;
      }
      size_t end = i;
      bool ubuf = false;
      while (end < list_.size() && !is(end, ";")) {
        ubuf = ubuf || is(end, kUbuf);
        ++end;
      }
      const size_t name = is(i, "using") ? next(i) : before(end);
      if (ubuf && name < list_.size() && list_[name].kind == Token::Kind::kIdentifier) {
        aliases_.insert(list_[name].text);
      }
    }
  }

  // --- launches ---

  void find_launches() {
    for (size_t i = 0; i < list_.size(); ++i) {
      if (!is(i, "<<<")) {
        continue;
      }
      const size_t callee = callee_start(i);
      const size_t close = launch_close(i);
      if (callee == kNone || close == list_.size()) {
        problem(i, "'<<<' that is not a kernel launch: kernel<<<blocks, l2, stream>>>(arguments)");
        continue;
      }
      launches_[callee] = {callee, i, close};
      check_ratio(i);
    }
  }

  // Last identifier of the callee, without template arguments.
  size_t callee_name(size_t open) const {
    size_t i = before(open);
    return i != kNone && is(i, ">") ? before(template_start(i)) : i;
  }

  // The `<` that opens the template argument list closed at i.
  size_t template_start(size_t i) const {
    int angles = 0;
    int parens = 0;
    for (size_t at = i + 1; at-- > 0;) {
      const std::string_view text = list_[at].text;
      parens += text == ")" || text == "]" ? 1 : 0;
      parens -= text == "(" || text == "[" ? 1 : 0;
      if (parens == 0) {
        angles += text == ">" ? 1 : 0;
        angles -= text == "<" ? 1 : 0;
        if (angles == 0) {
          return at;
        }
      }
    }
    return 0;
  }

  // Backwards over names, scopes and templates.
  size_t callee_start(size_t open) const {
    const size_t name = callee_name(open);
    if (name == kNone) {
      return kNone;
    }
    if (is(name, ")")) {
      const size_t start = parenthesis_start(name);
      return start != kNone ? start : scope_start(name);
    }
    return list_[name].kind == Token::Kind::kIdentifier ? scope_start(name) : kNone;
  }

  // The "(" that belongs to the ")" at `close`.
  size_t parenthesis_start(size_t close) const {
    int depth = 0;
    for (size_t at = close + 1; at-- > 0;) {
      depth += is(at, ")") ? 1 : 0;
      depth -= is(at, "(") ? 1 : 0;
      if (depth == 0) {
        return at;
      }
    }
    return kNone;
  }

  // Where a name begins with its scopes: of a::b<T>::c the a, of ::c the "::".
  size_t scope_start(size_t name) const {
    size_t i = name;
    for (;;) {
      const size_t colons = before(i);
      if (colons == kNone || !is(colons, "::")) {
        return i;
      }
      const size_t scope = before(colons);
      const bool named =
          scope != kNone && list_[scope].kind == Token::Kind::kIdentifier && !is(scope, "return");
      const bool templated = scope != kNone && is(scope, ">");
      if (!named && !templated) {
        return colons;
      }
      i = templated ? before(template_start(scope)) : scope;
    }
  }

  size_t launch_close(size_t open) const {
    int depth = 0;
    for (size_t i = open + 1; i + 2 < list_.size(); ++i) {
      const std::string_view text = list_[i].text;
      depth += text == "(" || text == "[" || text == "{" ? 1 : 0;
      depth -= text == ")" || text == "]" || text == "}" ? 1 : 0;
      if (depth == 0 && text == ">" && is(i + 1, ">") && is(i + 2, ">") && is(next(i + 2), "(")) {
        return i;
      }
      if (depth < 0 || text == ";") {
        break;
      }
    }
    return list_.size();
  }

  void check_ratio(size_t open) {
    const size_t name = callee_name(open);
    const auto kernel = kernels_.find(std::string(list_[name].text));
    if (kernel != kernels_.end() && !kernel->second) {
      problem(open,
              fmt::format("kernel '{}' has no [[bisheng::core_ratio(0, 1)]]: it would run on cube "
                          "and vector cores (MIX), "
                          "which the simulated CANN does not model; add the attribute, or compile "
                          "for a vector-only "
                          "architecture (dav-c220-vec)",
                          kernel->first));
    }
  }

  static std::string literal(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
      }
      if (c != '\n') {
        out += c;
      }
    }
    return out;
  }

  // Emits `::shmem_sim::kernel_launch(callee, "callee", "file", line, configuration)`; the
  // arguments follow in the text.
  size_t emit_launch(const Launch& launch, std::string& out) {
    const std::string callee = range(launch.callee, launch.open);
    std::string name = callee;
    std::erase_if(name, [](char c) { return c == '\n' || c == ' '; });
    const Token& place = list_[launch.open];
    out += fmt::format("::shmem_sim::kernel_launch({}, \"{}\", \"{}\", {}, {})",
                       callee,
                       literal(name),
                       literal(tokens_.files[static_cast<size_t>(place.file)]),
                       place.line,
                       range(launch.open + 1, launch.close));
    return launch.close + 3;
  }

  // --- casts ---

  // [begin, end) names a pointer to the unified buffer.
  bool names_ub_pointer(size_t begin, size_t end) const {
    bool ubuf = false;
    size_t last = kNone;
    size_t words = 0;
    for (size_t i = begin; i < end; ++i) {
      if (blank(i)) {
        continue;
      }
      if (is(i, ",") || is(i, "(")) {
        return false;
      }
      ubuf = ubuf || is(i, kUbuf) || aliases_.contains(list_[i].text);
      last = i;
      words += list_[i].text == "const" || list_[i].text == "volatile" ? 0 : 1;
    }
    return ubuf && last != kNone &&
           (is(last, "*") || (words == 1 && aliases_.contains(list_[last].text)));
  }

  bool starts_operand(size_t i) const {
    if (i >= list_.size()) {
      return false;
    }
    const Token& token = list_[i];
    return token.kind == Token::Kind::kIdentifier || token.kind == Token::Kind::kNumber ||
           is(i, "(") || is(i, "*") || is(i, "&") || is(i, "-") || is(i, "~") || is(i, "+") ||
           is(i, "!");
  }

  // Behind the last token of the cast's operand, which starts at i.
  size_t operand_end(size_t i) const {
    while (is(i, "*") || is(i, "&") || is(i, "-") || is(i, "~") || is(i, "+") || is(i, "!")) {
      i = next(i);
    }
    size_t end = i;
    if (is(i, "(")) {
      end = closing(i, "(", ")");
      const size_t behind = next(end);
      if (is_cast(i, end) && starts_operand(behind) && !is(behind, "*") && !is(behind, "&") &&
          !is(behind, "-") && !is(behind, "+")) {
        return operand_end(behind);
      }
    } else {
      while (is(next(end), "::")) {
        end = next(next(end));
      }
      if (is(end, "static_cast") || is(end, "reinterpret_cast") || is(end, "const_cast")) {
        end = closing(next(end), "<", ">");
      }
    }
    return postfix_end(end);
  }

  // A parenthesis that can only be a cast: (T*), (uint64_t) before an operand.
  bool is_cast(size_t open, size_t close) const {
    const size_t last = before(close);
    return last != kNone && last > open &&
           (is(last, "*") || (next(open) == last && list_[last].text.size() > 2 &&
                              list_[last].text.ends_with("_t")));
  }

  size_t postfix_end(size_t end) const {
    for (;;) {
      const size_t behind = next(end);
      if (is(behind, "(")) {
        end = closing(behind, "(", ")");
      } else if (is(behind, "[")) {
        end = closing(behind, "[", "]");
      } else if (is(behind, ".") || is(behind, "->")) {
        end = next(behind);
      } else {
        return end + 1;
      }
    }
  }

  // A line marker must start its line: it stands inside a cast where a qualifier is the macro of a
  // system header.
  std::string type_text(size_t begin, size_t end) {
    std::string text = range(begin, end);
    text.erase(0, text.find_first_not_of(" \n"));
    return text.starts_with('#') ? "\n" + text : text;
  }

  // A C cast at i: returns behind it and emits, or returns i.
  size_t emit_c_cast(size_t i, size_t end, std::string& out) {
    const size_t close = closing(i, "(", ")");
    const size_t operand = close < end ? next(close) : end;
    if (operand >= end || !names_ub_pointer(i + 1, close) || !starts_operand(operand)) {
      return i;
    }
    const size_t behind = std::min(operand_end(operand), end);
    out += fmt::format(
        "::shmem_sim::ub_cast<{}>({})", type_text(i + 1, close), range(operand, behind));
    return behind;
  }

  size_t emit_named_cast(size_t i, std::string& out) {
    const size_t open = next(i);
    const size_t close = is(open, "<") ? closing(open, "<", ">") : list_.size();
    if (close >= list_.size() || !names_ub_pointer(open + 1, close)) {
      return i;
    }
    out += fmt::format("::shmem_sim::ub_cast<{}>", type_text(open + 1, close));
    return close + 1;
  }

  // --- output ---

  std::string range(size_t begin, size_t end) {
    std::string out;
    for (size_t i = begin; i < end;) {
      const Token& token = list_[i];
      size_t behind = i;
      const auto launch = launches_.find(i);
      if (launch != launches_.end() && launch->second.close < end && open_launch_ != i) {
        open_launch_ = i;  // its own callee starts here again
        behind = emit_launch(launch->second, out);
      } else if (is(i, "(")) {
        behind = emit_c_cast(i, end, out);
      } else if (is(i, "reinterpret_cast") || is(i, "static_cast")) {
        behind = emit_named_cast(i, out);
      } else if (is(i, "[") && is_core_ratio(i)) {
        behind = closing(i, "[", "]") + 1;
      } else if (is_marker_word(token.text)) {
        behind = i + 1;
      }
      if (behind == i) {
        out += token.text;
        behind = i + 1;
      }
      i = behind;
    }
    return out;
  }

  static constexpr size_t kNone = static_cast<size_t>(-1);

  Tokens tokens_;
  const std::vector<Token>& list_;
  bool vector_only_;
  std::map<std::string, bool> kernels_;
  std::set<std::string_view> aliases_;
  std::map<size_t, Launch> launches_;
  size_t open_launch_ = kNone;
  std::vector<Problem> problems_;
};

}  // namespace

Rewritten rewrite(std::string_view preprocessed, bool vector_only) {
  return Rewriter(preprocessed, vector_only).run();
}

}  // namespace shmem_sim::kernelc
