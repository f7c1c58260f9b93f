#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"
#include "sim/core/finding.h"
#include "sim/core/memory.h"
#include "sim/core/wait.h"

// Copies and fills. What the caller says of a side (host or device, how much room) is held against
// the registry: hardware would take it and fail elsewhere, or not at all.

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

// One copy as the caller gives it.
struct Copy {
  void* destination = nullptr;
  size_t room = 0;
  const void* source = nullptr;
  size_t bytes = 0;
  aclrtMemcpyKind kind = ACL_MEMCPY_DEFAULT;
};

struct CopySides {
  bool from_device = false;
  bool to_device = false;
};

bool is_device(const void* address) {
  const std::optional<Region> region = find_region(address);
  return region && region->kind != MemoryKind::kHost;
}

std::optional<CopySides> sides_of(const Copy& copy) {
  switch (copy.kind) {
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
      return CopySides{is_device(copy.source), is_device(copy.destination)};
    default:
      return std::nullopt;
  }
}

aclError bad_copy(const std::string& problem, const char* call) {
  report({"bad-copy", fmt::format("{}: {}", call, problem)});
  return fail(ACL_ERROR_RT_PARAM_INVALID, call, problem);
}

// `bytes` from `address` on lie in its allocation, if it is in one.
aclError check_range(const void* address, size_t bytes, const char* side, const char* call) {
  const std::optional<Region> region = find_region(address);
  if (!region) {
    return ACL_SUCCESS;
  }
  const auto offset = static_cast<size_t>(static_cast<const char*>(address) -
                                          static_cast<const char*>(region->base));
  if (bytes <= region->bytes - offset) {
    return ACL_SUCCESS;
  }
  return bad_copy(fmt::format("{} bytes at the {} {} pass the end of its allocation of {} bytes "
                              "(offset {})",
                              bytes,
                              side,
                              address,
                              region->bytes,
                              offset),
                  call);
}

// What one side of a copy is said to be against what it is.
aclError check_side(const void* address, bool device, const char* side, const char* call) {
  if (device == is_device(address)) {
    return ACL_SUCCESS;
  }
  return bad_copy(fmt::format("the {} {} is {} memory, the copy's direction says {}",
                              side,
                              address,
                              device ? "host" : "device",
                              device ? "device" : "host"),
                  call);
}

aclError check_copy(const Copy& copy, const char* call) {
  const std::optional<CopySides> sides = sides_of(copy);
  if (!sides) {
    return fail(ACL_ERROR_RT_PARAM_INVALID,
                call,
                fmt::format("copy kind {} is not known", static_cast<int>(copy.kind)));
  }
  if (copy.bytes > copy.room) {
    return bad_copy(
        fmt::format("{} bytes do not fit the destination of {} bytes", copy.bytes, copy.room),
        call);
  }
  if (copy.bytes == 0) {
    return ACL_SUCCESS;
  }
  if (copy.destination == nullptr || copy.source == nullptr) {
    return bad_copy("a null pointer", call);
  }
  SHMEM_SIM_ACL_CHECK(check_side(copy.destination, sides->to_device, "destination", call));
  SHMEM_SIM_ACL_CHECK(check_side(copy.source, sides->from_device, "source", call));
  SHMEM_SIM_ACL_CHECK(check_range(copy.destination, copy.bytes, "destination", call));
  return check_range(copy.source, copy.bytes, "source", call);
}

void run(const Copy& copy) {
  if (copy.bytes > 0) {
    std::memmove(copy.destination, copy.source, copy.bytes);
    publish(copy.destination, copy.bytes);
  }
}

aclError copy_on_stream(const Copy& copy, aclrtStream handle, const char* call) {
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_stream(handle, call, &stream));
  SHMEM_SIM_ACL_CHECK(check_copy(copy, call));
  enqueue(stream, call, [copy] {
    run(copy);
    return Status{};
  });
  return ACL_SUCCESS;
}

aclError check_fill(void* pointer, size_t room, size_t bytes, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_place(pointer, call));
  if (bytes > room) {
    return bad_copy(fmt::format("{} bytes at {}: {} are allowed", bytes, pointer, room), call);
  }
  return check_range(pointer, bytes, "destination", call);
}

void fill(void* pointer, int32_t value, size_t bytes) {
  std::memset(pointer, value, bytes);
  publish(pointer, bytes);
}

}  // namespace

extern "C" {

aclError aclrtMemcpy(
    void* destination, size_t room, const void* source, size_t bytes, aclrtMemcpyKind kind) {
  SHMEM_SIM_ACL_CALL();
  const Copy copy{destination, room, source, bytes, kind};
  SHMEM_SIM_ACL_CHECK(check_copy(copy, __func__));
  SHMEM_SIM_ACL_CHECK(require_sound_device(__func__));
  run(copy);
  return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void* destination,
                          size_t room,
                          const void* source,
                          size_t bytes,
                          aclrtMemcpyKind kind,
                          aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return copy_on_stream({destination, room, source, bytes, kind}, stream, __func__);
}

// The condition is that the runtime decides by the kind of the host memory when it returns; here it
// always returns at once.
aclError aclrtMemcpyAsyncWithCondition(void* destination,
                                       size_t room,
                                       const void* source,
                                       size_t bytes,
                                       aclrtMemcpyKind kind,
                                       aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return copy_on_stream({destination, room, source, bytes, kind}, stream, __func__);
}

aclError aclrtMemset(void* pointer, size_t room, int32_t value, size_t bytes) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(check_fill(pointer, room, bytes, __func__));
  SHMEM_SIM_ACL_CHECK(require_sound_device(__func__));
  fill(pointer, value, bytes);
  return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(
    void* pointer, size_t room, int32_t value, size_t bytes, aclrtStream handle) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_stream(handle, __func__, &stream));
  SHMEM_SIM_ACL_CHECK(check_fill(pointer, room, bytes, __func__));
  enqueue(stream, __func__, [=] {
    fill(pointer, value, bytes);
    return Status{};
  });
  return ACL_SUCCESS;
}

}  // extern "C"
