#include "sim/opapi/executor.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <memory>
#include <string>
#include <utility>

#include "sim/core/finding.h"
#include "sim/core/stream.h"

struct aclOpExecutor {
  shmem_sim::opapi::Work work;
};

// In libascendcl: sets the thread's recent error message.
extern "C" void shmem_sim_set_recent_error(int code, const char* call, const char* text);

namespace shmem_sim::opapi {
namespace {

constexpr int kInnerError = 561103;
constexpr int kNullStream = 161001;

// Operators run without autograd: on tensors that never need it, straight to the CPU kernels.
struct PlainDispatch {
  at::AutoDispatchBelowAutograd below_autograd;
  at::NoGradGuard no_grad;
};

void one_thread() {
  thread_local const bool set = [] {
    at::set_num_threads(1);  // PEs share few cores, and a pool of threads does not survive a fork
    return true;
  }();
  static_cast<void>(set);
}

std::string first_line(const char* text) {
  const std::string whole(text);
  return whole.substr(0, whole.find('\n'));
}

void try_on_meta(const Work& work) {
  try {
    work.run(View(true));
  } catch (const c10::NotImplementedError&) {
    // no meta implementation: the second phase will tell
  }
}

}  // namespace

at::Tensor View::operator()(const at::Tensor& tensor) const {
  if (!meta_ || !tensor.defined()) {
    return tensor;
  }
  return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

void remember_error(const char* call, const char* text) {
  shmem_sim_set_recent_error(kBadArguments, call, text);
}

int first_phase(const char* name,
                const std::function<Work()>& prepare,
                uint64_t* workspace,
                aclOpExecutor** executor) {
  *workspace = 0;
  *executor = nullptr;
  try {
    const PlainDispatch plain;
    auto prepared = std::make_unique<aclOpExecutor>(aclOpExecutor{prepare()});
    if (prepared->work.tried_on_meta) {
      try_on_meta(prepared->work);
    }
    *executor = prepared.release();
    return 0;
  } catch (const std::exception& error) {
    remember_error(name, first_line(error.what()).c_str());
    return kBadArguments;
  }
}

int second_phase(const char* name, aclOpExecutor* executor, void* stream) {
  std::shared_ptr<aclOpExecutor> owned(executor);
  if (executor == nullptr) {
    remember_error(name, "no executor: the first phase failed or was not called");
    return kBadArguments;
  }
  Stream* target =
      stream == nullptr ? default_stream(current_device()) : static_cast<Stream*>(stream);
  if (!is_stream(target)) {
    remember_error(name, "the stream is not alive");
    return kNullStream;
  }
  enqueue(target, name, [name, owned = std::move(owned)] {
    try {
      one_thread();
      const PlainDispatch plain;
      owned->work.run(View(false));
      return Status{};
    } catch (const std::exception& error) {
      const std::string text = std::string(name) + ": " + first_line(error.what());
      report({"operator-failed", text});
      return failed(kInnerError, text);
    }
  });
  return 0;
}

}  // namespace shmem_sim::opapi
