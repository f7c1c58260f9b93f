#include "sim/core/scheduler.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "sim/core/choose.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kExitPatience = 1s;

std::atomic<Scheduler*> g_scheduler{nullptr};  // the one object per process behind the C API
std::once_flag g_once;
std::once_flag* g_flag = &g_once;

// A forked child starts with an idle machine of its own. The parent's is abandoned, not destroyed:
// its mutexes may be held by threads that do not exist here.
void forget_machine_in_child() {
  g_scheduler = nullptr;
  g_flag = new std::once_flag;
}

void stop_at_exit() {
  if (Scheduler* scheduler = g_scheduler.load()) {
    scheduler->stop_device_thread();
  }
}

}  // namespace

std::chrono::microseconds chosen_hold() {
  return std::chrono::microseconds(choose(static_cast<uint64_t>(config().hold_us) + 1));
}

Scheduler& Scheduler::instance() {
  std::call_once(*g_flag, [] {
    static const int registered = pthread_atfork(nullptr, nullptr, &forget_machine_in_child);
    static const int stops = std::atexit(&stop_at_exit);
    static_cast<void>(registered + stops);
    g_scheduler = new Scheduler;  // never destroyed: the device thread runs until the process ends
  });
  return *g_scheduler;
}

Scheduler::Scheduler()
    : first_thread_(std::this_thread::get_id()), errors_(static_cast<size_t>(config().devices)) {
  for (int device = 0; device < config().devices; ++device) {
    defaults_.push_back(create_stream(device));
  }
}

Stream* Scheduler::create_stream(int device) {
  const std::lock_guard lock(mutex_);
  auto stream = std::make_shared<Stream>();
  stream->device = device;
  stream->id = next_id_++;
  handles_.insert(stream.get());
  owned_.push_back(std::move(stream));
  return owned_.back().get();
}

Stream* Scheduler::default_stream(int device) {
  return defaults_.at(static_cast<size_t>(device));
}

bool Scheduler::is_stream(const void* handle) {
  const std::lock_guard lock(mutex_);
  return handles_.contains(handle);
}

void Scheduler::destroy_stream(Stream* stream) {
  if (runs_device_work()) {
    const std::lock_guard lock(mutex_);
    handles_.erase(stream);
    stream->doomed = true;
    if (!stream->listed) {
      forget(stream);
    }
    return;
  }
  // The leader may still look at it until it has taken it off its list.
  run_until([stream] { return stream->completed == stream->enqueued && !stream->listed; },
            kForever);
  const std::lock_guard lock(mutex_);
  handles_.erase(stream);
  forget(stream);
}

void Scheduler::forget(const Stream* stream) {
  std::erase_if(owned_, [stream](const auto& item) { return item.get() == stream; });
}

std::vector<std::shared_ptr<Stream>> Scheduler::streams_of(int device) {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Stream>> result;
  for (const auto& stream : owned_) {
    if (stream->device == device) {
      result.push_back(stream);
    }
  }
  return result;
}

void Scheduler::enqueue(Stream* stream, StreamItem item) {
  const int64_t delay_us = config().queue_delay_us;
  if (delay_us > 0 && std::this_thread::get_id() != first_thread_) {
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us));
  }
  const std::lock_guard lock(mutex_);
  if (device_thread_ == DeviceThread::kNone) {
    device_thread_ = DeviceThread::kRuns;
    std::thread([this] { device_loop(); }).detach();
  }
  stream->queue.push_back(std::move(item));
  ++stream->enqueued;
  ++arrivals_;
  if (!stream->listed) {
    stream->listed = true;
    active_.push_back(stream);
  }
  if (leader_sleeps_) {
    ring_doorbell();
  } else {
    pass_on();
  }
}

void Scheduler::record(const std::shared_ptr<Event>& event, Stream* stream) {
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++event->recorded;
    event->device = stream->device;
  }
  StreamItem item;
  item.kind = StreamItem::Kind::kRecord;
  item.event = event;
  item.number = number;
  enqueue(stream, std::move(item));
}

