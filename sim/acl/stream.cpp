#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"

// Streams, events and host callbacks over the core's.

namespace shmem_sim::acl {

Stream* stream_of(aclrtStream handle, const char* call) {
  if (handle == nullptr) {
    return require_device(call) == 0 ? default_stream(current_device()) : nullptr;
  }
  if (!is_stream(handle)) {
    fail(ACL_ERROR_RT_INVALID_HANDLE, call, fmt::format("{} is not a live stream", handle));
    return nullptr;
  }
  return static_cast<Stream*>(handle);
}

Event* event_of(aclrtEvent handle, const char* call) {
  if (!is_event(handle)) {
    fail(ACL_ERROR_RT_INVALID_HANDLE, call, fmt::format("{} is not a live event", handle));
    return nullptr;
  }
  return static_cast<Event*>(handle);
}

}  // namespace shmem_sim::acl

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

aclError create_stream_for(aclrtStream* stream, const char* call) {
  if (const int32_t error = require_device(call); error != 0) {
    return error;
  }
  *stream = create_stream(current_device());
  return ACL_SUCCESS;
}

aclError destroy_stream_of(aclrtStream handle, const char* call) {
  if (handle == nullptr || !is_stream(handle)) {
    return fail(ACL_ERROR_RT_INVALID_HANDLE, call, fmt::format("{} is not a live stream", handle));
  }
  destroy_stream(static_cast<Stream*>(handle));
  return ACL_SUCCESS;
}

aclError synchronize_stream_of(aclrtStream handle, int32_t timeout_ms, const char* call) {
  Stream* stream = stream_of(handle, call);
  return stream == nullptr
             ? ACL_ERROR_RT_INVALID_HANDLE
             : result(call, synchronize(stream, std::chrono::milliseconds(timeout_ms)));
}

aclError create_event_for(aclrtEvent* event) {
  *event = create_event();
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  SHMEM_SIM_ACL_CALL();
  return create_stream_for(stream, __func__);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return create_stream_for(stream, __func__);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return destroy_stream_of(stream, __func__);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return destroy_stream_of(stream, __func__);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return synchronize_stream_of(stream, -1, __func__);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
  SHMEM_SIM_ACL_CALL();
  return synchronize_stream_of(stream, timeout_ms, __func__);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
  SHMEM_SIM_ACL_CALL();
  const Stream* stream = stream_of(handle, __func__);
  if (stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  *status = is_idle(stream) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream handle, int32_t* id) {
  SHMEM_SIM_ACL_CALL();
  const Stream* stream = stream_of(handle, __func__);
  if (stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  *id = stream_id(stream);
  return ACL_SUCCESS;
}

aclError aclrtSetStreamFailureMode(aclrtStream, uint64_t) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;  // a failure always stops the device here, the strictest mode
}

aclError aclrtCreateEvent(aclrtEvent* event) {
  SHMEM_SIM_ACL_CALL();
  return create_event_for(event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return create_event_for(event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return create_event_for(event);
}

aclError aclrtDestroyEvent(aclrtEvent handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = event_of(handle, __func__);
  if (event == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  destroy_event(event);
  return ACL_SUCCESS;
}

aclError aclrtRecordEvent(aclrtEvent event_handle, aclrtStream stream_handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = event_of(event_handle, __func__);
  Stream* stream = stream_of(stream_handle, __func__);
  if (event == nullptr || stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  record_event(event, stream);
  return ACL_SUCCESS;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream) {
  SHMEM_SIM_ACL_CALL();
  return event_of(event, __func__) == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_SUCCESS;
}

aclError aclrtStreamWaitEvent(aclrtStream stream_handle, aclrtEvent event_handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = event_of(event_handle, __func__);
  Stream* stream = stream_of(stream_handle, __func__);
  if (event == nullptr || stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  wait_event(stream, event);
  return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent handle) {
  SHMEM_SIM_ACL_CALL();
  Event* event = event_of(handle, __func__);
  return event == nullptr ? ACL_ERROR_RT_INVALID_HANDLE
                          : result(__func__, synchronize_event(event));
}

aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus* status) {
  SHMEM_SIM_ACL_CALL();
  const Event* event = event_of(handle, __func__);
  if (event == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  *status =
      event_done(event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent handle, aclrtEventWaitStatus* status) {
  SHMEM_SIM_ACL_CALL();
  const Event* event = event_of(handle, __func__);
  if (event == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  *status = event_done(event) ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent start, aclrtEvent end) {
  SHMEM_SIM_ACL_CALL();
  const Event* first = event_of(start, __func__);
  const Event* last = event_of(end, __func__);
  if (first == nullptr || last == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
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
  const Event* event = event_of(handle, __func__);
  if (event == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  *microseconds = static_cast<uint64_t>(event_time_ns(event) / 1000);
  return ACL_SUCCESS;
}

// Runs on the device thread, in stream order.
aclError aclrtLaunchHostFunc(aclrtStream handle, aclrtHostFunc function, void* argument) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = stream_of(handle, __func__);
  if (stream == nullptr) {
    return ACL_ERROR_RT_INVALID_HANDLE;
  }
  enqueue(stream, __func__, [function, argument] {
    function(argument);
    return Status{};
  });
  return ACL_SUCCESS;
}

aclError aclrtLaunchCallback(aclrtCallback function,
                             void* argument,
                             aclrtCallbackBlockType,
                             aclrtStream handle) {
  SHMEM_SIM_ACL_CALL();
  return aclrtLaunchHostFunc(handle, function, argument);
}

aclError aclrtSubscribeReport(uint64_t, aclrtStream) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;  // callbacks need no thread of the caller's here
}

aclError aclrtUnSubscribeReport(uint64_t, aclrtStream) {
  SHMEM_SIM_ACL_CALL();
  return ACL_SUCCESS;
}

aclError aclrtProcessReport(int32_t timeout_ms) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(timeout_ms < 0 ? 10 : std::min(timeout_ms, 10)));
  return ACL_SUCCESS;
}

}  // extern "C"
