// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 0ec2e089aa70a1c5
#pragma once

// Entry functions of the kernel libraries, as their headers declare them.

#include <cstdint>

#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

// shmem-bind: declarations begin
// operator all_gather, text 6c63b2d7efc111d9
namespace ShmemKernel {
template <class T>
void aclshmem_all_gather(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t elements,
                         int32_t magic);
}  // namespace ShmemKernel
// shmem-bind: declarations end