void Scheduler::wait(Stream* stream, const std::shared_ptr<Event>& event) {
  StreamItem item;
  item.kind = StreamItem::Kind::kWait;
  item.event = event;
  {
    const std::lock_guard lock(mutex_);
    item.number = event->recorded;
  }
  enqueue(stream, std::move(item));
}

void Scheduler::pass_on() {
  if (leading_ || !has_work()) {
    return;
  }
  if (waiters_.empty()) {
    work_.notify_one();
  } else {
    waiters_.front()->wake.notify_one();
  }
}

void Scheduler::tell_waiters() {
  for (Waiter* waiter : waiters_) {
    if ((*waiter->done)()) {
      waiter->wake.notify_one();
    }
  }
}

void Scheduler::device_loop() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] {
        return device_thread_ == DeviceThread::kStops ||
               (!leading_ && waiters_.empty() && has_work());
      });
      if (device_thread_ == DeviceThread::kStops) {
        device_thread_ = DeviceThread::kStopped;
        stopped_.notify_all();
        return;
      }
      leading_ = true;
    }
    lead(nullptr, std::nullopt);
  }
}

void Scheduler::stop_device_thread() {
  std::unique_lock lock(mutex_);
  if (device_thread_ != DeviceThread::kRuns || runs_device_work()) {
    return;
  }
  device_thread_ = DeviceThread::kStops;
  work_.notify_one();
  ring_doorbell();
  stopped_.wait_for(
      lock, kExitPatience, [this] { return device_thread_ == DeviceThread::kStopped; });
}

bool Scheduler::run_until(const std::function<bool()>& done, std::chrono::milliseconds timeout) {
  const auto deadline =
      timeout < 0ms ? std::nullopt : std::optional<SteadyTime>(Clock::now() + timeout);
  std::unique_lock lock(mutex_);
  Waiter self{&done, {}};
  waiters_.push_back(&self);
  bool reached = done();
  while (!reached && (!deadline || Clock::now() < *deadline)) {
    if (!leading_ && has_work()) {
      leading_ = true;
      lock.unlock();
      lead(&done, deadline);
      lock.lock();
    } else if (deadline) {
      self.wake.wait_until(lock, *deadline);
    } else {
      self.wake.wait(lock);
    }
    reached = done();
  }
  std::erase(waiters_, &self);
  pass_on();
  return reached;
}

// Leads until `done`, or until there is no work, or (device thread) until somebody synchronizes and
// there is nothing to run at the moment: that thread then leads and needs no hand-over when it is
// served.
void Scheduler::lead(const std::function<bool()>* done, std::optional<SteadyTime> deadline) {
  uint64_t arrivals = 0;
  for (;;) {
    const uint32_t seen = doorbell_value();
    bool progressed = step();
    {
      const std::lock_guard lock(mutex_);
      progressed = progressed || arrivals != arrivals_;
      arrivals = arrivals_;
      const bool yields = done == nullptr && (device_thread_ == DeviceThread::kStops ||
                                              (!progressed && !waiters_.empty()));
      if (yields || !has_work() || (done != nullptr && (*done)()) ||
          (deadline && Clock::now() >= *deadline)) {
        leading_ = false;
        pass_on();
        return;
      }
      leader_sleeps_ = !progressed;
    }
    if (!progressed) {
      sleep(seen, deadline);
    }
  }
}

// Runs a task and releases what it holds, before anyone is told that it is done.
Status Scheduler::run_task(StreamItem& item, int device) {
  const DeviceWorkScope scope(device);
  Status status;
  try {
    status = item.task();
    item.task = nullptr;
  } catch (const std::exception& error) {
    status = failed(kKernelException, fmt::format("{}: exception: {}", item.name, error.what()));
  } catch (...) {
    status = failed(kKernelException, fmt::format("{}: unknown exception", item.name));
  }
  return status;
}

