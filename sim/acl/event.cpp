#include <fmt/format.h>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"

// Events over the core's: records are counted, and a wait belongs to the last record before it.

namespace shmem_sim::acl {

int32_t find_event(aclrtEvent handle, const char* call, Event** event) {
  if (!is_event(handle)) {
    return fail(ACL_ERROR_RT_INVALID_HANDLE, call, fmt::format("{} is not a live event", handle));
  }
  *event = static_cast<Event*>(handle);
  return ACL_SUCCESS;
}

}  // namespace shmem_sim::acl

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

// The flags change what hardware spends on an event. Every event here has a time and can be waited
// for.
aclError make_event(aclrtEvent* event, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_place(event, call));
  *event = create_event();
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateEvent(aclrtEvent* event) {
  SHMEM_SIM_ACL_CALL();
  return make_event(event, __func__);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return make_event(event, __func__);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return make_event(event, __func__);
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  SHMEM_SIM_ACL_CHECK(find_event(handle, __func__, &event));
  destroy_event(event);
  return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event_handle, aclrtStream stream_handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_event(event_handle, __func__, &event));
  SHMEM_SIM_ACL_CHECK(find_stream(stream_handle, __func__, &stream));
  record_event(event, stream);
  return ACL_SUCCESS;
}

// Hardware needs it before an event is recorded again. Here a wait belongs to the last record
// before it, with or without a reset; a wait for a record that only comes later is not modelled.
aclError aclrtResetEvent(aclrtEvent event_handle, aclrtStream stream_handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_event(event_handle, __func__, &event));
  return find_stream(stream_handle, __func__, &stream);
}

aclError aclrtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent event_handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_event(event_handle, __func__, &event));
  SHMEM_SIM_ACL_CHECK(find_stream(stream_handle, __func__, &stream));
  wait_event(stream, event);
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  SHMEM_SIM_ACL_CHECK(find_event(handle, __func__, &event));
  return result(__func__, synchronize_event(event));
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(status, __func__));
  SHMEM_SIM_ACL_CHECK(find_event(handle, __func__, &event));
  *status =
      event_done(event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent handle, aclrtEventWaitStatus* status) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(status, __func__));
  SHMEM_SIM_ACL_CHECK(find_event(handle, __func__, &event));
  *status = event_done(event) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent start, aclrtEvent end) {
  SHMEM_SIM_ACL_CALL();
  Event* first = nullptr;
  Event* last = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(milliseconds, __func__));
  SHMEM_SIM_ACL_CHECK(find_event(start, __func__, &first));
  SHMEM_SIM_ACL_CHECK(find_event(end, __func__, &last));
  const int64_t from = event_time_ns(first);
  const int64_t to = event_time_ns(last);
  if (from == 0 || to == 0) {
    return fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                __func__,
                "an event was not recorded, or is not reached yet");
  }
  *milliseconds = static_cast<float>(static_cast<double>(to - from) / 1e6);
  return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent handle, uint64_t* microseconds) {
  SHMEM_SIM_ACL_CALL();
  Event* event = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(microseconds, __func__));
  SHMEM_SIM_ACL_CHECK(find_event(handle, __func__, &event));
  const int64_t time_ns = event_time_ns(event);
  if (time_ns == 0) {
    return fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                __func__,
                "the event was not recorded, or is not reached yet");
  }
  *microseconds = static_cast<uint64_t>(time_ns / 1000);
  return ACL_SUCCESS;
}

}  // extern "C"
