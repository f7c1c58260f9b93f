#pragma once

#include "host/shmem_host_api.h"

#if defined(__CCE_AICORE__) || defined(__CCE_KT_TEST__)
#include "device/shmem_device_api.h"
#endif
