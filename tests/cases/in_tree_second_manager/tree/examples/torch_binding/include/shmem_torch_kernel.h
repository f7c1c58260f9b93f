#ifndef KERNELS_H
#define KERNELS_H

void gather_rows(void* stream);

#endif
