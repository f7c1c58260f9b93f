#include "sim/core/memory.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"

// Allocation, and what a pointer is. Device memory is host memory that the registry knows.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

aclError require_size(size_t bytes, const char* call) {
  return bytes > 0 ? ACL_SUCCESS : fail(ACL_ERROR_RT_PARAM_INVALID, call, "a size of 0");
}

aclError allocate(void** pointer, size_t bytes, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_device(call));
  SHMEM_SIM_ACL_CHECK(require_place(pointer, call));
  SHMEM_SIM_ACL_CHECK(require_size(bytes, call));
  *pointer = allocate_device(current_device(), bytes);
  if (*pointer == nullptr) {
    return fail(
        ACL_ERROR_RT_MEMORY_ALLOCATION,
        call,
        fmt::format(
            "{} bytes on device {}: {} of {} bytes are in use (SHMEM_SIM_DEVICE_MEMORY_MIB)",
            bytes,
            current_device(),
            device_bytes_in_use(current_device()),
            device_bytes_total()));
  }
  return ACL_SUCCESS;
}

aclError allocate_pinned(void** pointer, size_t bytes, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_place(pointer, call));
  SHMEM_SIM_ACL_CHECK(require_size(bytes, call));
  *pointer = allocate_host(bytes);
  return *pointer != nullptr ? ACL_SUCCESS
                             : fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                                    call,
                                    fmt::format("{} bytes of host memory", bytes));
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void** pointer, size_t bytes, aclrtMemMallocPolicy) {
  SHMEM_SIM_ACL_CALL();
  return allocate(pointer, bytes, __func__);
}

aclError aclrtMallocAlign32(void** pointer, size_t bytes, aclrtMemMallocPolicy) {
  SHMEM_SIM_ACL_CALL();
  return allocate(pointer, bytes, __func__);
}

aclError aclrtFree(void* pointer) {
  SHMEM_SIM_ACL_CALL();
  if (!free_device(pointer)) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                __func__,
                fmt::format("{} is not the start of live device memory", pointer));
  }
  return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** pointer, size_t bytes) {
  SHMEM_SIM_ACL_CALL();
  return allocate_pinned(pointer, bytes, __func__);
}

aclError aclrtMallocHostWithCfg(void** pointer, uint64_t bytes, aclrtMallocConfig*) {
  SHMEM_SIM_ACL_CALL();
  return allocate_pinned(pointer, bytes, __func__);
}

aclError aclrtFreeHost(void* pointer) {
  SHMEM_SIM_ACL_CALL();
  if (!free_host(pointer)) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                __func__,
                fmt::format("{} is not the start of live pinned memory", pointer));
  }
  return ACL_SUCCESS;
}

aclError aclrtHostRegisterV2(void* pointer, uint64_t bytes, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(pointer, __func__));
  if (bytes > UINTPTR_MAX - reinterpret_cast<uintptr_t>(pointer)) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                __func__,
                fmt::format("{} bytes at {} go past the end of the address space", bytes, pointer));
  }
  if (bytes == 0 || meets_region(pointer, bytes)) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                __func__,
                fmt::format("{} bytes at {}: none, or registered already", bytes, pointer));
  }
  add_region({pointer, bytes, MemoryKind::kHost, 0});
  return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void* pointer) {
  SHMEM_SIM_ACL_CALL();
  const std::optional<Region> region = find_region(pointer);
  if (!region || region->kind != MemoryKind::kHost || !remove_region(pointer)) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                __func__,
                fmt::format("{} is not the start of registered memory", pointer));
  }
  return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free_bytes, size_t* total_bytes) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_device(__func__));
  SHMEM_SIM_ACL_CHECK(require_place(free_bytes, __func__));
  SHMEM_SIM_ACL_CHECK(require_place(total_bytes, __func__));
  *total_bytes = device_bytes_total();
  *free_bytes = *total_bytes - device_bytes_in_use(current_device());
  return ACL_SUCCESS;
}

// Memory that is not device memory, and the symmetric heap, are given as the current device's:
// torch_npu's symmetric memory relies on it.
aclError aclrtPointerGetAttributes(const void* pointer, aclrtPtrAttributes* attributes) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(attributes, __func__));
  std::memset(attributes, 0, sizeof *attributes);
  attributes->location.id = static_cast<uint32_t>(current_device() < 0 ? 0 : current_device());
  attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  if (const std::optional<Region> region = find_region(pointer)) {
    attributes->location.type = region->kind == MemoryKind::kHost ? ACL_MEM_LOCATION_TYPE_HOST
                                                                  : ACL_MEM_LOCATION_TYPE_DEVICE;
    if (region->kind == MemoryKind::kDevice) {
      attributes->location.id = static_cast<uint32_t>(region->device);
    }
  }
  return ACL_SUCCESS;
}

}  // extern "C"
