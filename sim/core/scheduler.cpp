#include "sim/core/scheduler.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "sim/core/choose.h"
#include "sim/core/config.h"
#include "sim/core/doorbell.h"
#include "sim/core/fault_handler.h"
#include "sim/core/finding.h"
#include "sim/core/job.h"

namespace shmem_sim {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Scheduler* g_scheduler = nullptr;  // the one object per process behind the C API
std::once_flag g_once;
std::once_flag* g_flag = &g_once;

// A forked child starts with an idle machine of its own. The parent's is abandoned, not destroyed:
// its mutexes may be held by threads that do not exist here.
void forget_in_child() {
  g_scheduler = nullptr;
  g_flag = new std::once_flag;
}

}  // namespace

[[gnu::noinline]] LiveBlock*& running_block() {
  thread_local LiveBlock* block = nullptr;
  return block;
}

std::chrono::microseconds chosen_hold() {
  return std::chrono::microseconds(choose(static_cast<uint64_t>(config().hold_us) + 1));
}

Block* current_block() {
  LiveBlock* live = running_block();
  return live == nullptr ? nullptr : &live->block;
}

Scheduler& Scheduler::instance() {
  std::call_once(*g_flag, [] {
    static const int registered = pthread_atfork(nullptr, nullptr, &forget_in_child);
    static_cast<void>(registered);
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
  auto stream = std::make_unique<Stream>();
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
  // The leader may still look at it until it has taken it off its list.
  run_until([stream] { return stream->completed == stream->enqueued && !stream->listed; },
            kForever);
  const std::lock_guard lock(mutex_);
  handles_.erase(stream);
  const auto at = std::find_if(
      owned_.begin(), owned_.end(), [stream](const auto& item) { return item.get() == stream; });
  if (at != owned_.end()) {
    owned_.erase(at);
  }
}

std::vector<Stream*> Scheduler::streams_of(int device) {
  const std::lock_guard lock(mutex_);
  std::vector<Stream*> result;
  for (const auto& stream : owned_) {
    if (stream->device == device) {
      result.push_back(stream.get());
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
  if (!device_thread_started_) {
    device_thread_started_ = true;
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
  } else if (!leading_) {
    work_.notify_one();
  }
}

void Scheduler::record(const std::shared_ptr<Event>& event, Stream* stream) {
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = ++event->recorded;
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

void Scheduler::device_loop() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [this] { return !leading_ && synchronizing_ == 0 && has_work(); });
      leading_ = true;
    }
    lead(nullptr, std::nullopt);
  }
}

bool Scheduler::run_until(const std::function<bool()>& done, std::chrono::milliseconds timeout) {
  const auto deadline =
      timeout < 0ms ? std::nullopt : std::optional<SteadyTime>(Clock::now() + timeout);
  std::unique_lock lock(mutex_);
  ++synchronizing_;
  bool reached = done();
  while (!reached && (!deadline || Clock::now() < *deadline)) {
    if (!leading_ && has_work()) {
      leading_ = true;
      lock.unlock();
      lead(&done, deadline);
      lock.lock();
    } else if (deadline) {
      progress_.wait_until(lock, *deadline);
    } else {
      progress_.wait(lock);
    }
    reached = done();
  }
  --synchronizing_;
  if (synchronizing_ == 0 && !leading_ && has_work()) {
    work_.notify_one();
  }
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
      const bool over = deadline && Clock::now() >= *deadline;
      if ((done != nullptr && (*done)()) || !has_work() || over ||
          (done == nullptr && !progressed && synchronizing_ > 0)) {
        leading_ = false;
        progress_.notify_all();
        if (has_work() && done != nullptr) {
          work_.notify_one();
        }
        return;
      }
      leader_sleeps_ = !progressed;
    }
    if (!progressed) {
      sleep(seen, deadline);
    }
  }
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
      progress_.notify_all();
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
  if (head.kind == StreamItem::Kind::kLaunch && !broken && config().slow_pe >= 0 &&
      config().slow_pe == job_pe()) {
    if (stream.not_before == SteadyTime{}) {
      stream.not_before = Clock::now() + std::chrono::microseconds(config().slow_us);
    }
    if (Clock::now() < stream.not_before) {
      next_start_ = std::min(next_start_, stream.not_before);
      return false;
    }
    stream.not_before = {};
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
    Status status = item.task();
    item.task = nullptr;  // what it holds is released before anyone is told
    lock.lock();
    if (!status.ok()) {
      fail_device(stream.device, status);
    }
  }
  finish_item(stream);
  return true;
}

void Scheduler::finish_item(Stream& stream) {
  ++stream.completed;
  if (synchronizing_ > 0) {
    progress_.notify_all();
  }
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
  for (Stream* stream : streams_of(device)) {
    {
      const std::lock_guard lock(mutex_);
      for (StreamItem& item : stream->queue) {
        if (item.kind == StreamItem::Kind::kTask || item.kind == StreamItem::Kind::kLaunch) {
          item.kind = StreamItem::Kind::kTask;
          item.task = [] { return Status{}; };
        }
      }
    }
    run_until([stream] { return stream->completed == stream->enqueued; }, kForever);
  }
  const std::lock_guard lock(mutex_);
  errors_.at(static_cast<size_t>(device)) = {};
}

