#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// What all SHMEM operators share: launching through torch_npu's queue, the life of symmetric state,
// checks. It stands in one source (npu_launch.cpp), so that an operator's file needs none of
// torch_npu's headers. torch calls methods without Python's lock: one that waits for other PEs does
// not stop the other threads of its process.

namespace shmem_ops {

// Calls `work` with the current stream, in order with the operators torch_npu has queued on it;
// returns at once. What `work` captures lives until it has run. A non-zero result is an error of
// the operator, raised at the next synchronize.
void launch(const char* name, std::function<int(void* stream)> work);

int current_device();
void synchronize();  // the current device, torch_npu's queue included
