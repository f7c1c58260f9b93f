#include "sim/core/stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/test_words.h"
#include "tests/support/in_child.h"

namespace shmem_sim::acl {
namespace {

using shmem_sim::tests::in_child;
using tests::expect_refused;
using tests::new_stream;

// Keeps a stream busy until it is opened.
struct Gate {
  explicit Gate(aclrtStream stream) {
    EXPECT_EQ(aclrtLaunchHostFunc(stream, &Gate::wait, this), ACL_SUCCESS);
  }
  static void wait(void* gate) {
    while (!static_cast<Gate*>(gate)->open) {
      std::this_thread::yield();
    }
  }
  std::atomic<bool> open{false};
};

aclrtStreamStatus status_of(aclrtStream stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream, &status), ACL_SUCCESS);
  return status;
}

void add_one(void* number) {
  ++*static_cast<int*>(number);
}

TEST(ADeadStream, IsRefusedByEveryCall) {
  in_child({}, [] {
    aclrtStream dead = new_stream();
    EXPECT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
    int elsewhere = 0;
    for (aclrtStream handle : {dead, static_cast<void*>(&elsewhere)}) {
      const auto refused = [](aclError error) {
        expect_refused(error, ACL_ERROR_RT_INVALID_HANDLE, "is not a live stream");
      };
      aclrtStreamStatus status{};
      int32_t id = -1;
      uint32_t cores = 0;
      refused(aclrtDestroyStream(handle));
      refused(aclrtDestroyStreamForce(handle));
      refused(aclrtSynchronizeStream(handle));
      refused(aclrtSynchronizeStreamWithTimeout(handle, 1));
      refused(aclrtStreamQuery(handle, &status));
      refused(aclrtStreamGetId(handle, &id));
      refused(aclrtSetStreamFailureMode(handle, 1));
      refused(aclrtLaunchHostFunc(handle, &add_one, &elsewhere));
      refused(aclrtLaunchCallback(&add_one, &elsewhere, ACL_CALLBACK_NO_BLOCK, handle));
      refused(aclrtSubscribeReport(0, handle));
      refused(aclrtUnSubscribeReport(0, handle));
      refused(aclrtGetStreamResLimit(handle, ACL_RT_DEV_RES_CUBE_CORE, &cores));
      EXPECT_EQ(id, -1);
    }
    EXPECT_EQ(elsewhere, 0);
  });
}

TEST(AnEvent, IsNoStream) {
  in_child({}, [] {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    expect_refused(
        aclrtSynchronizeStream(event), ACL_ERROR_RT_INVALID_HANDLE, "is not a live stream");
  });
}

TEST(StreamCalls, RefuseNullPlacesAndFunctions) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    const auto refused = [](aclError error, const char* call) {
      expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, call);
    };
    refused(aclrtCreateStream(nullptr), "aclrtCreateStream");
    refused(aclrtCreateStreamWithConfig(nullptr, 0, 0), "aclrtCreateStreamWithConfig");
    refused(aclrtStreamQuery(stream, nullptr), "aclrtStreamQuery");
    refused(aclrtStreamGetId(stream, nullptr), "aclrtStreamGetId");
    refused(aclrtLaunchHostFunc(stream, nullptr, nullptr), "no function to call");
    refused(aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, stream), "no function");
    refused(aclmdlRICaptureGetInfo(stream, nullptr, nullptr), "aclmdlRICaptureGetInfo");
    refused(aclrtDestroyStream(nullptr), "aclrtDestroyStream");
    refused(aclrtDestroyStreamForce(nullptr), "aclrtDestroyStreamForce");
  });
}

TEST(TheDefaultStream, IsThatOfTheCurrentDevice) {
  in_child({}, [] {
    int32_t ids[2] = {-1, -1};
    for (int device = 0; device < 2; ++device) {
      EXPECT_EQ(aclrtSetDevice(device), ACL_SUCCESS);
      EXPECT_EQ(aclrtStreamGetId(nullptr, &ids[device]), ACL_SUCCESS);
      EXPECT_EQ(ids[device], stream_id(default_stream(device)));
    }
    EXPECT_NE(ids[0], ids[1]);
  });
}

