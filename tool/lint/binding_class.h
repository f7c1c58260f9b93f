#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tool/lint/tree.h"

// What several rules ask of the classes in a binding.

namespace shmem_bind::lint {

constexpr const char* kManager = "Manager";

Span token_span(const File<CppFile>& file, size_t token);
// Derived from torch::jit::CustomClassHolder.
bool is_custom_class(const File<CppFile>& file, const CppClass& item);

// torch.classes.<space>.<name>, which the C++ class `type` is for Python.
struct Registration {
  const File<CppFile>* file;
  std::string type;
  std::string space;
  std::string name;
  CppRange methods;  // where the names of its methods stand
};
std::vector<Registration> registrations(const Tree& tree);
// Null when the class has no such function in this file.
const CppFunction* function_of(const File<CppFile>& file,
                               const std::string& owner,
                               const std::string& name);
// The function whose body the token stands in.
const CppFunction* function_around(const File<CppFile>& file, size_t token);

// A class of an operator and the file it stands in.
struct OperatorClass {
  const File<CppFile>* file;
  const CppClass* item;
};
std::vector<OperatorClass> operator_classes(const Tree& tree);

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names);
// The variable or member that receives the value of a call: `x = f()`, `x(f())` in a constructor's
// list. Empty: nobody, or a return.
std::string receiver_of(const CppFile& file, const CppCall& call, size_t body_begin);

// The names of a parameter list, in order; a parameter without a name gives its type's last word.
std::vector<std::string> parameter_names(const CppFile& file, CppRange parameters);
// Those that are tensors.
std::vector<std::string> tensor_names(const CppFile& file, CppRange parameters);

}  // namespace shmem_bind::lint
