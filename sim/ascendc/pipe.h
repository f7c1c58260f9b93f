#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/ascendc/idling.h"
#include "sim/core/block.h"
#include "sim/include/cann/shmem_sim/runtime.h"

// The pipes of one block: in-order queues of copies and flags. In an eager run an item is done when
// it is issued, unless something before it on its pipe still waits for a flag. In an adversarial
// run nothing is done before the language's rules force it (a flag the scalar pipe waits for, a
// barrier, the end of the kernel), or before the core asks: then one item, or a piece of one, of
// the seed's choice. A copy reads its source when it is done, not when it is issued.

namespace shmem_sim::ascendc {

// A flag from one pipe to another: one bit of the hardware.
struct Flag {
  Pipe from;
  Pipe to;
  uint8_t id;
};

// "MTE3_S(2)".
std::string describe(const Flag& flag);

class BlockPipes : public BlockLocal {
 public:
  explicit BlockPipes(std::byte* ub) : ub_(ub) {}

  void issue(Pipe pipe, const Copy& copy);

  // Both end the kernel with a finding when the rule they stand for is broken: a flag that is set
  // twice before anyone waits for it, a flag the scalar pipe waits for and nothing issued can set.
  void set_flag(const Flag& flag);
  void wait_flag(const Flag& flag);

  // Does everything issued on the pipe (kAll: on all pipes). Ends the kernel when that cannot be.
  void complete(Pipe pipe);

  // Nothing is queued on it: what is issued now may be done now.
  bool idle(Pipe pipe) const { return queue(pipe).empty(); }

  bool drained() const
      override;  // true also when all that is left waits for flags the scalar pipe has not set
  void complete_one() override;
  void complete_all() override;

  std::byte* ub() const { return ub_; }
  uint64_t ub_taken = 0;  // by TPipe
  void* tpipe = nullptr;  // the kernel's TPipe object

  Idling idling;

 private:
  static constexpr size_t kPipes = 7;

  struct Item {
    enum class Kind : uint8_t { kCopy, kSet, kWait };
    Kind kind = Kind::kCopy;
    uint8_t pieces = 0;  // that complete_one() has split off
    Flag flag{};
    Copy copy{};
  };

  // First in, first out; costs nothing until it is used.
  class Queue {
   public:
    bool empty() const { return head_ == items_.size(); }
    Item& front() { return items_[head_]; }
    const Item& front() const { return items_[head_]; }
    void push(const Item& item) { items_.push_back(item); }
    void pop() {
      if (++head_ == items_.size()) {
        items_.clear();
        head_ = 0;
      }
    }

   private:
    std::vector<Item> items_;
    size_t head_ = 0;
  };

  Queue& queue(Pipe pipe) { return queues_[static_cast<size_t>(pipe)]; }
  const Queue& queue(Pipe pipe) const { return queues_[static_cast<size_t>(pipe)]; }
  // Of one flag: how often it is set now, and sets issued minus waits issued, in program order.
  struct FlagState {
    int32_t set = 0;
    int32_t pending = 0;
  };
  struct FlagTable {
    FlagState of[kPipes][kPipes][kEventIds];

    FlagState& operator[](const Flag& flag) {
      return of[static_cast<size_t>(flag.from)][static_cast<size_t>(flag.to)][flag.id];
    }
  };

  FlagState& state(const Flag& flag);
  bool is_set(const Flag& flag) const { return flags_ != nullptr && (*flags_)[flag].set > 0; }

  void add(Pipe pipe, const Item& item);
  bool can_step(Pipe pipe) const;
  bool step(Pipe pipe);  // does the front item; false when it waits for a flag that is not set
  bool force(Pipe pipe, unsigned visited = 0);  // the same, and does first whatever sets that flag
  void advance();                               // eager: everything that can be done
  const Flag& blocking_flag(Pipe pipe) const;   // behind what `pipe` is stuck in the end
  bool split(Item& item);
  void report_unpaired();

  std::byte* ub_;
  std::array<Queue, kPipes> queues_;
  size_t queued_ = 0;                 // items in all queues
  std::unique_ptr<FlagTable> flags_;  // made when the first flag is used
};

// Of the running block.
BlockPipes& pipes();

}  // namespace shmem_sim::ascendc
