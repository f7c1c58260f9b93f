#pragma once

#include <string>
#include <string_view>
#include <vector>

// A C++ source as tokens, with the classes and functions they form. libclang's lexer reads it, so
// comments, strings and directives are what they are to a compiler; no header is opened, so a
// source of torch needs no torch.

namespace shmem_bind::lint {

struct CppToken {
  std::string text;
  size_t begin = 0;  // bytes of the source
  size_t end = 0;
  bool is_name = false;  // identifiers and keywords
  bool is_literal = false;
};

// Tokens [begin, end).
struct CppRange {
  size_t begin = 0;
  size_t end = 0;
};

struct CppClass {
  std::string name;
  size_t name_at = 0;
  CppRange bases;
  CppRange body;
};

struct CppFunction {
  std::string owner;  // the class, inside it or in front of `::`
  std::string name;
  size_t name_at = 0;
  bool is_destructor = false;
  CppRange parameters;
  CppRange body;  // with a constructor's initialisers
};

// name(arguments), name<T>(arguments)
struct CppCall {
  std::string name;
  size_t name_at = 0;
  size_t open = 0;  // the '('
  size_t close = 0;
  std::vector<CppRange> arguments;
};

struct CppFile {
  std::vector<CppToken> tokens;  // without comments and directives
  std::vector<std::string> includes;
  std::vector<CppClass> classes;
  std::vector<CppFunction> functions;

  const std::string& text(size_t at) const;  // of a token; empty behind the last
  bool is(size_t at, std::string_view text) const { return this->text(at) == text; }
  // The bracket that belongs to the one at `open`; the number of tokens when there is none.
  size_t closing(size_t open) const;
  bool mentions(CppRange range, std::string_view name) const;
  std::vector<CppCall> calls(CppRange range) const;
  // Where the expression `a.b->c::name` begins that ends with the name at `at`.
  size_t chain_begin(size_t at) const;
  // The statement around a token, from behind the last `;`, `{` or `}`.
  size_t statement_begin(size_t at) const;
  // A call that is a whole statement: nobody looks at its value.
  bool is_statement(const CppCall& call) const;
};

CppFile read_cpp(const std::string& text);

}  // namespace shmem_bind::lint
