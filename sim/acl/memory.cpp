#include "sim/core/memory.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/finding.h"
#include "sim/core/wait.h"

// Allocation, copies and what a pointer is. Device memory is host memory that the registry knows.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

aclError allocate(void** pointer, size_t bytes, const char* call) {
  if (const int32_t error = require_device(call); error != 0) {
    return error;
  }
  if (pointer == nullptr || bytes == 0) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, call, "a null result pointer or a size of 0");
  }
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

bool is_device(const std::optional<Region>& region) {
  return region && region->kind != MemoryKind::kHost;
}

struct CopySides {
  bool from_device = false;
  bool to_device = false;
};

std::optional<CopySides> sides_of(aclrtMemcpyKind kind,
                                  const void* destination,
                                  const void* source) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST:
      return CopySides{false, false};
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      return CopySides{false, true};
    case ACL_MEMCPY_DEVICE_TO_HOST:
      return CopySides{true, false};
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
      return CopySides{true, true};
    case ACL_MEMCPY_DEFAULT:
      return CopySides{is_device(find_region(source)), is_device(find_region(destination))};
    default:
      return std::nullopt;
  }
}

// One side of a copy: what it is said to be against what it is, and whether it lies inside its
// allocation.
aclError check_side(
    const void* address, size_t bytes, bool device, const char* side, const char* call) {
  const std::optional<Region> region = find_region(address);
  std::string problem;
  if (device != is_device(region)) {
    problem = fmt::format("the {} {} is {} memory, the copy's direction says {}",
                          side,
                          address,
                          device ? "host" : "device",
                          device ? "device" : "host");
  } else if (region) {
    const auto offset = static_cast<size_t>(static_cast<const char*>(address) -
                                            static_cast<const char*>(region->base));
    if (bytes > region->bytes - offset) {
      problem = fmt::format(
          "{} bytes at the {} {} pass the end of its allocation of {} bytes (offset {})",
          bytes,
          side,
          address,
          region->bytes,
          offset);
    }
  }
  if (problem.empty()) {
    return ACL_SUCCESS;
  }
  report({"bad-copy", fmt::format("{}: {}", call, problem)});
  return fail(ACL_ERROR_RT_PARAM_INVALID, call, problem);
}

aclError check_copy(void* destination,
                    size_t room,
                    const void* source,
                    size_t bytes,
                    aclrtMemcpyKind kind,
                    const char* call) {
  const std::optional<CopySides> sides = sides_of(kind, destination, source);
  if (!sides) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                call,
                fmt::format("copy kind {} is not known", static_cast<int>(kind)));
  }
  if (bytes > room) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                call,
                fmt::format("{} bytes do not fit the destination of {} bytes", bytes, room));
  }
  if (bytes == 0) {
    return ACL_SUCCESS;
  }
  if (destination == nullptr || source == nullptr) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, call, "a null pointer");
  }
  const aclError error = check_side(destination, bytes, sides->to_device, "destination", call);
  return error != 0 ? error : check_side(source, bytes, sides->from_device, "source", call);
}

void copy_now(void* destination, const void* source, size_t bytes) {
  if (bytes > 0) {
    std::memmove(destination, source, bytes);
    publish(destination, bytes);
  }
}

aclError copy_on_stream(void* destination,
                        size_t room,
                        const void* source,
                        size_t bytes,
                        aclrtMemcpyKind kind,
                        aclrtStream handle,
                        const char* call) {
  Stream* stream = stream_of(handle, call);
  if (stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  if (const aclError error = check_copy(destination, room, source, bytes, kind, call); error != 0) {
    return error;
  }
  enqueue(stream, call, [=] {
    copy_now(destination, source, bytes);
    return Status{};
  });
  return ACL_SUCCESS;
}

aclError check_fill(void* pointer, size_t room, size_t bytes, const char* call) {
  if (pointer == nullptr || bytes > room) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                call,
                fmt::format("{} bytes at {}: {} are allowed", bytes, pointer, room));
  }
  return check_side(pointer, bytes, is_device(find_region(pointer)), "destination", call);
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
  if (pointer == nullptr || bytes == 0) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, __func__, "a null result pointer or a size of 0");
  }
  *pointer = allocate_host(bytes);
  return *pointer != nullptr ? ACL_SUCCESS
                             : fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                                    __func__,
                                    fmt::format("{} bytes of host memory", bytes));
}

aclError aclrtMallocHostWithCfg(void** pointer, uint64_t bytes, aclrtMallocConfig*) {
  return aclrtMallocHost(pointer, bytes);
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
  add_region({pointer, bytes, MemoryKind::kHost, 0});
  return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void* pointer) {
  SHMEM_SIM_ACL_CALL();
  return remove_region(pointer) ? ACL_SUCCESS
                                : fail(ACL_ERROR_RT_PARAM_INVALID,
                                       __func__,
                                       fmt::format("{} is not registered", pointer));
}

aclError aclrtMemcpy(
    void* destination, size_t room, const void* source, size_t bytes, aclrtMemcpyKind kind) {
  SHMEM_SIM_ACL_CALL();
  if (const aclError error = check_copy(destination, room, source, bytes, kind, __func__);
      error != 0) {
    return error;
  }
  if (current_device() >= 0) {
    if (const Status broken = device_error(current_device()); !broken.ok()) {
      return result(__func__, broken);  // what would be copied is not what the program computed
    }
  }
  copy_now(destination, source, bytes);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void* destination,
                          size_t room,
                          const void* source,
                          size_t bytes,
                          aclrtMemcpyKind kind,
                          aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return copy_on_stream(destination, room, source, bytes, kind, stream, __func__);
}

aclError aclrtMemcpyAsyncWithCondition(void* destination,
                                       size_t room,
                                       const void* source,
                                       size_t bytes,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return copy_on_stream(destination, room, source, bytes, kind, stream, __func__);
}

aclError aclrtMemset(void* pointer, size_t room, int32_t value, size_t bytes) {
  SHMEM_SIM_ACL_CALL();
  if (const aclError error = check_fill(pointer, room, bytes, __func__); error != 0) {
    return error;
  }
  std::memset(pointer, value, bytes);
  publish(pointer, bytes);
  return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(
    void* pointer, size_t room, int32_t value, size_t bytes, aclrtStream handle) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = stream_of(handle, __func__);
  if (stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  if (const aclError error = check_fill(pointer, room, bytes, __func__); error != 0) {
    return error;
  }
  enqueue(stream, __func__, [=] {
    std::memset(pointer, value, bytes);
    publish(pointer, bytes);
    return Status{};
  });
  return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void* pointer, aclrtPtrAttributes* attributes) {
  SHMEM_SIM_ACL_CALL();
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
