#include "sim/shmem/state.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cstdio>
#include <string>
#include <utility>

#include "sim/core/finding.h"
#include "sim/core/job.h"

namespace shmem_sim::shmem {
namespace {

State* g_state = nullptr;

void forget_in_child() {
  g_state = nullptr;
}

}  // namespace

State* state() {
  return g_state;
}

void set_state(std::unique_ptr<State> fresh) {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_in_child);
  static_cast<void>(registered);
  delete g_state;
  g_state = fresh.release();
}

int complain(const char* call, int code, const std::string& text) {
  fmt::print(stderr, "shmem: PE {}: {}: {} (error {})\n", job_pe(), call, text, code);
  std::fflush(stderr);
  return code;
}

bool require_initialised(const char* call) {
  if (state() != nullptr) {
    return true;
  }
  complain(
      call, ACLSHMEM_NOT_INITED, "Memory Heap Not Initialized: call aclshmemx_init_attr first");
  return false;
}

Stream* stream_or_default(aclrtStream handle, const char* call) {
  if (!require_initialised(call)) {
    return nullptr;
  }
  if (handle != nullptr && !is_stream(handle)) {
    const std::string text = fmt::format("{} is not a live stream", handle);
    report({"bad-launch", fmt::format("{}: {}", call, text)});
    complain(call, ACLSHMEM_INVALID_PARAM, text);
    return nullptr;
  }
  return handle == nullptr ? state()->default_stream : static_cast<Stream*>(handle);
}

Status settle_default_stream() {
  return state() == nullptr ? Status{} : synchronize(state()->default_stream);
}

}  // namespace shmem_sim::shmem