TEST(Streams, HaveIdsOfTheirOwn) {
  in_child({}, [] {
    int32_t first = -1;
    int32_t second = -1;
    EXPECT_EQ(aclrtStreamGetId(new_stream(), &first), ACL_SUCCESS);
    aclrtStream configured = nullptr;
    EXPECT_EQ(aclrtCreateStreamWithConfig(&configured, 3, 7), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamGetId(configured, &second), ACL_SUCCESS);
    EXPECT_NE(first, second);
  });
}

TEST(AStream, TellsWhetherItIsDone) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
    Gate gate(stream);
    EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_NOT_READY);
    gate.open = true;
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(status_of(stream), ACL_STREAM_STATUS_COMPLETE);
  });
}

// Callbacks run on the device thread, in the order of their stream; a stream that is destroyed
// finishes first.
TEST(Callbacks, RunInStreamOrder) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    std::vector<int> order;
    struct Step {
      std::vector<int>* order;
      int number;
    };
    std::vector<Step> steps;
    for (int i = 0; i < 10; ++i) {
      steps.push_back({&order, i});
    }
    const auto append = [](void* step) {
      const auto* at = static_cast<Step*>(step);
      at->order->push_back(at->number);
    };
    EXPECT_EQ(aclrtSubscribeReport(1, stream), ACL_SUCCESS);
    for (int i = 0; i < 10; ++i) {
      const aclError error =
          i % 2 == 0 ? aclrtLaunchHostFunc(stream, append, &steps[static_cast<size_t>(i)])
                     : aclrtLaunchCallback(
                           append, &steps[static_cast<size_t>(i)], ACL_CALLBACK_NO_BLOCK, stream);
      EXPECT_EQ(error, ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtProcessReport(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtUnSubscribeReport(1, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  });
}

TEST(ASynchronizeWithTimeout, EndsWithItsCode) {
  in_child({}, [] {
    // The caller runs ready work itself: the gate must be on the device thread by then.
    aclrtStream stream = new_stream();
    struct Hold {
      std::atomic<bool> began{false};
      std::atomic<bool> open{false};
    } hold;
    const auto wait = [](void* place) {
      auto* held = static_cast<Hold*>(place);
      held->began = true;
      while (!held->open) {
        std::this_thread::yield();
      }
    };
    EXPECT_EQ(aclrtLaunchHostFunc(stream, wait, &hold), ACL_SUCCESS);
    while (!hold.began) {
      std::this_thread::yield();
    }
    expect_refused(aclrtSynchronizeStreamWithTimeout(stream, 5), kSynchronizeTimeout, "5 ms");
    expect_refused(aclrtSynchronizeDeviceWithTimeout(5), kSynchronizeTimeout, "device 0");
    hold.open = true;
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(10000), ACL_SUCCESS);
  });
}

TEST(SynchronizingInACallback, IsAnErrorAndNoDeadlock) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    struct Seen {
      aclrtStream stream;
      aclError error;
    } seen{stream, ACL_SUCCESS};
    const auto synchronize_inside = [](void* place) {
      auto* at = static_cast<Seen*>(place);
      at->error = aclrtSynchronizeStream(at->stream);
    };
    EXPECT_EQ(aclrtLaunchHostFunc(stream, synchronize_inside, &seen), ACL_SUCCESS);
    static_cast<void>(aclrtSynchronizeStream(stream));
    EXPECT_EQ(seen.error, kKernelException);
  });
}

TEST(AFailure, DropsTheLaterWorkOfItsDevice) {
  in_child({}, [] {
    aclrtStream stream = new_stream(1);
    aclrtStream other = new_stream(2);
    int ran = 0;
    int ran_elsewhere = 0;
    enqueue(static_cast<Stream*>(stream), "broken", [] {
      return failed(kKernelException, "broken on purpose");
    });
    EXPECT_EQ(aclrtLaunchHostFunc(stream, &add_one, &ran), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(other, &add_one, &ran_elsewhere), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeStream(stream), kKernelException, "broken on purpose");
    EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS);
    EXPECT_EQ(ran, 0);
    EXPECT_EQ(ran_elsewhere, 1);
    EXPECT_EQ(aclrtResetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(stream, &add_one, &ran), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(ran, 1);
  });
}

TEST(NoStream, IsEverBeingCaptured) {
  in_child({}, [] {
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    int elsewhere = 0;
    aclmdlRI model = &elsewhere;
    EXPECT_EQ(aclmdlRICaptureGetInfo(new_stream(), &status, &model), ACL_SUCCESS);
    EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    EXPECT_EQ(model, nullptr);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
