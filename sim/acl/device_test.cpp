#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "sim/core/stream.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;
using tests::recent_message;

uint32_t count_of_devices() {
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  return count;
}

// Device work of `device` that fails with this text.
void break_device(int device, const std::string& text) {
  enqueue(default_stream(device), "broken", [text] { return failed(kKernelException, text); });
}

int32_t active(int device) {
  int32_t state = -1;
  EXPECT_EQ(aclrtGetPrimaryCtxState(device, nullptr, &state), ACL_SUCCESS);
  return state;
}

TEST(Devices, AreThoseOfTheSettings) {
  in_child({}, [] { EXPECT_EQ(count_of_devices(), 8u); });
  in_child({{"SHMEM_SIM_DEVICES", "3"}}, [] { EXPECT_EQ(count_of_devices(), 3u); });
}

TEST(VisibleDevices, AppearInTheirOrder) {
  in_child({{"ASCEND_RT_VISIBLE_DEVICES", "5,2,7"}}, [] {
    EXPECT_EQ(count_of_devices(), 3u);
    const int32_t logic[] = {5, 2, 7};
    for (int32_t user = 0; user < 3; ++user) {
      int32_t device = -1;
      EXPECT_EQ(aclrtGetLogicDevIdByUserDevId(user, &device), ACL_SUCCESS);
      EXPECT_EQ(device, logic[user]);
    }
    EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
    expect_refused(aclrtSetDevice(5), ACL_ERROR_RT_INVALID_DEVICEID, "there are 3 devices");
    int32_t none = -1;
    expect_refused(aclrtGetLogicDevIdByUserDevId(3, &none), ACL_ERROR_RT_INVALID_DEVICEID, "3");
    EXPECT_EQ(none, -1);
  });
}

TEST(VisibleDevices, EndAtTheFirstThatIsNone) {
  const std::pair<const char*, uint32_t> lists[] = {
      {"1,x,2", 1}, {"0,1,8", 2}, {"3,-1,4", 1}, {"0,", 1}, {"6", 1}};
  for (const auto& [list, count] : lists) {
    in_child({{"ASCEND_RT_VISIBLE_DEVICES", list}},
             [expected = count] { EXPECT_EQ(count_of_devices(), expected); });
  }
}

TEST(VisibleDevices, ThatAreNoneLeaveNoDevice) {
  for (const char* list : {"", "none", "8", "-1"}) {
    in_child({{"ASCEND_RT_VISIBLE_DEVICES", list}}, [] {
      uint32_t count = 9;
      expect_refused(
          aclrtGetDeviceCount(&count), ACL_ERROR_RT_NO_DEVICE, "ASCEND_RT_VISIBLE_DEVICES");
      EXPECT_EQ(count, 0u);
      expect_refused(aclrtSetDevice(0), ACL_ERROR_RT_INVALID_DEVICEID, "there are 0 devices");
    });
  }
}

TEST(ADeviceNumber, IsOneThatIsCounted) {
  in_child({}, [] {
    for (const int32_t device : {-1, 8, 1 << 20, INT32_MIN}) {
      const std::string said = "device " + std::to_string(device);
      const auto refused = [&](aclError error) {
        expect_refused(error, ACL_ERROR_RT_INVALID_DEVICEID, said);
      };
      int32_t number = 0;
      aclrtContext context = nullptr;
      refused(aclrtSetDevice(device));
      refused(aclrtResetDevice(device));
      refused(aclrtResetDeviceForce(device));
      refused(aclrtCreateContext(&context, device));
      refused(aclrtGetPrimaryCtxState(device, nullptr, &number));
      refused(aclrtDeviceCanAccessPeer(&number, device, 0));
      refused(aclrtDeviceCanAccessPeer(&number, 0, device));
      refused(aclrtDeviceEnablePeerAccess(device, 0));
      refused(aclrtDeviceDisablePeerAccess(device));
      EXPECT_EQ(context, nullptr);
      EXPECT_EQ(current_device(), -1);
    }
  });
}

TEST(AThreadWithoutADevice, IsToldToSetOne) {
  in_child({}, [] {
    const auto refused = [](aclError error) {
      expect_refused(error, ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    };
    int32_t device = 0;
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    size_t bytes = 0;
    char word[4] = {};
    refused(aclrtGetDevice(&device));
    refused(aclrtGetCurrentContext(&context));
    refused(aclrtSynchronizeDevice());
    refused(aclrtSynchronizeDeviceWithTimeout(1));
    refused(aclrtCreateStream(&stream));
    refused(aclrtSynchronizeStream(nullptr));
    refused(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    refused(aclrtGetMemInfo(ACL_HBM_MEM, &bytes, &bytes));
    refused(aclrtMemcpy(word, 2, word + 2, 2, ACL_MEMCPY_HOST_TO_HOST));
    refused(aclrtMemset(word, 4, 0, 4));
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(memory, nullptr);
  });
}

TEST(TheCurrentDevice, BelongsToTheThread) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
    std::thread([] {
      int32_t device = 7;
      expect_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
      EXPECT_EQ(device, 7);
      EXPECT_EQ(aclrtSetDevice(5), ACL_SUCCESS);
    }).join();
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 3);
  });
}

