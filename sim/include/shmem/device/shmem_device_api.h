#pragma once

// What only kernels call, and where a kernel's calls of names that host and device share are in its
// source. Counts are elements, strides elements, buffers bytes. When what becomes visible to whom:
// docs/simulator.md, ordering table.

#include "device/atomic.h"
#include "device/order.h"
#include "device/rma.h"
#include "device/runtime.h"
#include "device/signal.h"
#include "device/wait.h"
