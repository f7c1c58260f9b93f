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
// operator all_to_all, text 5da5a5f13894d7e9
namespace ShmemKernel {
template <class T>
void aclshmem_all_to_all(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* input,
                         int64_t* splits,
                         uint8_t* output,
                         uint8_t* gva,
                         int64_t rows,
                         int64_t cols,
                         int32_t magic);
}  // namespace ShmemKernel
// operator broadcast, text 7809ade3e7a2231e
namespace ShmemKernel {
template <class T>
void aclshmem_broadcast(uint32_t block_dim,
                        void* stream,
                        uint64_t fftsAddr,
                        uint8_t* input,
                        uint8_t* output,
                        uint8_t* gva,
                        int64_t elements,
                        int32_t root,
                        int32_t magic);
}  // namespace ShmemKernel
// operator gather_to_root, text f7835bd08280a763
namespace ShmemKernel {
template <class T>
void aclshmem_gather_to_root(uint32_t block_dim,
                             void* stream,
                             uint64_t fftsAddr,
                             uint8_t* input,
                             uint8_t* output,
                             uint8_t* gva,
                             int64_t elements,
                             int32_t root,
                             int32_t magic);
}  // namespace ShmemKernel
// operator halo_exchange, text 488bdd60124c696f
namespace ShmemKernel {
template <class T>
void aclshmem_halo_exchange(uint32_t block_dim,
                            void* stream,
                            uint64_t fftsAddr,
                            uint8_t* input,
                            uint8_t* output,
                            uint8_t* gva,
                            int64_t rows,
                            int64_t cols,
                            int32_t halo,
                            int32_t periodic,
                            int32_t grid_cols,
                            int32_t magic);
}  // namespace ShmemKernel
// operator kv_shuffle, text 9b3caf59570cd4d5
namespace ShmemKernel {
template <class T>
void aclshmem_kv_shuffle(uint32_t block_dim,
                         void* stream,
                         uint64_t fftsAddr,
                         uint8_t* k_cache,
                         uint8_t* v_cache,
                         uint8_t* global_shuffle_table,
                         uint8_t* src_block_table,
                         uint8_t* dst_block_table,
                         uint8_t* gva,
                         int64_t blocks,
                         int64_t block_elements,
                         int64_t moves,
                         int32_t magic);
}  // namespace ShmemKernel
// shmem-bind: declarations end