TEST(DeviceCalls, RefuseNullPlaces) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    const auto refused = [](aclError error, const char* call) {
      expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, call);
    };
    refused(aclrtGetDeviceCount(nullptr), "aclrtGetDeviceCount");
    refused(aclrtGetDevice(nullptr), "aclrtGetDevice");
    refused(aclrtGetCurrentContext(nullptr), "aclrtGetCurrentContext");
    refused(aclrtCreateContext(nullptr, 0), "aclrtCreateContext");
    refused(aclrtGetPrimaryCtxState(0, nullptr, nullptr), "aclrtGetPrimaryCtxState");
    refused(aclrtDeviceCanAccessPeer(nullptr, 0, 1), "aclrtDeviceCanAccessPeer");
    refused(aclrtGetLogicDevIdByUserDevId(0, nullptr), "aclrtGetLogicDevIdByUserDevId");
  });
}

TEST(AContext, IsItsDevice) {
  in_child({}, [] {
    aclrtContext first = nullptr;
    aclrtContext second = nullptr;
    EXPECT_EQ(aclrtCreateContext(&first, 2), ACL_SUCCESS);
    EXPECT_EQ(current_device(), 2);
    EXPECT_EQ(aclrtCreateContext(&second, 4), ACL_SUCCESS);
    EXPECT_NE(first, second);
    EXPECT_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
    EXPECT_EQ(current_device(), 2);
    aclrtContext current = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
    EXPECT_EQ(current, first);
    EXPECT_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
    int elsewhere = 0;
    for (aclrtContext none : {static_cast<void*>(nullptr), static_cast<void*>(&elsewhere)}) {
      expect_refused(aclrtSetCurrentContext(none), ACL_ERROR_RT_INVALID_DEVICEID, "device");
      expect_refused(aclrtDestroyContext(none), ACL_ERROR_RT_INVALID_DEVICEID, "device");
    }
    EXPECT_EQ(current_device(), 2);
  });
}

TEST(ADevice, IsActiveUntilItIsReset) {
  in_child({{"SHMEM_SIM_DEVICES", "32"}}, [] {
    EXPECT_EQ(active(31), 0);
    EXPECT_EQ(aclrtSetDevice(31), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    uint32_t flags = 9;
    int32_t state = 0;
    EXPECT_EQ(aclrtGetPrimaryCtxState(31, &flags, &state), ACL_SUCCESS);
    EXPECT_EQ(flags, 0u);
    EXPECT_EQ(state, 1);
    EXPECT_EQ(aclrtResetDevice(31), ACL_SUCCESS);
    EXPECT_EQ(active(31), 0);
    EXPECT_EQ(active(1), 1);
    EXPECT_EQ(current_device(), 1);
  });
}

TEST(AResetDevice, IsNoLongerTheCurrentOne) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDeviceForce(1), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
    void* memory = nullptr;
    expect_refused(
        aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL, "Malloc");
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  });
}

TEST(AnAsynchronousError, SurfacesAtSynchronizeAndStaysUntilReset) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    break_device(0, "the first failure");
    aclrtStream stream = nullptr;
    const auto failed_first = [](aclError error) {
      expect_refused(error, kKernelException, "the first failure");
    };
    failed_first(aclrtSynchronizeDevice());
    failed_first(aclrtSynchronizeDevice());
    failed_first(aclrtSynchronizeDeviceWithTimeout(1000));
    failed_first(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    failed_first(aclrtSynchronizeStream(stream));
    failed_first(aclrtSynchronizeStreamWithTimeout(stream, 1000));
    char word[4] = {1, 2, 3, 4};
    failed_first(aclrtMemcpy(word, 2, word + 2, 2, ACL_MEMCPY_HOST_TO_HOST));
    failed_first(aclrtMemset(word, 4, 0, 4));
    EXPECT_EQ(word[0], 1);
    break_device(0, "a later failure");
    failed_first(aclrtSynchronizeDevice());

    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemset(word, 4, 0, 4), ACL_SUCCESS);
    EXPECT_EQ(word[0], 0);
  });
}

TEST(AnAsynchronousError, StaysWithItsDevice) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
    break_device(2, "device 2 is broken");
    EXPECT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(2), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeDevice(), kKernelException, "device 2 is broken");
  });
}

TEST(PeerAccess, IsThereBetweenAllDevices) {
  in_child({}, [] {
    int32_t can = -1;
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 0, 7), ACL_SUCCESS);
    EXPECT_EQ(can, 1);
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&can, 4, 4), ACL_SUCCESS);
    EXPECT_EQ(can, 0);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(7, 0), ACL_SUCCESS);
    EXPECT_EQ(aclrtDeviceDisablePeerAccess(7), ACL_SUCCESS);
  });
}

// No task is queued before the fork: the thread sanitizer does not let a child of a process with
// threads start some.
TEST(AForkedChild, StartsAnew) {
  in_child({}, [] {
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
    expect_refused(aclrtSetDevice(99), ACL_ERROR_RT_INVALID_DEVICEID, "99");
    EXPECT_NE(aclrtSetDevice(98), ACL_SUCCESS);
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_EQ(recent_message(), "");
      EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
      EXPECT_EQ(active(3), 0);
      int32_t device = -1;
      expect_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
      EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
      EXPECT_EQ(aclrtSetDevice(3), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(active(3), 1);
    EXPECT_EQ(current_device(), 3);
    EXPECT_NE(recent_message(), "");
  });
}

#ifndef __SANITIZE_THREAD__
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHMEM_SIM_TEST_UNDER_TSAN 1
#endif
#endif
#endif

TEST(AForkedChild, DoesNotInheritTheErrorOfADevice) {
#ifdef SHMEM_SIM_TEST_UNDER_TSAN
  GTEST_SKIP() << "the thread sanitizer ends a child that starts threads after a fork of a process "
                  "with threads";
#endif
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    break_device(0, "broken before the fork");
    EXPECT_EQ(aclrtSynchronizeDevice(), kKernelException);
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(aclrtSynchronizeDevice(), kKernelException);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
