#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "sim/acl/check.h"

// Streams and host callbacks over the core's.

namespace shmem_sim::acl {

int32_t find_stream(aclrtStream handle, const char* call, Stream** stream) {
  if (handle == nullptr) {
    SHMEM_SIM_ACL_CHECK(require_device(call));
    *stream = default_stream(current_device());
    return ACL_SUCCESS;
  }
  if (!is_stream(handle)) {
    return fail(ACL_ERROR_RT_INVALID_HANDLE, call, fmt::format("{} is not a live stream", handle));
  }
  *stream = static_cast<Stream*>(handle);
  return ACL_SUCCESS;
}

}  // namespace shmem_sim::acl

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::acl;  // NOLINT(google-build-using-namespace)

namespace {

aclError make_stream(aclrtStream* stream, const char* call) {
  SHMEM_SIM_ACL_CHECK(require_place(stream, call));
  SHMEM_SIM_ACL_CHECK(require_device(call));
  *stream = create_stream(current_device());
  return ACL_SUCCESS;
}

aclError end_stream(aclrtStream handle, const char* call) {
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(handle, call));  // the default stream stays
  SHMEM_SIM_ACL_CHECK(find_stream(handle, call, &stream));
  destroy_stream(stream);
  return ACL_SUCCESS;
}

aclError wait_for_stream(aclrtStream handle, std::chrono::milliseconds timeout, const char* call) {
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(find_stream(handle, call, &stream));
  return result(call, synchronize(stream, timeout));
}

aclError call_on_stream(aclrtStream handle,
                        void (*function)(void*),
                        void* argument,
                        const char* call) {
  Stream* stream = nullptr;
  if (function == nullptr) {
    return fail(ACL_ERROR_RT_PARAM_INVALID, call, "no function to call");
  }
  SHMEM_SIM_ACL_CHECK(find_stream(handle, call, &stream));
  enqueue(stream, call, [function, argument] {
    function(argument);
    return Status{};
  });
  return ACL_SUCCESS;
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
  SHMEM_SIM_ACL_CALL();
  return make_stream(stream, __func__);
}

// Priority and flags have no effect: ready work of all streams takes turns.
aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  SHMEM_SIM_ACL_CALL();
  return make_stream(stream, __func__);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return end_stream(stream, __func__);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return end_stream(stream, __func__);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return wait_for_stream(stream, kForever, __func__);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout_ms) {
  SHMEM_SIM_ACL_CALL();
  return wait_for_stream(stream, std::chrono::milliseconds(timeout_ms), __func__);
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(status, __func__));
  SHMEM_SIM_ACL_CHECK(find_stream(handle, __func__, &stream));
  *status = is_idle(stream) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
  return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream handle, int32_t* id) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  SHMEM_SIM_ACL_CHECK(require_place(id, __func__));
  SHMEM_SIM_ACL_CHECK(find_stream(handle, __func__, &stream));
  *id = stream_id(stream);
  return ACL_SUCCESS;
}

// A failure always stops the device here, the strictest mode.
aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  return find_stream(handle, __func__, &stream);
}

// No stream is ever being captured: the calls that would begin it are not modelled.
aclError aclmdlRICaptureGetInfo(aclrtStream, aclmdlRICaptureStatus* status, aclmdlRI* model) {
  SHMEM_SIM_ACL_CALL();
  SHMEM_SIM_ACL_CHECK(require_place(status, __func__));
  *status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  if (model != nullptr) {
    *model = nullptr;
  }
  return ACL_SUCCESS;
}

// Runs on the device thread, in stream order; must not wait for device work.
aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc function, void* argument) {
  SHMEM_SIM_ACL_CALL();
  return call_on_stream(stream, function, argument, __func__);
}

aclError aclrtLaunchCallback(aclrtCallback function,
                             void* argument,
                             aclrtCallbackBlockType,
                             aclrtStream stream) {
  SHMEM_SIM_ACL_CALL();
  return call_on_stream(stream, function, argument, __func__);
}

// Callbacks run on the device thread: the thread that is subscribed has nothing to do.
aclError aclrtSubscribeReport(uint64_t, aclrtStream handle) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  return find_stream(handle, __func__, &stream);
}

aclError aclrtUnSubscribeReport(uint64_t, aclrtStream handle) {
  SHMEM_SIM_ACL_CALL();
  Stream* stream = nullptr;
  return find_stream(handle, __func__, &stream);
}

aclError aclrtProcessReport(int32_t timeout_ms) {
  SHMEM_SIM_ACL_CALL();
  constexpr int32_t kLongestMs = 10;  // so that a loop around it ends soon
  std::this_thread::sleep_for(
      std::chrono::milliseconds(timeout_ms < 0 ? kLongestMs : std::min(timeout_ms, kLongestMs)));
  return ACL_SUCCESS;
}

}  // extern "C"
