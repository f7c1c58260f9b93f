#include "sim/ascendc/pipe.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "sim/ascendc/local_memory.h"
#include "sim/core/choose.h"
#include "sim/core/finding.h"
#include "sim/core/stream.h"
#include "sim/core/transport.h"

namespace shmem_sim::ascendc {
namespace {

constexpr const char* kPipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

// A store to the block's own buffer is nobody else's business; everything else is published.
void copy_row(void* destination, const void* source, uint64_t bytes) {
  if (in_ub_arena(destination)) {
    std::memcpy(destination, source, bytes);
  } else {
    transfer(destination, source, bytes);
  }
}

void perform(const Copy& copy) {
  for (uint64_t row = 0; row < copy.rows; ++row) {
    copy_row(static_cast<std::byte*>(copy.destination) + row * copy.destination_stride,
             static_cast<const std::byte*>(copy.source) + row * copy.source_stride, copy.row_bytes);
  }
}

}  // namespace

void BlockPipes::issue(Pipe pipe, const Copy& copy) {
  if (adversarial()) {
    push(pipe, {Item::Kind::kCopy, {}, copy});
  } else {
    perform(copy);
  }
}

void BlockPipes::push(Pipe pipe, const Item& item) { queues_[static_cast<size_t>(pipe)].push_back(item); }

void BlockPipes::set_flag(Pipe from, Pipe to, int id) {
  const Flag flag{static_cast<uint8_t>(from), static_cast<uint8_t>(to), static_cast<uint8_t>(id)};
  if (adversarial() && from != Pipe::kS) {
    push(from, {Item::Kind::kSet, flag, {}});
  } else {
    ++count(flag);
  }
}

void BlockPipes::wait_flag(Pipe from, Pipe to, int id) {
  const Flag flag{static_cast<uint8_t>(from), static_cast<uint8_t>(to), static_cast<uint8_t>(id)};
  if (adversarial() && to != Pipe::kS) {
    push(to, {Item::Kind::kWait, flag, {}});
  } else {
    require(flag);
  }
}

void BlockPipes::require(const Flag& flag) {
  std::deque<Item>& source = queues_[flag.from];
  while (count(flag) == 0 && !source.empty()) {
    do_first(flag.from);
  }
  if (count(flag) == 0) {
    fail("flag-never-set", fmt::format("WaitFlag<{}_{}>({}) and no SetFlag before it: the core would hang",
                                       kPipeNames[flag.from], kPipeNames[flag.to], flag.id)
                               .c_str());
  }
  --count(flag);
}

void BlockPipes::do_first(size_t pipe) {
  const Item item = queues_[pipe].front();
  queues_[pipe].pop_front();
  switch (item.kind) {
    case Item::Kind::kCopy: perform(item.copy); break;
    case Item::Kind::kSet: ++count(item.flag); break;
    case Item::Kind::kWait: require(item.flag); break;
  }
}

void BlockPipes::complete(Pipe pipe) {
  for (size_t i = 0; i < kPipes; ++i) {
    if (pipe == Pipe::kAll || static_cast<size_t>(pipe) == i) {
      while (!queues_[i].empty()) {
        do_first(i);
      }
    }
  }
}

bool BlockPipes::drained() const {
  for (const auto& queue : queues_) {
    if (!queue.empty()) {
      return false;
    }
  }
  return true;
}

void BlockPipes::complete_one() {
  std::vector<size_t> waiting;
  for (size_t i = 0; i < kPipes; ++i) {
    if (!queues_[i].empty()) {
      waiting.push_back(i);
    }
  }
  if (!waiting.empty()) {
    do_first(waiting[choose(waiting.size())]);
  }
}

void BlockPipes::complete_all() {
  complete(Pipe::kAll);
  report_unpaired();
}

void BlockPipes::report_unpaired() {
  for (size_t from = 0; from < kPipes; ++from) {
    for (size_t to = 0; to < kPipes; ++to) {
      for (int id = 0; id < kEventIds; ++id) {
        if (flags_[from][to][id] > 0) {
          report({"flag-unpaired", fmt::format("SetFlag<{}_{}>({}) without a WaitFlag: {} left at the end of the kernel; "
                                               "the next kernel on this core would find it set",
                                               kPipeNames[from], kPipeNames[to], id, flags_[from][to][id])});
        }
      }
    }
  }
}

BlockPipes& pipes() { return static_cast<BlockPipes&>(*current_block()->local); }

}  // namespace shmem_sim::ascendc
