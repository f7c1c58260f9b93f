#include "sim/core/stream.h"

#include <fmt/format.h>
#include <pthread.h>

#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "sim/core/config.h"
#include "sim/core/scheduler.h"

namespace shmem_sim {
namespace {

// Handles of events; what is queued keeps the event itself alive.
struct EventTable {
  std::mutex mutex;
  std::unordered_map<const Event*, std::shared_ptr<Event>> events;
};

// What the parent of a forked child has recorded is not run in the child: there it counts as done.
EventTable& event_table() {
  static EventTable* table = [] {
    pthread_atfork([] { event_table().mutex.lock(); },
                   [] { event_table().mutex.unlock(); },
                   [] {
                     for (const auto& [handle, event] : event_table().events) {
                       event->completed = event->recorded;
                     }
                     event_table().mutex.unlock();
                   });
    return new EventTable;
  }();
  return *table;
}

std::shared_ptr<Event> held(const Event* event) {
  EventTable& table = event_table();
  const std::lock_guard lock(table.mutex);
  const auto found = table.events.find(event);
  return found == table.events.end() ? nullptr : found->second;
}

Scheduler& machine() {
  return Scheduler::instance();
}

Status inside_work_error(const char* call) {
  return failed(kKernelException,
                fmt::format("{} called from device work: it would wait for itself", call));
}

Status synchronize_until(int device,
                         const std::function<bool()>& done,
                         std::chrono::milliseconds timeout) {
  if (!machine().run_until(done, timeout)) {
    return failed(kSynchronizeTimeout,
                  fmt::format("device {}: work did not end within {} ms", device, timeout.count()));
  }
  return machine().device_error(device);
}

}  // namespace

int device_count() {
  return static_cast<int>(config().devices);
}
int current_device() {
  return thread_device();
}
void set_current_device(int device) {
  thread_device() = device;
}
Status device_error(int device) {
  return machine().device_error(device);
}
void reset_device(int device) {
  machine().reset_device(device);
}

Stream* create_stream(int device) {
  return machine().create_stream(device);
}
Stream* default_stream(int device) {
  return machine().default_stream(device);
}
bool is_stream(const void* handle) {
  return machine().is_stream(handle);
}
void destroy_stream(Stream* stream) {
  machine().destroy_stream(stream);
}
int stream_device(const Stream* stream) {
  return stream->device;
}
int32_t stream_id(const Stream* stream) {
  return stream->id;
}

void enqueue(Stream* stream, const char* name, Task task) {
  StreamItem item;
  item.name = name;
  item.task = std::move(task);
  machine().enqueue(stream, std::move(item));
}

void enqueue_launch(Stream* stream, KernelLaunch launch) {
  if (launch.block_count < 1 || launch.block_count > 65535) {
    const std::string text = fmt::format(
        "kernel {}: {} blocks; 1 to 65535 are possible", launch.name, launch.block_count);
    enqueue(stream, "launch", [text] { return failed(kKernelException, text); });
    return;
  }
  StreamItem item;
  item.kind = StreamItem::Kind::kLaunch;
  item.launch = std::make_unique<KernelLaunch>(std::move(launch));
  machine().enqueue(stream, std::move(item));
}

bool is_idle(const Stream* stream) {
  const std::lock_guard lock(machine().mutex());
  return stream->completed == stream->enqueued;
}

Status synchronize(Stream* stream, std::chrono::milliseconds timeout) {
  if (runs_device_work()) {
    return inside_work_error("synchronize");
  }
  uint64_t target = 0;
  {
    const std::lock_guard lock(machine().mutex());
    target = stream->enqueued;
  }
  return synchronize_until(
      stream->device, [=] { return stream->completed >= target; }, timeout);
}

Status synchronize_device(int device, std::chrono::milliseconds timeout) {
  if (runs_device_work()) {
    return inside_work_error("synchronize_device");
  }
  // Kept alive: another thread may destroy a stream that is done.
  std::vector<std::pair<std::shared_ptr<Stream>, uint64_t>> targets;
  for (const std::shared_ptr<Stream>& stream : machine().streams_of(device)) {
    const std::lock_guard lock(machine().mutex());
    if (stream->completed != stream->enqueued) {
      targets.emplace_back(stream, stream->enqueued);
    }
  }
  return synchronize_until(
      device,
      [&] {
        for (const auto& [stream, target] : targets) {
          if (stream->completed < target) {
            return false;
          }
        }
        return true;
      },
      timeout);
}

Event* create_event() {
  auto event = std::make_shared<Event>();
  EventTable& table = event_table();
  const std::lock_guard lock(table.mutex);
  Event* handle = event.get();
  table.events[handle] = std::move(event);
  return handle;
}

void destroy_event(Event* event) {
  EventTable& table = event_table();
  const std::lock_guard lock(table.mutex);
  table.events.erase(event);
}

bool is_event(const void* handle) {
  return held(static_cast<const Event*>(handle)) != nullptr;
}

void record_event(Event* event, Stream* stream) {
  machine().record(held(event), stream);
}
void wait_event(Stream* stream, Event* event) {
  machine().wait(stream, held(event));
}

bool event_done(const Event* event) {
  const std::lock_guard lock(machine().mutex());
  return event->completed >= event->recorded;
}

Status synchronize_event(Event* event, std::chrono::milliseconds timeout) {
  if (runs_device_work()) {
    return inside_work_error("synchronize_event");
  }
  const std::shared_ptr<Event> kept = held(event);
  uint64_t target = 0;
  int device = -1;
  {
    const std::lock_guard lock(machine().mutex());
    target = kept->recorded;
    device = kept->device;
  }
  if (!machine().run_until([&] { return kept->completed >= target; }, timeout)) {
    return failed(kSynchronizeTimeout,
                  fmt::format("an event was not reached within {} ms", timeout.count()));
  }
  return device < 0 ? Status{} : machine().device_error(device);
}

int64_t event_time_ns(const Event* event) {
  const std::lock_guard lock(machine().mutex());
  return event->time_ns;
}

}  // namespace shmem_sim
