#pragma once

#include <string>
#include <vector>

#include "tool/base/diagnostic.h"
#include "tool/base/source_text.h"
#include "tool/binding/cmake_text.h"
#include "tool/contract/contract.h"
#include "tool/contract/markdown.h"
#include "tool/lint/cpp_file.h"
#include "tool/lint/python_file.h"
#include "tool/lint/shell_file.h"

// The facts that the rules look at: every file of a tree, read as its language.

namespace shmem_bind::lint {

template <class Facts>
struct File {
  std::string path;  // absolute
  int source = 0;
  Facts facts;

  std::string folder() const { return path.substr(0, path.rfind('/')); }
  std::string name() const { return path.substr(path.rfind('/') + 1); }
  Span span(size_t begin, size_t end) const { return {source, begin, end}; }
};

struct Document {
  std::string text;
  std::vector<contract::FencedBlock> blocks;
};

// An operator that has a design document.
struct OperatorFacts {
  std::string folder;  // absolute
  std::string name;    // of the folder
  int source = 0;      // its design document
  bool has_contract = false;
  bool wants_torch = true;
  contract::Contract contract;
};

// A comment that says which findings of its line and the next one are meant.
struct Allowance {
  Span span;
  size_t begin = 0;  // bytes of the source: the lines it is about
  size_t end = 0;
  std::vector<std::string> codes;
  std::string reason;  // empty: it allows nothing
};

struct Tree {
  std::vector<File<CppFile>> cpp;  // sources of bindings only: they see torch
  std::vector<File<PythonFile>> python;
  std::vector<File<binding::CMakeText>> cmake;
  std::vector<File<ShellFile>> shell;
  std::vector<File<Document>> documents;
  std::vector<OperatorFacts> operators;
  std::vector<Allowance> allowances;
};

// A source that is about torch: it includes its headers, or lies in a torch_binding folder.
bool is_binding_source(const std::string& path, const CppFile& file);
// torch_bind_copy_rows.cpp -> copy_rows; else empty.
std::string bound_operator(const std::string& file_name);
// The name of the folder `path` lies in, and of the one above.
std::string folder_name(const std::string& path);
std::string parent_folder(const std::string& path);
// A folder torch_binding that belongs to one operator.
bool is_own_project(const std::string& folder, const Tree& tree);

}  // namespace shmem_bind::lint
