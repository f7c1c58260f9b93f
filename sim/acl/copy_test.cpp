#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "sim/core/finding.h"
#include "sim/core/memory.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::findings;
using shmem_sim::tests::in_child;
using tests::expect_refused;

constexpr size_t kBytes = 1024;  // a multiple of what the device hands out

// One side of a copy of each kind of memory; the device is set.
struct Places {
  Places() {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    void* memory = nullptr;
    EXPECT_EQ(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    device = static_cast<char*>(memory);
    EXPECT_EQ(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    other_device = static_cast<char*>(memory);
    EXPECT_EQ(aclrtMallocHost(&memory, kBytes), ACL_SUCCESS);
    pinned = static_cast<char*>(memory);
    std::memset(device, 'd', kBytes);
    std::memset(other_device, 'o', kBytes);
    std::memset(pinned, 'p', kBytes);
  }
  char* device = nullptr;
  char* other_device = nullptr;
  char* pinned = nullptr;
  std::vector<char> pageable = std::vector<char>(kBytes, 'h');
};

// The same copy by each of the three calls, synchronized.
std::vector<aclError> copy_all_ways(
    void* to, size_t room, const void* from, size_t bytes, aclrtMemcpyKind kind) {
  std::vector<aclError> errors = {
      aclrtMemcpy(to, room, from, bytes, kind),
      aclrtMemcpyAsync(to, room, from, bytes, kind, nullptr),
      aclrtMemcpyAsyncWithCondition(to, room, from, bytes, kind, nullptr)};
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  return errors;
}

// Refused by each call, with this text, a finding, and nothing copied.
void expect_bad_copy(void* to,
                     size_t room,
                     const void* from,
                     size_t bytes,
                     aclrtMemcpyKind kind,
                     const std::string& said) {
  const int64_t before = finding_count();
  for (const aclError error : copy_all_ways(to, room, from, bytes, kind)) {
    EXPECT_EQ(error, ACL_ERROR_RT_PARAM_INVALID) << said;
  }
  EXPECT_NE(tests::recent_message().find(said), std::string::npos) << said;
  EXPECT_EQ(finding_count(), before + 3) << said;
  EXPECT_NE(findings().find(said), std::string::npos) << said;
}

void expect_copied(char* to, const char* from, aclrtMemcpyKind kind) {
  EXPECT_EQ(copy_all_ways(to, kBytes, from, kBytes, kind), std::vector<aclError>(3, ACL_SUCCESS));
  EXPECT_EQ(std::memcmp(to, from, kBytes), 0);
}

TEST(ACopy, GoesInEveryDirection) {
  in_child({}, [] {
    Places at;
    expect_copied(at.device, at.pageable.data(), ACL_MEMCPY_HOST_TO_DEVICE);
    expect_copied(at.device, at.pinned, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
    expect_copied(at.other_device, at.device, ACL_MEMCPY_DEVICE_TO_DEVICE);
    expect_copied(at.pageable.data(), at.other_device, ACL_MEMCPY_DEVICE_TO_HOST);
    EXPECT_EQ(at.pageable, std::vector<char>(kBytes, 'p'));
    std::memset(at.pinned, 'q', kBytes);
    expect_copied(at.pageable.data(), at.pinned, ACL_MEMCPY_HOST_TO_HOST);
    expect_copied(at.device, at.pinned, ACL_MEMCPY_DEFAULT);
    expect_copied(at.other_device, at.device, ACL_MEMCPY_DEFAULT);
    expect_copied(at.other_device, at.device, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE);
    expect_copied(at.other_device, at.device, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE);
    EXPECT_EQ(finding_count(), 0);
  });
}

TEST(ACopy, IsHeldAgainstItsDirection) {
  in_child({}, [] {
    Places at;
    const auto wrong = [&](void* to, const void* from, aclrtMemcpyKind kind, const char* said) {
      expect_bad_copy(to, kBytes, from, kBytes, kind, said);
    };
    char* host = at.pageable.data();
    wrong(host, at.pinned, ACL_MEMCPY_HOST_TO_DEVICE, "is host memory, the copy's direction says");
    wrong(at.device, at.other_device, ACL_MEMCPY_HOST_TO_DEVICE, "the source");
    wrong(at.device, at.other_device, ACL_MEMCPY_DEVICE_TO_HOST, "the destination");
    wrong(host, at.pinned, ACL_MEMCPY_DEVICE_TO_HOST, "the source");
    wrong(at.device, at.other_device, ACL_MEMCPY_HOST_TO_HOST, "is device memory");
    wrong(at.device, host, ACL_MEMCPY_DEVICE_TO_DEVICE, "the source");
    wrong(at.pinned, at.device, ACL_MEMCPY_DEVICE_TO_DEVICE, "the destination");
    wrong(host, at.device, ACL_MEMCPY_HOST_TO_DEVICE, "the destination");
    EXPECT_EQ(at.pageable, std::vector<char>(kBytes, 'h'));
    EXPECT_EQ(at.device[0], 'd');
    EXPECT_EQ(at.pinned[0], 'p');
  });
}

TEST(ACopy, StaysInItsAllocations) {
  in_child({}, [] {
    Places at;
    const auto past = [&](void* to, size_t room, const void* from, size_t bytes, const char* said) {
      expect_bad_copy(to, room, from, bytes, ACL_MEMCPY_DEFAULT, said);
    };
    char* host = at.pageable.data();
    past(at.device, 15, at.pinned, 16, "do not fit the destination of 15 bytes");
    past(at.device, SIZE_MAX, at.pinned, kBytes + 1, "the destination");
    past(at.device + 1000, kBytes, host, 25, "(offset 1000)");
    past(host, kBytes, at.device + kBytes - 1, 2, "bytes at the source");
    past(host, kBytes, at.pinned + 1, kBytes, "pass the end of its allocation of 1024 bytes");
    past(at.pinned + kBytes - 1, 2, host, 2, "pass the end");
    past(at.device, SIZE_MAX, host, SIZE_MAX, "pass the end");
    EXPECT_EQ(aclrtMemcpy(at.device + 1000, 24, host, 24, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    EXPECT_EQ(at.device[999], 'd');
    EXPECT_EQ(at.device[1000], 'h');
  });
}

TEST(ACopy, NeedsPointersUnlessItIsEmpty) {
  in_child({}, [] {
    Places at;
    expect_bad_copy(nullptr, 8, at.pinned, 8, ACL_MEMCPY_DEFAULT, "a null pointer");
    expect_bad_copy(at.device, 8, nullptr, 8, ACL_MEMCPY_DEFAULT, "a null pointer");
    EXPECT_EQ(copy_all_ways(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_DEVICE),
              std::vector<aclError>(3, ACL_SUCCESS));
  });
}

TEST(ACopyOfFreedMemory, IsRefusedAsHostMemory) {
  in_child({}, [] {
    const Places at;
    EXPECT_EQ(aclrtFree(at.device), ACL_SUCCESS);
    expect_refused(aclrtMemcpy(at.device, 8, at.pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE),
                   ACL_ERROR_RT_PARAM_INVALID,
                   "is host memory");
  });
}

TEST(ACopyOnAStream, RunsInItsOrder) {
  in_child({}, [] {
    Places at;
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(at.device, kBytes, 1, kBytes, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsync(
                  at.other_device, kBytes, at.device, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
              ACL_SUCCESS);
    EXPECT_EQ(aclrtMemsetAsync(at.device, kBytes, 2, kBytes, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(at.other_device[kBytes - 1], 1);
    EXPECT_EQ(at.device[kBytes - 1], 2);
  });
}

TEST(ACopyOnADeadStream, IsRefused) {
  in_child({}, [] {
    Places at;
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    expect_refused(aclrtMemcpyAsync(at.device, 8, at.pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                   ACL_ERROR_RT_INVALID_HANDLE,
                   "not a live stream");
    expect_refused(aclrtMemsetAsync(at.device, 8, 0, 8, stream),
                   ACL_ERROR_RT_INVALID_HANDLE,
                   "not a live stream");
    EXPECT_EQ(at.device[0], 'd');
  });
}

TEST(AFill, StaysInItsRoomAndItsAllocation) {
  in_child({}, [] {
    const Places at;
    const auto refused = [&](void* pointer, size_t room, size_t bytes, const char* said) {
      expect_refused(aclrtMemset(pointer, room, 0, bytes), ACL_ERROR_RT_PARAM_INVALID, said);
      expect_refused(
          aclrtMemsetAsync(pointer, room, 0, bytes, nullptr), ACL_ERROR_RT_PARAM_INVALID, said);
    };
    refused(nullptr, 8, 8, "null");
    refused(at.device, 8, 9, "8 are allowed");
    refused(at.device + 1, kBytes, kBytes, "pass the end");
    refused(at.pinned + 1000, kBytes, 25, "pass the end");
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    EXPECT_EQ(at.device[1], 'd');
    EXPECT_EQ(at.pinned[1000], 'p');
    EXPECT_EQ(aclrtMemset(at.device + 8, kBytes - 8, 3, 8), ACL_SUCCESS);
    EXPECT_EQ(at.device[7], 'd');
    EXPECT_EQ(at.device[8], 3);
    EXPECT_EQ(at.device[16], 'd');
  });
}

TEST(ACopyOfABrokenDevice, IsNotDone) {
  in_child({}, [] {
    const Places at;
    enqueue(default_stream(0), "broken", [] { return failed(kKernelException, "broken"); });
    EXPECT_EQ(aclrtMemcpyAsync(at.device, 8, at.pinned, 8, ACL_MEMCPY_HOST_TO_DEVICE, nullptr),
              ACL_SUCCESS);
    expect_refused(aclrtSynchronizeDevice(), kKernelException, "broken");
    EXPECT_EQ(at.device[0], 'd');
    expect_refused(aclrtMemcpy(at.pinned, 8, at.device, 8, ACL_MEMCPY_DEVICE_TO_HOST),
                   kKernelException,
                   "broken");
    EXPECT_EQ(at.pinned[0], 'p');
  });
}

}  // namespace
}  // namespace shmem_sim::acl
