#include "sim/opapi/executor.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <mutex>
#include <unordered_set>
#include <utility>

#include "sim/core/finding.h"
#include "sim/core/stream.h"

// In libascendcl, which keeps the recent error message of each thread.
extern "C" void shmem_sim_set_recent_error(int code, const char* call, const char* text);
extern "C" void shmem_sim_trace_call(const char* call);

namespace shmem_sim::opapi {
namespace {

constexpr int kInnerError = 561103;
constexpr int kNoStream = 161001;

// Whatever the thread is in the middle of (autograd, autocast, a function transform, a dispatch
// mode: it may be the program's own, which runs ready work while it synchronizes), tensors go
// straight to the CPU or meta kernels.
class PlainDispatch {
 public:
  PlainDispatch()
      : keys_(c10::DispatchKeySet(c10::DispatchKey::BackendSelect),
              c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset) {}

 private:
  c10::impl::ForceDispatchKeyGuard keys_;
  at::NoGradGuard no_grad_;
};

// PEs share few cores, and ATen's pool of threads does not survive a fork. The number belongs to
// the thread, which may be the program's own: it gets it back.
class OneThread {
 public:
  OneThread() : before_(at::get_num_threads()) { at::set_num_threads(1); }
  ~OneThread() { at::set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Null-terminated texts of ATen carry a stack behind the message.
std::string message_of(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  return first_line(of_torch == nullptr ? error.what() : of_torch->what_without_backtrace());
}

// Calls that went well on meta tensors. Many of torch's meta kernels are Python: a trial costs some
// 50 us and the interpreter's lock, and programs make the same calls again and again.
class Trials {
 public:
  bool went_well(const std::string& call) const {
    const std::lock_guard lock(mutex_);
    return calls_.contains(call);
  }
  void remember(std::string call) {
    const std::lock_guard lock(mutex_);
    if (calls_.size() >= kMost) {
      calls_.clear();
    }
    calls_.insert(std::move(call));
  }

 private:
  static constexpr size_t kMost = 10000;
  mutable std::mutex mutex_;
  std::unordered_set<std::string> calls_;
};

void try_out(const char* name, const aclOpExecutor& prepared) {
  static auto* trials = new Trials;  // calls may come while the process ends
  std::string call = std::string(name) + '\0' + prepared.key();
  if (trials->went_well(call)) {
    return;
  }
  try {
    prepared.try_out();
  } catch (const c10::NotImplementedError&) {
    // The operator has no meta kernel: the second phase will tell.
  }
  trials->remember(std::move(call));
}

}  // namespace

void remember_error(const char* call, const std::string& text) {
  shmem_sim_set_recent_error(kBadArguments, call, text.c_str());
}

int first_phase(
    const char* name, Trial trial, Prepare prepare, uint64_t* workspace, aclOpExecutor** executor) {
  shmem_sim_trace_call(name);
  *workspace = 0;
  *executor = nullptr;
  int argument = 0;
  try {
    const PlainDispatch plain;
    auto prepared = prepare(argument);
    argument = 0;
    if (trial == Trial::kInFirstPhase) {
      try_out(name, *prepared);
    }
    *executor = prepared.release();
    return 0;
  } catch (const std::exception& error) {
    const std::string place = argument == 0 ? "" : "argument " + std::to_string(argument) + ": ";
    remember_error(name, place + message_of(error));
    return kBadArguments;
  }
}

int second_phase(const char* name, aclOpExecutor* executor, void* stream) {
  std::shared_ptr<const aclOpExecutor> owned(executor);
  if (executor == nullptr) {
    remember_error(name, "no executor: the first phase failed or was not called");
    return kBadArguments;
  }
  Stream* target =
      stream == nullptr ? default_stream(current_device()) : static_cast<Stream*>(stream);
  if (!is_stream(target)) {
    remember_error(name, "the stream is not alive");
    return kNoStream;
  }
  enqueue(target, name, [name, owned = std::move(owned)] {
    try {
      const PlainDispatch plain;
      const OneThread one_thread;
      owned->run();
      return Status{};
    } catch (const std::exception& error) {
      const std::string text = std::string(name) + ": " + message_of(error);
      report({"operator-failed", text});
      return failed(kInnerError, text);
    }
  });
  return 0;
}

}  // namespace shmem_sim::opapi
