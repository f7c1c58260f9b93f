#include "types.h"
void copy_rows_demo(uint32_t block_dim, void* stream, Row* src, int64_t* dst, int64_t count);
