#pragma once

#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <memory>
#include <string>

// The two phases of an aclnn call. The first reads the arguments and tries the operator on meta
// tensors, so that wrong shapes and types are said at once; the second queues the work on the
// stream. Thread safety: calls may come from any thread; one executor belongs to one call.

// A prepared call: what torch_npu carries from the first phase to the second.
struct aclOpExecutor {
  virtual ~aclOpExecutor() = default;
  virtual void run() const = 0;         // on the device thread; throws what ATen throws
  virtual void try_out() const = 0;     // on meta tensors; throws what ATen throws
  virtual std::string key() const = 0;  // equal: the same outcome of try_out()
};

namespace shmem_sim::opapi {

// Whether the first phase tries the operator: not when its work or its shapes need data.
enum class Trial { kInFirstPhase, kNone };

// What a failing first phase returns; aclGetRecentErrMsg gives the text.
inline constexpr int kBadArguments = 161002;

// Reads the arguments and sets `argument` to the number (from 1) of the one it is reading.
using Prepare = c10::function_ref<std::unique_ptr<aclOpExecutor>(int& argument)>;

int first_phase(
    const char* name, Trial trial, Prepare prepare, uint64_t* workspace, aclOpExecutor** executor);
// Takes the executor over. Work that fails on the device is the finding "operator-failed" and the
// device's error from then on.
int second_phase(const char* name, aclOpExecutor* executor, void* stream);

// Sets what aclGetRecentErrMsg of libascendcl says on this thread.
void remember_error(const char* call, const std::string& text);

}  // namespace shmem_sim::opapi

#define SHMEM_SIM_EXPORT __attribute__((visibility("default")))
