#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>

#include "kernel_operator.h"
#include "sim/core/finding.h"
#include "sim/core/memory.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

// Words for tests of the kernel language: a launch in this process, device memory, eager and
// adversarial runs.

namespace shmem_sim::ascendc::tests {

using shmem_sim::tests::findings;
using shmem_sim::tests::in_child;

inline const std::string kSeeds[] = {"1", "2", "3", "4", "5", "6", "7", "8"};

inline void eagerly(const std::function<void()>& body) {
  in_child({}, body);
}

inline void adversarially(const std::function<void()>& body) {
  for (const std::string& seed : kSeeds) {
    in_child({{"SHMEM_SIM_SEED", seed}, {"SHMEM_SIM_HOLD_US", "200"}}, body);
  }
}

inline void both_ways(const std::function<void()>& body) {
  eagerly(body);
  adversarially(body);
}

// Runs `body` on `blocks` blocks and waits for the end.
inline Status run_kernel(int64_t blocks, std::function<void()> body) {
  set_current_device(0);
  enqueue_kernel({"kernel", "test.cpp", 1}, blocks, nullptr, std::move(body));
  return synchronize_device(0, std::chrono::seconds(20));
}

// `elements` values start, start + 1, … in device memory of device 0.
inline int32_t* device_numbers(int elements, int32_t start) {
  auto* memory =
      static_cast<int32_t*>(allocate_device(0, static_cast<size_t>(elements) * sizeof(int32_t)));
  for (int i = 0; i < elements; ++i) {
    memory[i] = start + i;
  }
  return memory;
}

inline AscendC::GlobalTensor<int32_t> global(int32_t* address) {
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(address);
  return tensor;
}

inline AscendC::LocalTensor<int32_t> local(uint32_t offset, uint32_t elements) {
  return {AscendC::TPosition::VECIN, offset, elements};
}

}  // namespace shmem_sim::ascendc::tests
