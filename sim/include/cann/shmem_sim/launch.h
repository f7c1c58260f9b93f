#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace shmem_sim {

struct LaunchSite {
  const char* kernel;
  const char* file;
  int line;
};

// Enqueues `body` for every block on `stream` (null: the current device's default stream) and
// returns.
void enqueue_kernel(const LaunchSite& site,
                    int64_t blocks,
                    const void* stream,
                    std::function<void()> body);

template <class... P>
class KernelLauncher {
 public:
  KernelLauncher(void (*kernel)(P...), const LaunchSite& site, int64_t blocks, const void* stream)
      : kernel_(kernel), site_(site), blocks_(blocks), stream_(stream) {}

  // Arguments are converted to the kernel's parameter types here and kept by value.
  void operator()(P... arguments) const {
    enqueue_kernel(
        site_, blocks_, stream_, [kernel = kernel_, arguments...] { kernel(arguments...); });
  }

 private:
  void (*kernel_)(P...);
  LaunchSite site_;
  int64_t blocks_;
  const void* stream_;
};

// `l2` is always null or 0 in the language; it is accepted and not looked at.
template <class L2, class... P>
KernelLauncher<P...> kernel_launch(void (*kernel)(P...),
                                   const char* name,
                                   const char* file,
                                   int line,
                                   int64_t blocks,
                                   L2,
                                   const void* stream) {
  return {kernel, LaunchSite{name, file, line}, blocks, stream};
}

}  // namespace shmem_sim
