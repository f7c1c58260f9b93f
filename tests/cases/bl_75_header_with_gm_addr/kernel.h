#pragma once
#include "kernel_operator.h"

template <class T>
void copy_rows_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, GM_ADDR input, GM_ADDR output, GM_ADDR gva,
                      int64_t elements, int32_t magic);
