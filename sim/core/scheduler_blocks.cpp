#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "sim/core/choose.h"
#include "sim/core/config.h"
#include "sim/core/fault_handler.h"
#include "sim/core/finding.h"
#include "sim/core/scheduler.h"
#include "sim/core/stand_signal.h"

// Launches and their blocks: how they start, who runs next, how they end.

namespace shmem_sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSpareBlocks = 512;

void fail_launch(Launch& launch, const std::string& what) {
  if (!launch.failed()) {
    launch.status =
        failed(kKernelException, fmt::format("kernel {}: {}", launch.description.name, what));
    report({"kernel-exception", launch.status.message});
  }
}

// The whole life of a block on its fiber.
void run_body(Launch& launch) {
  try {
    launch.description.body();
  } catch (const KernelAborted&) {  // the launch has failed already
  } catch (const std::exception& error) {
    fail_launch(launch, fmt::format("exception: {}", error.what()));
  } catch (...) {
    fail_launch(launch, "unknown exception");
  }
}

bool can_resume(const LiveBlock& live) {
  return live.wait.ready == nullptr || live.block.launch->failed() || (*live.wait.ready)();
}

}  // namespace

LiveBlock::LiveBlock() : fiber([this] { run_body(*block.launch); }) {}

void LiveBlock::rearm() {
  block = Block{};
  fiber.rearm();
  wait = {};
  drain_at = {};
  code_ended = false;
  done = false;
}

std::unique_ptr<LiveBlock> Scheduler::take_block() {
  std::unique_ptr<LiveBlock> live;
  if (spare_.empty()) {
    live = std::make_unique<LiveBlock>();
  } else {
    live = std::move(spare_.back());
    spare_.pop_back();
  }
  if (free_slots_.empty()) {
    live->block.slot = next_slot_++;
  } else {
    live->block.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  return live;
}

void Scheduler::give_back(std::unique_ptr<LiveBlock> live) {
  if (spare_.size() < kSpareBlocks) {
    live->rearm();
    spare_.push_back(std::move(live));
  }
}

void Scheduler::start_launch(Stream& stream, std::unique_ptr<KernelLaunch> description) {
  install_fault_handler();
  install_stand_signal();
  auto launch = std::make_shared<Launch>();
  launch->description = std::move(*description);
  launch->stream = &stream;
  const auto count = static_cast<size_t>(launch->description.block_count);
  launch->left = count;
  launch->blocks.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    std::unique_ptr<LiveBlock> live = take_block();
    Block& block = live->block;
    block.launch = launch.get();
    block.index = static_cast<int64_t>(i);
    block.count = static_cast<int64_t>(count);
    if (launch->description.make_local) {
      block.local = launch->description.make_local(block);
    }
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
  bool ran = false;
  if (adversarial()) {
    // Choices are made among the blocks that can run, so that rounds in which nothing can run do
    // not shift the sequence of choices.
    round_.clear();
    std::copy_if(order_.begin(), order_.end(), std::back_inserter(round_), [](LiveBlock* live) {
      return live->code_ended || can_resume(*live);
    });
    for (size_t i = round_.size(); i > 1; --i) {
      std::swap(round_[i - 1], round_[choose(i)]);
    }
    for (LiveBlock* live : round_) {
      ran = run_block(*live) || ran;
    }
  } else {
    for (LiveBlock* live : order_) {
      ran = run_block(*live) || ran;
    }
  }
  if (ran) {
    std::erase_if(order_, [](const LiveBlock* live) { return live->done; });
  }
  return ran;
}

bool Scheduler::run_block(LiveBlock& live) {
  if (live.code_ended) {
    return settle(live);
  }
  if (!can_resume(live)) {
    return false;
  }
  resume(live);
  if (live.code_ended) {
    settle(live);
  }
  return true;
}

void Scheduler::resume(LiveBlock& live) {
  live.wait.ready = nullptr;
  {
    const DeviceWorkScope scope(live);
    try {
      live.fiber.resume();
    } catch (const std::exception& error) {  // it could not start: there is no stack left
      fail_launch(*live.block.launch, error.what());
      live.code_ended = true;
    }
  }
  if (live.fiber.ended()) {
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
    const DeviceWorkScope scope(live);  // what completes now is still this block's doing
    try {
      live.block.local->complete_all();
    } catch (const KernelAborted&) {  // the launch has failed; this block is done all the same
    }
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
    for (std::unique_ptr<LiveBlock>& live : launch->blocks) {
      give_back(std::move(live));
    }
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
