#ifndef TORCH_REGISTER_H
#define TORCH_REGISTER_H

#include <torch/custom_class.h>

// REGISTER_SHMEM_OPS_CLASS(Class, method, …): torch.classes.ShmemOps.Class with a default constructor and one to six methods.
#define SHMEM_OPS_DEF1(Class, a) .def(#a, &ShmemOps::Class::a)
#define SHMEM_OPS_DEF2(Class, a, ...) SHMEM_OPS_DEF1(Class, a) SHMEM_OPS_DEF1(Class, __VA_ARGS__)
#define SHMEM_OPS_DEF3(Class, a, ...) SHMEM_OPS_DEF1(Class, a) SHMEM_OPS_DEF2(Class, __VA_ARGS__)
#define SHMEM_OPS_DEF4(Class, a, ...) SHMEM_OPS_DEF1(Class, a) SHMEM_OPS_DEF3(Class, __VA_ARGS__)
#define SHMEM_OPS_DEF5(Class, a, ...) SHMEM_OPS_DEF1(Class, a) SHMEM_OPS_DEF4(Class, __VA_ARGS__)
#define SHMEM_OPS_DEF6(Class, a, ...) SHMEM_OPS_DEF1(Class, a) SHMEM_OPS_DEF5(Class, __VA_ARGS__)
#define SHMEM_OPS_CHOOSE(a, b, c, d, e, f, chosen, ...) chosen
#define REGISTER_SHMEM_OPS_CLASS(Class, ...)                                                      \
    static auto registered_##Class =                                                              \
        torch::jit::class_<ShmemOps::Class>("ShmemOps", #Class)                                   \
            .def(torch::jit::init<>()) SHMEM_OPS_CHOOSE(__VA_ARGS__, SHMEM_OPS_DEF6,              \
                SHMEM_OPS_DEF5, SHMEM_OPS_DEF4, SHMEM_OPS_DEF3, SHMEM_OPS_DEF2, SHMEM_OPS_DEF1, ) \
                (Class, __VA_ARGS__)

#endif  // TORCH_REGISTER_H
