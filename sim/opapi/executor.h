#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "sim/opapi/handle.h"

// The two phases of an aclnn call. The first turns the arguments into Work and tries it on meta
// tensors, so that wrong shapes and types are said at once; the second queues the work on the
// stream.

struct aclOpExecutor;

namespace shmem_sim::opapi {

// Gives an operator its tensors: the real ones, or meta tensors of the same layout when shapes are
// tried.
class View {
 public:
  explicit View(bool meta) : meta_(meta) {}
  at::Tensor operator()(const at::Tensor& tensor) const;

 private:
  bool meta_;
};

struct Work {
  std::function<void(const View&)> run;
  bool tried_on_meta = true;  // false: depends on data, or has no meta implementation
};

// Code of an operator that cannot be prepared; aclGetRecentErrMsg gives the text.
inline constexpr int kBadArguments = 161002;

int first_phase(const char* name,
                const std::function<Work()>& prepare,
                uint64_t* workspace,
                aclOpExecutor** executor);
int second_phase(const char* name, aclOpExecutor* executor, void* stream);

// Sets what aclGetRecentErrMsg of libascendcl will say on this thread.
void remember_error(const char* call, const char* text);

}  // namespace shmem_sim::opapi

#define SHMEM_SIM_UNPAREN(...) __VA_ARGS__

// One operator: NAME, its parameters in the vendor's order (types of handle.h), their names, and a
// body that returns Work. Exports aclnn<NAME>GetWorkspaceSize and aclnn<NAME>.
#define ACLNN(NAME, PARAMETERS, ARGUMENTS, ...)                                            \
  static ::shmem_sim::opapi::Work work_##NAME PARAMETERS __VA_ARGS__ extern "C"            \
      __attribute__((visibility("default"))) int aclnn##NAME##GetWorkspaceSize(            \
          SHMEM_SIM_UNPAREN PARAMETERS, uint64_t* workspace_, aclOpExecutor** executor_) { \
    return ::shmem_sim::opapi::first_phase(                                                \
        "aclnn" #NAME, [&] { return work_##NAME ARGUMENTS; }, workspace_, executor_);      \
  }                                                                                        \
  extern "C" __attribute__((visibility("default"))) int aclnn##NAME(                       \
      void*, uint64_t, aclOpExecutor* executor_, void* stream_) {                          \
    return ::shmem_sim::opapi::second_phase("aclnn" #NAME, executor_, stream_);            \
  }
