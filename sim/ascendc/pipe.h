#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "sim/core/block.h"
#include "sim/include/cann/shmem_sim/runtime.h"

// The pipes of one block. Copies and flags are queued per pipe and done on demand: an item is done when something that
// must come after it is about to happen, and doing it first does what it depends on. In an eager run everything is done
// at issue. In an adversarial run nothing is done earlier than the rules of the language force it, or the core asks.

namespace shmem_sim::ascendc {

class BlockPipes : public BlockLocal {
 public:
  explicit BlockPipes(std::byte* ub) : ub_(ub) {}

  void issue(Pipe pipe, const Copy& copy);
  void set_flag(Pipe from, Pipe to, int id);
  void wait_flag(Pipe from, Pipe to, int id);
  void complete(Pipe pipe);  // kAll: all pipes

  bool drained() const override;
  void complete_one() override;
  void complete_all() override;

  std::byte* ub() const { return ub_; }
  uint64_t ub_taken = 0;  // by TPipe

 private:
  static constexpr size_t kPipes = 7;

  struct Flag {
    uint8_t from;
    uint8_t to;
    uint8_t id;
  };
  struct Item {
    enum class Kind : uint8_t { kCopy, kSet, kWait };
    Kind kind;
    Flag flag;
    Copy copy;
  };

  int& count(const Flag& flag) { return flags_[flag.from][flag.to][flag.id]; }
  void push(Pipe pipe, const Item& item);
  void do_first(size_t pipe);
  void require(const Flag& flag);  // does what sets the flag, and takes it
  void report_unpaired();

  std::byte* ub_;
  std::array<std::deque<Item>, kPipes> queues_;
  int flags_[kPipes][kPipes][kEventIds] = {};
};

// Of the running block.
BlockPipes& pipes();

}  // namespace shmem_sim::ascendc
