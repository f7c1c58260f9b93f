#include "sim/core/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;

// Device memory of the current device, device 0 unless one was set.
char* device_memory(size_t bytes) {
  if (current_device() < 0) {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  }
  void* memory = nullptr;
  EXPECT_EQ(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  return static_cast<char*>(memory);
}

char* pinned_memory(size_t bytes) {
  void* memory = nullptr;
  EXPECT_EQ(aclrtMallocHost(&memory, bytes), ACL_SUCCESS);
  return static_cast<char*>(memory);
}

void bad_parameter(aclError error, const std::string& said) {
  expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, said);
}

aclrtPtrAttributes attributes_of(const void* address) {
  aclrtPtrAttributes attributes{};
  EXPECT_EQ(aclrtPointerGetAttributes(address, &attributes), ACL_SUCCESS);
  return attributes;
}

size_t free_bytes() {
  size_t rest = 0;
  size_t total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &rest, &total), ACL_SUCCESS);
  EXPECT_EQ(total, device_bytes_total());
  return rest;
}

TEST(AnAllocation, NeedsAPlaceAndASize) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    void* memory = nullptr;
    bad_parameter(aclrtMalloc(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST), "null");
    bad_parameter(aclrtMallocAlign32(nullptr, 16, ACL_MEM_MALLOC_HUGE_FIRST), "null");
    bad_parameter(aclrtMallocHost(nullptr, 16), "null");
    bad_parameter(aclrtMallocHostWithCfg(nullptr, 16, nullptr), "null");
    bad_parameter(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), "a size of 0");
    bad_parameter(aclrtMallocAlign32(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST), "a size of 0");
    bad_parameter(aclrtMallocHost(&memory, 0), "a size of 0");
    bad_parameter(aclrtMallocHostWithCfg(&memory, 0, nullptr), "a size of 0");
    EXPECT_EQ(memory, nullptr);
  });
}

TEST(DeviceMemory, IsUsedUpAndComesBack) {
  in_child({{"SHMEM_SIM_DEVICE_MEMORY_MIB", "4"}}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(free_bytes(), size_t{4} << 20);
    char* first = device_memory(3 << 20);
    EXPECT_EQ(free_bytes(), size_t{1} << 20);
    void* second = nullptr;
    const auto ask = [&](size_t bytes) {
      return aclrtMalloc(&second, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    };
    expect_refused(ask(2 << 20), ACL_ERROR_RT_MEMORY_ALLOCATION, "SHMEM_SIM_DEVICE_MEMORY_MIB");
    expect_refused(ask(SIZE_MAX), ACL_ERROR_RT_MEMORY_ALLOCATION, "3145728 of 4194304 bytes");
    EXPECT_EQ(second, nullptr);
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(free_bytes(), size_t{4} << 20);
    EXPECT_EQ(ask(4 << 20), ACL_SUCCESS);
    EXPECT_EQ(free_bytes(), 0u);
    EXPECT_EQ(aclrtFree(first), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(second), ACL_SUCCESS);
    EXPECT_EQ(free_bytes(), size_t{4} << 20);
  });
}

TEST(MemoryInformation, NeedsItsPlaces) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    size_t bytes = 0;
    bad_parameter(aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &bytes), "null");
    bad_parameter(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, nullptr), "null");
    bad_parameter(aclrtPointerGetAttributes(&bytes, nullptr), "null");
  });
}

TEST(Freeing, TakesTheStartOfALiveAllocationOnly) {
  in_child({}, [] {
    int local = 0;
    char* device = device_memory(4096);
    char* pinned = pinned_memory(4096);
    const std::string said = "not the start of live device memory";
    bad_parameter(aclrtFree(nullptr), said);
    bad_parameter(aclrtFree(&local), said);
    bad_parameter(aclrtFree(device + 1), said);
    bad_parameter(aclrtFree(pinned), said);
    const std::string said_of_pinned = "not the start of live pinned memory";
    bad_parameter(aclrtFreeHost(nullptr), said_of_pinned);
    bad_parameter(aclrtFreeHost(&local), said_of_pinned);
    bad_parameter(aclrtFreeHost(pinned + 1), said_of_pinned);
    bad_parameter(aclrtFreeHost(device), said_of_pinned);
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
    bad_parameter(aclrtFree(device), said);
    bad_parameter(aclrtFreeHost(pinned), said_of_pinned);
  });
}

