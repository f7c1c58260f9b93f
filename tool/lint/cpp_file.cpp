#include "tool/lint/cpp_file.h"

#include <algorithm>

#include "tool/lint/cpp_lexer.h"

namespace shmem_bind::lint {
namespace {

bool opens(const std::string& text) {
  return text == "(" || text == "[" || text == "{";
}

bool closes(const std::string& text) {
  return text == ")" || text == "]" || text == "}";
}

// Walks over what stands at namespace and class scope and notes classes and functions.
class Outline {
 public:
  explicit Outline(CppFile& file) : file_(file) {}

  void read() { read_scope({0, file_.tokens.size()}, ""); }

 private:
  void read_scope(CppRange scope, const std::string& owner) {
    size_t begin = scope.begin;
    for (size_t at = scope.begin; at < scope.end; ++at) {
      const std::string& text = file_.text(at);
      if (text == ";" || text == "}" || (text == ":" && is_access(at))) {
        begin = at + 1;
      } else if (text == "(" || text == "[") {
        at = file_.closing(at);
      } else if (text == "{") {
        const size_t close = file_.closing(at);
        if (is_initialiser(begin, at)) {
          at = close;
          continue;
        }
        read_block(begin, at, close, owner);
        begin = close + 1;
        at = close;
      }
    }
  }

  bool is_access(size_t colon) const {
    const std::string& word = file_.text(colon - 1);
    return colon > 0 && (word == "public" || word == "private" || word == "protected");
  }

  // Behind the `>` that closes the template parameters at `open`.
  size_t behind_parameters(size_t open, size_t end) const {
    int depth = 0;
    for (size_t at = open; at < end; ++at) {
      const std::string& text = file_.text(at);
      depth += text == "<" ? 1 : text == ">" ? -1 : text == ">>" ? -2 : 0;
      if (depth <= 0) {
        return at + 1;
      }
    }
    return end;
  }

  // Behind `template <…>` and attributes.
  size_t declaration_begin(size_t begin, size_t end) const {
    while (begin < end) {
      if (file_.is(begin, "template") && file_.is(begin + 1, "<")) {
        begin = behind_parameters(begin + 1, end);
      } else if (file_.is(begin, "[") && file_.is(begin + 1, "[")) {
        begin = file_.closing(begin) + 1;
      } else {
        break;
      }
    }
    return begin;
  }

  // The first `(` that is not an attribute's, or `end`.
  size_t parameters_of(size_t begin, size_t end) const {
    for (size_t at = begin; at < end; ++at) {
      if (file_.is(at, "(") && at > begin) {
        return at;
      }
    }
    return end;
  }

  // `member_{…}` in a constructor's list, or `= {…}`, `name{…}` of a variable.
  bool is_initialiser(size_t begin, size_t open) const {
    const size_t start = declaration_begin(begin, open);
    const size_t parameters = parameters_of(start, open);
    if (parameters == open) {
      return false;
    }
    const size_t behind = file_.closing(parameters) + 1;
    bool has_list = false;
    for (size_t at = behind; at < open; ++at) {
      if (file_.is(at, "(") || file_.is(at, "{")) {
        at = file_.closing(at);
      } else if (file_.is(at, ":")) {
        has_list = true;
      }
    }
    return has_list && (file_.tokens[open - 1].is_name || file_.is(open - 1, ">"));
  }

  void read_block(size_t begin, size_t open, size_t close, const std::string& owner) {
    const size_t start = declaration_begin(begin, open);
    const std::string& first = file_.text(start);
    if (first == "namespace" || first == "inline" || first == "extern" || start == open) {
      const bool is_function = parameters_of(start, open) != open;
      return is_function ? add_function(start, open, close, owner)
                         : read_scope({open + 1, close}, owner);
    }
    if (first == "class" || first == "struct" || first == "union") {
      return add_class(start, open, close);
    }
    add_function(start, open, close, owner);
  }

  void add_class(size_t start, size_t open, size_t close) {
    size_t colon = start;
    while (colon < open && !file_.is(colon, ":")) {
      ++colon;
    }
    size_t name = colon - 1;
    if (file_.is(name, "final")) {
      --name;
    }
    file_.classes.push_back({file_.text(name), name, {colon, open}, {open + 1, close}});
    read_scope({open + 1, close}, file_.text(name));
  }

