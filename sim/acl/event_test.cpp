#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
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
using tests::new_stream;

aclrtEvent new_event() {
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  return event;
}

aclrtEventRecordedStatus recorded(aclrtEvent event) {
  aclrtEventRecordedStatus status{};
  EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
  return status;
}

aclrtEventWaitStatus waited(aclrtEvent event) {
  aclrtEventWaitStatus status{};
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &status), ACL_SUCCESS);
  return status;
}

void wait_for_flag(void* flag) {
  while (!static_cast<std::atomic<bool>*>(flag)->load()) {
    std::this_thread::yield();
  }
}

TEST(ADeadEvent, IsRefusedByEveryCall) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    aclrtEvent live = new_event();
    aclrtEvent dead = new_event();
    EXPECT_EQ(aclrtDestroyEvent(dead), ACL_SUCCESS);
    for (aclrtEvent handle : {dead, static_cast<void*>(nullptr), stream}) {
      const auto refused = [](aclError error) {
        expect_refused(error, ACL_ERROR_RT_INVALID_HANDLE, "is not a live event");
      };
      aclrtEventRecordedStatus status{};
      aclrtEventWaitStatus wait_status{};
      float milliseconds = -1;
      uint64_t microseconds = 7;
      refused(aclrtDestroyEvent(handle));
      refused(aclrtRecordEvent(handle, stream));
      refused(aclrtResetEvent(handle, stream));
      refused(aclrtStreamWaitEvent(stream, handle));
      refused(aclrtSynchronizeEvent(handle));
      refused(aclrtQueryEventStatus(handle, &status));
      refused(aclrtQueryEventWaitStatus(handle, &wait_status));
      refused(aclrtEventElapsedTime(&milliseconds, handle, live));
      refused(aclrtEventElapsedTime(&milliseconds, live, handle));
      refused(aclrtEventGetTimestamp(handle, &microseconds));
      EXPECT_EQ(milliseconds, -1);
      EXPECT_EQ(microseconds, 7u);
    }
  });
}

TEST(EventCalls, RefuseNullPlacesAndDeadStreams) {
  in_child({}, [] {
    aclrtStream dead = new_stream();
    EXPECT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
    aclrtEvent event = new_event();
    const auto bad_place = [](aclError error) {
      expect_refused(error, ACL_ERROR_RT_PARAM_INVALID, "null");
    };
    bad_place(aclrtCreateEvent(nullptr));
    bad_place(aclrtCreateEventWithFlag(nullptr, 0));
    bad_place(aclrtCreateEventExWithFlag(nullptr, 0));
    bad_place(aclrtQueryEventStatus(event, nullptr));
    bad_place(aclrtQueryEventWaitStatus(event, nullptr));
    bad_place(aclrtEventElapsedTime(nullptr, event, event));
    bad_place(aclrtEventGetTimestamp(event, nullptr));
    const auto bad_stream = [](aclError error) {
      expect_refused(error, ACL_ERROR_RT_INVALID_HANDLE, "is not a live stream");
    };
    bad_stream(aclrtRecordEvent(event, dead));
    bad_stream(aclrtResetEvent(event, dead));
    bad_stream(aclrtStreamWaitEvent(dead, event));
    EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  });
}

TEST(AnEvent, IsReachedWithTheWorkBeforeIt) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    aclrtEvent event = new_event();
    std::atomic<bool> open{false};
    EXPECT_EQ(aclrtLaunchHostFunc(stream, &wait_for_flag, &open), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
    EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
    EXPECT_EQ(waited(event), ACL_EVENT_WAIT_STATUS_NOT_READY);
    open = true;
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    EXPECT_EQ(recorded(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT_EQ(waited(event), ACL_EVENT_WAIT_STATUS_COMPLETE);
  });
}

TEST(AnEventThatWasNeverRecorded, HoldsNobody) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    aclrtEvent event = new_event();
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetEvent(event, stream), ACL_SUCCESS);
  });
}

TEST(AStreamThatWaits, GoesOnBehindTheRecord) {
  in_child({}, [] {
    aclrtStream first = new_stream();
    aclrtStream second = new_stream();
    aclrtEvent event = new_event();
    struct Words {
      int written = 0;
      int seen = -1;
    } words;
    const auto write = [](void* place) { static_cast<Words*>(place)->written = 5; };
    const auto read = [](void* place) {
      auto* at = static_cast<Words*>(place);
      at->seen = at->written;
    };
    std::atomic<bool> open{false};
    EXPECT_EQ(aclrtLaunchHostFunc(first, &wait_for_flag, &open), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(first, write, &words), ACL_SUCCESS);
    EXPECT_EQ(aclrtRecordEvent(event, first), ACL_SUCCESS);
    EXPECT_EQ(aclrtStreamWaitEvent(second, event), ACL_SUCCESS);
    EXPECT_EQ(aclrtLaunchHostFunc(second, read, &words), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);  // what is recorded and awaited stays
    open = true;
    EXPECT_EQ(aclrtSynchronizeStream(second), ACL_SUCCESS);
    EXPECT_EQ(words.seen, 5);
  });
}

TEST(TimesOfEvents, AreThereOnceTheyAreReached) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    aclrtEvent start = new_event();
    aclrtEvent end = nullptr;
    EXPECT_EQ(aclrtCreateEventExWithFlag(&end, 0), ACL_SUCCESS);
    float milliseconds = -1;
    uint64_t from = 0;
    uint64_t to = 0;
    const auto unknown = [](aclError error) {
      expect_refused(error, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "not recorded");
    };
    EXPECT_EQ(aclrtRecordEvent(start, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(start), ACL_SUCCESS);
    unknown(aclrtEventElapsedTime(&milliseconds, start, end));
    unknown(aclrtEventElapsedTime(&milliseconds, end, start));
    unknown(aclrtEventGetTimestamp(end, &to));
    EXPECT_EQ(milliseconds, -1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(aclrtRecordEvent(end, stream), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(end), ACL_SUCCESS);
    EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, start, end), ACL_SUCCESS);
    EXPECT_GE(milliseconds, 2);
    EXPECT_EQ(aclrtEventGetTimestamp(start, &from), ACL_SUCCESS);
    EXPECT_EQ(aclrtEventGetTimestamp(end, &to), ACL_SUCCESS);
    EXPECT_GE(to, from + 2000);
  });
}

TEST(AnEventOfABrokenDevice, FailsAtSynchronize) {
  in_child({}, [] {
    aclrtStream stream = new_stream();
    aclrtEvent event = new_event();
    enqueue(static_cast<Stream*>(stream), "broken", [] {
      return failed(kKernelException, "broken before the event");
    });
    EXPECT_EQ(aclrtRecordEvent(event, stream), ACL_SUCCESS);
    expect_refused(aclrtSynchronizeEvent(event), kKernelException, "broken before the event");
    expect_refused(aclrtSynchronizeEvent(event), kKernelException, "broken before the event");
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace shmem_sim::acl
