#pragma once

// What leaves the shared library. Everything else in sim/core is hidden.
#define SHMEM_SIM_API __attribute__((visibility("default")))