bool Scheduler::step() {
  const bool served = serve_streams();
  const bool ran = run_blocks();
  finish_launches();
  return served || ran;
}

bool Scheduler::serve_streams() {
  std::unique_lock lock(mutex_);
  bool served = false;
  for (size_t i = 0; i < active_.size();) {
    Stream& stream = *active_[i];
    while (serve_stream(stream, lock)) {
      served = true;
    }
    if (stream.queue.empty() && stream.launch == nullptr) {
      stream.listed = false;
      active_[i] = active_.back();
      active_.pop_back();
      tell_waiters();
      if (stream.doomed) {
        forget(&stream);
      }
    } else {
      ++i;
    }
  }
  return served;
}

// Does the first item of the stream's queue if it can be done now.
bool Scheduler::serve_stream(Stream& stream, std::unique_lock<std::mutex>& lock) {
  if (stream.queue.empty() || stream.launch != nullptr) {
    return false;
  }
  StreamItem& head = stream.queue.front();
  if (head.kind == StreamItem::Kind::kWait && head.event->completed < head.number) {
    return false;
  }
  const bool broken = !errors_[static_cast<size_t>(stream.device)].ok();
  if (head.kind == StreamItem::Kind::kLaunch && !broken && starts_late(stream)) {
    return false;
  }
  StreamItem item = std::move(head);
  stream.queue.pop_front();
  if (item.kind == StreamItem::Kind::kRecord) {
    item.event->completed = std::max(item.event->completed, item.number);
    item.event->time_ns = Clock::now().time_since_epoch().count();
  } else if (item.kind == StreamItem::Kind::kLaunch && !broken) {
    lock.unlock();
    start_launch(stream, std::move(item.launch));
    lock.lock();
    return true;  // counted as completed when its blocks are done
  } else if (item.kind == StreamItem::Kind::kTask && !broken) {
    lock.unlock();
    Status status = run_task(item, stream.device);
    lock.lock();
    if (!status.ok()) {
      fail_device(stream.device, status);
    }
  }
  finish_item(stream);
  return true;
}

// A straggler's launch is held back when it is first looked at.
bool Scheduler::starts_late(Stream& stream) {
  if (config().slow_pe < 0 || config().slow_pe != job_pe()) {
    return false;
  }
  if (stream.not_before == SteadyTime{}) {
    stream.not_before = Clock::now() + std::chrono::microseconds(config().slow_us);
  }
  if (Clock::now() < stream.not_before) {
    next_start_ = std::min(next_start_, stream.not_before);
    return true;
  }
  stream.not_before = {};
  return false;
}

void Scheduler::finish_item(Stream& stream) {
  ++stream.completed;
  tell_waiters();
}

void Scheduler::fail_device(int device, const Status& status) {
  Status& error = errors_[static_cast<size_t>(device)];
  if (error.ok()) {
    error = status;
  }
}

Status Scheduler::device_error(int device) {
  const std::lock_guard lock(mutex_);
  return errors_.at(static_cast<size_t>(device));
}

void Scheduler::reset_device(int device) {
  if (runs_device_work()) {
    report({"wait-in-device-work", "a device is reset by its own work: it would wait for itself"});
    return;
  }
  for (const std::shared_ptr<Stream>& stream : streams_of(device)) {
    {
      const std::lock_guard lock(mutex_);
      for (StreamItem& item : stream->queue) {
        if (item.kind == StreamItem::Kind::kTask || item.kind == StreamItem::Kind::kLaunch) {
          item.kind = StreamItem::Kind::kTask;
          item.task = [] { return Status{}; };
        }
      }
    }
    run_until([&stream] { return stream->completed == stream->enqueued; }, kForever);
  }
  const std::lock_guard lock(mutex_);
  errors_.at(static_cast<size_t>(device)) = {};
}

}  // namespace shmem_sim