  void add_function(size_t start, size_t open, size_t close, const std::string& owner) {
    const size_t parameters = parameters_of(start, open);
    if (parameters == open || !file_.tokens[parameters - 1].is_name) {
      return;
    }
    const size_t name = parameters - 1;
    CppFunction function{owner, file_.text(name), name, false, {}, {}};
    size_t front = name;
    if (file_.is(front - 1, "~")) {
      function.is_destructor = true;
      --front;
    }
    if (front >= 2 && file_.is(front - 1, "::")) {
      function.owner = file_.text(front - 2);
    }
    const size_t end = file_.closing(parameters);
    function.parameters = {parameters + 1, end};
    function.body = {end + 1, close};
    file_.functions.push_back(std::move(function));
  }

  CppFile& file_;
};

// Behind the `>` of template arguments that begin at `at`, or 0 when these are none.
size_t behind_template(const CppFile& file, size_t at) {
  int depth = 0;
  for (; at < file.tokens.size(); ++at) {
    const CppToken& token = file.tokens[at];
    if (token.text == "<") {
      ++depth;
    } else if (token.text == ">" || token.text == ">>") {
      depth -= static_cast<int>(token.text.size());
      if (depth <= 0) {
        return at + 1;
      }
    } else if (!token.is_name && !token.is_literal && token.text != "::" && token.text != "," &&
               token.text != "*" && token.text != "&") {
      return 0;
    }
  }
  return 0;
}

std::vector<CppRange> split_arguments(const CppFile& file, size_t open, size_t close) {
  std::vector<CppRange> arguments;
  size_t begin = open + 1;
  for (size_t at = begin; at < close; ++at) {
    if (opens(file.text(at))) {
      at = file.closing(at);
    } else if (file.is(at, ",")) {
      arguments.push_back({begin, at});
      begin = at + 1;
    }
  }
  if (begin < close) {
    arguments.push_back({begin, close});
  }
  return arguments;
}

}  // namespace

const std::string& CppFile::text(size_t at) const {
  static const std::string nothing;
  return at < tokens.size() ? tokens[at].text : nothing;
}

size_t CppFile::closing(size_t open) const {
  int depth = 0;
  for (size_t at = open; at < tokens.size(); ++at) {
    depth += opens(tokens[at].text) ? 1 : closes(tokens[at].text) ? -1 : 0;
    if (depth == 0) {
      return at;
    }
  }
  return tokens.size();
}

bool CppFile::mentions(CppRange range, std::string_view name) const {
  for (size_t at = range.begin; at < range.end && at < tokens.size(); ++at) {
    if (tokens[at].text == name) {
      return true;
    }
  }
  return false;
}

std::vector<CppCall> CppFile::calls(CppRange range) const {
  static const std::vector<std::string> statements = {"if",
                                                      "for",
                                                      "while",
                                                      "switch",
                                                      "return",
                                                      "sizeof",
                                                      "catch",
                                                      "decltype",
                                                      "alignof",
                                                      "noexcept"};
  std::vector<CppCall> found;
  for (size_t at = range.begin; at < range.end && at < tokens.size(); ++at) {
    if (!tokens[at].is_name ||
        std::find(statements.begin(), statements.end(), tokens[at].text) != statements.end()) {
      continue;
    }
    const size_t open = is(at + 1, "<") ? behind_template(*this, at + 1) : at + 1;
    if (open == 0 || !is(open, "(")) {
      continue;
    }
    const size_t close = closing(open);
    found.push_back({tokens[at].text, at, open, close, split_arguments(*this, open, close)});
  }
  return found;
}

size_t CppFile::chain_begin(size_t at) const {
  while (at > 0) {
    const std::string& link = text(at - 1);
    if (link != "." && link != "->" && link != "::") {
      return at;
    }
    if (at < 2) {
      return at - 1;
    }
    at -= 2;
    if (closes(text(at))) {  // f().name
      int depth = 0;
      do {
        depth += closes(text(at)) ? 1 : opens(text(at)) ? -1 : 0;
        --at;
      } while (depth > 0 && at > 0);
    } else if (!tokens[at].is_name) {
      return at + 1;  // ::name
    }
  }
  return at;
}

size_t CppFile::statement_begin(size_t at) const {
  while (at > 0 && text(at - 1) != ";" && text(at - 1) != "{" && text(at - 1) != "}") {
    --at;
  }
  return at;
}

bool CppFile::is_statement(const CppCall& call) const {
  const size_t begin = chain_begin(call.name_at);
  const std::string& front = begin == 0 ? ";" : text(begin - 1);
  const bool starts = front == ";" || front == "{" || front == "}" || front == ")" ||
                      front == "else" || front == "do";
  return starts && is(call.close + 1, ";");
}

CppFile read_cpp(const std::string& text) {
  CppFile file;
  read_tokens(text, file);
  Outline(file).read();
  return file;
}

}  // namespace shmem_bind::lint
