// REGISTER_SHMEM_OPS_CLASS(Class, method, ...): torch.classes.ShmemOps.Class with up to seven
// methods.
#pragma once

#include <torch/custom_class.h>

#define SHMEM_DEF(Class, name) .def(#name, &ShmemOps::Class::name)
#define SHMEM_DEF1(Class, a) SHMEM_DEF(Class, a)
#define SHMEM_DEF2(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF1(Class, __VA_ARGS__)
#define SHMEM_DEF3(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF2(Class, __VA_ARGS__)
#define SHMEM_DEF4(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF3(Class, __VA_ARGS__)
#define SHMEM_DEF5(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF4(Class, __VA_ARGS__)
#define SHMEM_DEF6(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF5(Class, __VA_ARGS__)
#define SHMEM_DEF7(Class, a, ...) SHMEM_DEF(Class, a) SHMEM_DEF6(Class, __VA_ARGS__)
#define SHMEM_PICK(a, b, c, d, e, f, g, name, ...) name
#define SHMEM_DEFS(...)   \
  SHMEM_PICK(__VA_ARGS__, \
             SHMEM_DEF7,  \
             SHMEM_DEF6,  \
             SHMEM_DEF5,  \
             SHMEM_DEF4,  \
             SHMEM_DEF3,  \
             SHMEM_DEF2,  \
             SHMEM_DEF1, )

#define REGISTER_SHMEM_OPS_CLASS(Class, ...)                                          \
  static auto registered_##Class = torch::class_<ShmemOps::Class>("ShmemOps", #Class) \
                                       .def(torch::init<>())                          \
                                           SHMEM_DEFS(__VA_ARGS__)(Class, __VA_ARGS__)
