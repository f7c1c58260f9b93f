#pragma once
#include <cstdint>

template <class T>
void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output, uint8_t* gva,
                      int64_t elements, int32_t magic);