void Scheduler::start_launch(Stream& stream, std::unique_ptr<KernelLaunch> description) {
  install_fault_handler();
  auto launch = std::make_shared<Launch>();
  launch->description = std::move(*description);
  launch->stream = &stream;
  const auto count = static_cast<size_t>(launch->description.block_count);
  launch->left = count;
  launch->blocks.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    auto live = std::make_unique<LiveBlock>();
    Block& block = live->block;
    block.launch = launch.get();
    block.index = static_cast<int64_t>(i);
    block.count = static_cast<int64_t>(count);
    if (free_slots_.empty()) {
      block.slot = next_slot_++;
    } else {
      block.slot = free_slots_.back();
      free_slots_.pop_back();
    }
    if (launch->description.make_local) {
      block.local = launch->description.make_local(block);
    }
    live->fiber.emplace([owner = launch.get()] {
      try {
        owner->description.body();
      } catch (const KernelAborted&) {
      } catch (const std::exception& error) {
        if (!owner->failed()) {
          owner->status = failed(
              kKernelException,
              fmt::format("kernel {}: exception: {}", owner->description.name, error.what()));
          report({"kernel-exception", owner->status.message});
        }
      } catch (...) {
        if (!owner->failed()) {
          owner->status =
              failed(kKernelException,
                     fmt::format("kernel {}: unknown exception", owner->description.name));
          report({"kernel-exception", owner->status.message});
        }
      }
    });
    order_.push_back(live.get());
    launch->blocks.push_back(std::move(live));
  }
  if (config().block_order == "reverse") {
    std::reverse(order_.end() - static_cast<std::ptrdiff_t>(count), order_.end());
  }
  stream.launch = launch;
  running_.push_back(std::move(launch));
}

bool Scheduler::run_blocks() {
  if (order_.empty()) {
    return false;
  }
  if (adversarial() || config().block_order == "random") {
    for (size_t i = order_.size() - 1; i > 0; --i) {
      std::swap(order_[i], order_[choose(i + 1)]);
    }
  }
  bool ran = false;
  for (size_t i = 0; i < order_.size(); ++i) {
    LiveBlock& live = *order_[i];
    if (!live.code_ended) {
      const bool aborted = live.block.launch->failed();
      if (live.wait.ready != nullptr && !aborted && !(*live.wait.ready)()) {
        continue;
      }
      resume(live);
      ran = true;
    }
    if (live.code_ended && settle(live)) {
      ran = true;
    }
  }
  if (ran) {
    std::erase_if(order_, [](const LiveBlock* live) { return live->done; });
  }
  return ran;
}

void Scheduler::resume(LiveBlock& live) {
  live.wait.ready = nullptr;
  running_block() = &live;
  live.fiber->resume();
  running_block() = nullptr;
  if (live.fiber->ended()) {
    live.code_ended = true;
    const bool hold = adversarial() && live.block.local != nullptr && !live.block.local->drained();
    live.drain_at = hold ? Clock::now() + chosen_hold() : SteadyTime{};
  }
}

bool Scheduler::settle(LiveBlock& live) {
  Launch& launch = *live.block.launch;
  if (live.block.local != nullptr && !launch.failed()) {
    if (!live.block.local->drained() && live.drain_at != SteadyTime{} &&
        Clock::now() < live.drain_at) {
      return false;
    }
    running_block() = &live;  // what completes now is still this block's doing, for reports
    try {
      live.block.local->complete_all();
    } catch (const KernelAborted&) {  // the launch has failed; this block is done all the same
    }
    running_block() = nullptr;
  }
  live.done = true;
  free_slots_.push_back(live.block.slot);
  --launch.left;
  return true;
}

void Scheduler::finish_launches() {
  for (size_t i = 0; i < running_.size();) {
    if (running_[i]->left > 0) {
      ++i;
      continue;
    }
    const std::shared_ptr<Launch> launch = std::move(running_[i]);
    running_[i] = std::move(running_.back());
    running_.pop_back();
    launch->blocks.clear();
    launch->description.body = nullptr;  // what it captured is released before anyone is told
    const std::lock_guard lock(mutex_);
    if (launch->failed()) {
      fail_device(launch->stream->device, launch->status);
    }
    launch->stream->launch = nullptr;
    finish_item(*launch->stream);
  }
}

void Scheduler::park(const WaitPlace& place, const Ready& ready) {
  LiveBlock& live = *running_block();
  live.wait = {&ready, &place, {}, false};
  Fiber::suspend();
  if (live.block.launch->failed()) {
    throw KernelAborted{};
  }
}

}  // namespace shmem_sim
