#pragma once

#define ALIGN_TO(size, page) (((size) + (page)-1) / (page) * (page))
#define ALIGH_TO(size, page) ALIGN_TO(size, page)
#define ALIGN_UP(val, al) (((val) + ((al)-1)) & ~((al)-1))

#define ACLSHMEM_SIZE_FUNC(FUNC) \
  FUNC(8);                       \
  FUNC(16);                      \
  FUNC(32);                      \
  FUNC(64);                      \
  FUNC(128)