TEST(Registering, TakesMemoryThatNobodyHasRegistered) {
  in_child({}, [] {
    std::vector<char> host(8192);
    char* start = host.data();
    char* device = device_memory(4096);
    char* pinned = pinned_memory(4096);
    bad_parameter(aclrtHostRegisterV2(nullptr, 16, 0), "null");
    bad_parameter(aclrtHostRegisterV2(start, 0, 0), "none, or registered already");
    bad_parameter(aclrtHostRegisterV2(start, UINT64_MAX, 0), "past the end of the address space");
    EXPECT_EQ(aclrtHostRegisterV2(start + 1024, 1024, 0), ACL_SUCCESS);
    for (void* taken : {static_cast<void*>(start + 1024), static_cast<void*>(start + 1500)}) {
      bad_parameter(aclrtHostRegisterV2(taken, 16, 0), "registered already");
    }
    bad_parameter(aclrtHostRegisterV2(start, 1025, 0), "registered already");
    bad_parameter(aclrtHostRegisterV2(start, 8192, 0), "registered already");  // around the first
    bad_parameter(aclrtHostRegisterV2(start + 2047, 1, 0), "registered already");
    bad_parameter(aclrtHostRegisterV2(device, 16, 0), "registered already");
    bad_parameter(aclrtHostRegisterV2(pinned, 16, 0), "registered already");
    EXPECT_EQ(aclrtHostRegisterV2(start, 1024, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtHostRegisterV2(start + 2048, 1024, 0), ACL_SUCCESS);
  });
}

TEST(Unregistering, TakesTheStartOfRegisteredMemoryOnly) {
  in_child({}, [] {
    std::vector<char> host(4096);
    char* device = device_memory(4096);
    char* pinned = pinned_memory(4096);
    EXPECT_EQ(aclrtHostRegisterV2(host.data(), host.size(), 0), ACL_SUCCESS);
    const std::string said = "not the start of registered memory";
    bad_parameter(aclrtHostUnregister(nullptr), said);
    bad_parameter(aclrtHostUnregister(host.data() + 1), said);
    bad_parameter(aclrtHostUnregister(device), said);
    bad_parameter(aclrtHostUnregister(pinned), said);
    bad_parameter(aclrtFreeHost(host.data()), "not the start of live pinned memory");
    EXPECT_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
    bad_parameter(aclrtHostUnregister(host.data()), said);
    EXPECT_EQ(aclrtFree(device), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned), ACL_SUCCESS);
  });
}

TEST(APointer, IsToldByItsMemory) {
  in_child({}, [] {
    std::vector<char> host(4096);
    EXPECT_EQ(aclrtSetDevice(5), ACL_SUCCESS);
    const char* device = device_memory(4096);
    const char* pinned = pinned_memory(4096);
    EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
    EXPECT_EQ(attributes_of(device + 4095).location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes_of(device).location.id, 5u);
    EXPECT_EQ(attributes_of(pinned + 17).location.type, ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_EQ(attributes_of(host.data()).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(attributes_of(host.data()).location.id, 2u);
    EXPECT_EQ(attributes_of(nullptr).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(aclrtHostRegisterV2(host.data(), host.size(), 0), ACL_SUCCESS);
    EXPECT_EQ(attributes_of(host.data()).location.type, ACL_MEM_LOCATION_TYPE_HOST);
    EXPECT_EQ(aclrtHostUnregister(host.data()), ACL_SUCCESS);
    EXPECT_EQ(attributes_of(host.data()).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  });
}

TEST(DeviceMemory, OutlivesAResetOfItsDevice) {
  in_child({}, [] {
    char* memory = device_memory(64);
    memory[0] = 7;
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(memory[0], 7);
    EXPECT_EQ(attributes_of(memory).location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
