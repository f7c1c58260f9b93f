// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 395b5ee466182467
#pragma once

#include <torch/custom_class.h>

#include <string>

#include "npu_launch.h"

// REGISTER_SHMEM_OPS_CLASS(Class, (method, "argument", …), …): registers ShmemOps::Class as
// torch.classes.ShmemOps.Class with a default constructor, any number of methods, and names for
// their arguments. A default value is torch::arg("name") = value.
//
// A class that another library of this process has registered already is left alone, with a
// warning: torch would abort.

namespace shmem_ops {

inline torch::arg as_argument(const char* name) {
  return torch::arg(name);
}
inline torch::arg as_argument(torch::arg argument) {
  return argument;
}

template <class Pointer, class... Arguments>
auto method(const char* name, Pointer pointer, Arguments... arguments) {
  return [=](auto& registered) { registered.def(name, pointer, "", {as_argument(arguments)...}); };
}

template <class Class, class... Methods>
bool register_class(const char* name, Methods... methods) {
  if (torch::getCustomClass(std::string("__torch__.torch.classes.ShmemOps.") + name)) {
    TORCH_WARN("ShmemOps.",
               name,
               " is registered already by another library of this process (two bindings loaded?); ",
               "the class of this library is not used");
    return false;
  }
  auto registered = torch::class_<Class>("ShmemOps", name).def(torch::init<>());
  (methods(registered), ...);
  add_tracing_methods(name);
  return true;
}

}  // namespace shmem_ops

// Applies SHMEM_OPS_METHOD to every parenthesised item, up to 256 of them.
#define SHMEM_OPS_PARENS ()
#define SHMEM_OPS_UNPAREN(...) __VA_ARGS__
#define SHMEM_OPS_EXPAND(...) \
  SHMEM_OPS_EXPAND3(SHMEM_OPS_EXPAND3(SHMEM_OPS_EXPAND3(SHMEM_OPS_EXPAND3(__VA_ARGS__))))
#define SHMEM_OPS_EXPAND3(...) \
  SHMEM_OPS_EXPAND2(SHMEM_OPS_EXPAND2(SHMEM_OPS_EXPAND2(SHMEM_OPS_EXPAND2(__VA_ARGS__))))
#define SHMEM_OPS_EXPAND2(...) \
  SHMEM_OPS_EXPAND1(SHMEM_OPS_EXPAND1(SHMEM_OPS_EXPAND1(SHMEM_OPS_EXPAND1(__VA_ARGS__))))
#define SHMEM_OPS_EXPAND1(...) __VA_ARGS__
#define SHMEM_OPS_METHODS(Class, item, ...)       \
  SHMEM_OPS_METHOD(Class, SHMEM_OPS_UNPAREN item) \
  __VA_OPT__(, SHMEM_OPS_AGAIN SHMEM_OPS_PARENS(Class, __VA_ARGS__))
#define SHMEM_OPS_AGAIN() SHMEM_OPS_METHODS
#define SHMEM_OPS_METHOD(Class, ...) SHMEM_OPS_METHOD1(Class, __VA_ARGS__)
#define SHMEM_OPS_METHOD1(Class, name, ...) \
  ::shmem_ops::method(#name, &::ShmemOps::Class::name __VA_OPT__(, ) __VA_ARGS__)

#define REGISTER_SHMEM_OPS_CLASS(Class, ...)                        \
  [[maybe_unused]] static const bool shmem_ops_registered_##Class = \
      ::shmem_ops::register_class<::ShmemOps::Class>(               \
          #Class __VA_OPT__(, SHMEM_OPS_EXPAND(SHMEM_OPS_METHODS(Class, __VA_ARGS__))))
