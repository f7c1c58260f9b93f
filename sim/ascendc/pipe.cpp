#include "sim/ascendc/pipe.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "sim/ascendc/local_memory.h"
#include "sim/core/choose.h"
#include "sim/core/finding.h"
#include "sim/core/transport.h"

namespace shmem_sim::ascendc {
namespace {

constexpr const char* kPipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

// A copy is split at most so often before the rest of it goes in one piece, at multiples of this.
constexpr uint8_t kPieces = 3;
constexpr uint64_t kPieceBytes = 512;

const char* name_of(Pipe pipe) {
  return kPipeNames[static_cast<size_t>(pipe)];
}

// A store to a unified buffer is nobody else's business; everything else is published. Loads write
// whole blocks of 32 bytes: what lies behind the row's end in its last block is lost.
void copy_row(void* destination, const void* source, uint64_t bytes) {
  if (!in_ub_arena(destination)) {
    transfer(destination, source, bytes);
    return;
  }
  std::memmove(destination, source, bytes);
  if (adversarial() && bytes % kUbBlockBytes != 0) {
    std::memset(static_cast<std::byte*>(destination) + bytes,
                kPoison,
                kUbBlockBytes - bytes % kUbBlockBytes);
  }
}

void fill(std::byte* destination, uint64_t bytes, const Padding& padding) {
  for (uint64_t at = 0; at < bytes; at += padding.unit) {
    std::memcpy(destination + at, &padding.value, padding.unit);
  }
}

// The value stands on both sides of the row; what is behind it up to whole blocks is lost, as after
// every row.
void copy_padded_row(std::byte* destination, const void* source, const Copy& copy) {
  const Padding& padding = copy.padding;
  std::byte* const behind = destination + padding.left + copy.row_bytes;
  std::memmove(destination + padding.left, source, copy.row_bytes);
  fill(destination, padding.left, padding);
  fill(behind, padding.right, padding);
  const uint64_t rest = copy.padded_bytes() % kUbBlockBytes;
  if (adversarial() && rest != 0) {
    std::memset(behind + padding.right, kPoison, kUbBlockBytes - rest);
  }
}

void perform(const Copy& copy) {
  const bool padded = copy.padded_bytes() != copy.row_bytes;
  for (uint64_t row = 0; row < copy.rows; ++row) {
    std::byte* destination =
        static_cast<std::byte*>(copy.destination) + row * copy.destination_stride;
    const void* source = static_cast<const std::byte*>(copy.source) + row * copy.source_stride;
    if (padded) {
      copy_padded_row(destination, source, copy);
    } else {
      copy_row(destination, source, copy.row_bytes);
    }
  }
}

void move_on(Copy& copy, uint64_t destination_bytes, uint64_t source_bytes) {
  copy.destination = static_cast<std::byte*>(copy.destination) + destination_bytes;
  copy.source = static_cast<const std::byte*>(copy.source) + source_bytes;
}

bool can_be_split(const Copy& copy) {
  return copy.rows > 1 || (copy.row_bytes > kUbBlockBytes && copy.padded_bytes() == copy.row_bytes);
}

// Cuts the copy in two, between rows or within a single row, and takes one of the parts.
Copy take_piece(Copy& copy) {
  Copy first = copy;
  Copy second = copy;
  if (copy.rows > 1) {
    first.rows = 1 + choose(copy.rows - 1);
    second.rows -= first.rows;
    move_on(second, first.rows * copy.destination_stride, first.rows * copy.source_stride);
  } else {
    const uint64_t unit = copy.row_bytes > kPieceBytes ? kPieceBytes : kUbBlockBytes;
    first.row_bytes = unit * (1 + choose((copy.row_bytes - 1) / unit));
    second.row_bytes -= first.row_bytes;
    move_on(second, first.row_bytes, first.row_bytes);
  }
  const bool from_the_end = choose(2) == 1;
  copy = from_the_end ? first : second;
  return from_the_end ? second : first;
}

}  // namespace

std::string describe(const Flag& flag) {
  return fmt::format("{}_{}({})", name_of(flag.from), name_of(flag.to), flag.id);
}

void BlockPipes::issue(Pipe pipe, const Copy& copy) {
  if (!adversarial() && idle(pipe)) {
    perform(copy);
    return;
  }
  Item item;
  item.copy = copy;
  add(pipe, item);
}

BlockPipes::FlagState& BlockPipes::state(const Flag& flag) {
  if (flags_ == nullptr) {
    flags_ = std::make_unique<FlagTable>();
  }
  return (*flags_)[flag];
}

void BlockPipes::set_flag(const Flag& flag) {
  FlagState& flag_state = state(flag);
  if (flag_state.pending > 0) {
    // CANN, CCE intrinsics, set_flag and wait_flag: two sets of one flag without a wait between
    // them are not allowed.
    fail("flag-set-twice",
         fmt::format(
             "SetFlag {} again before a WaitFlag for the first: a flag is one bit, so one of "
             "the two is lost; use another event id",
             describe(flag)));
  }
  ++flag_state.pending;
  if (flag.from == Pipe::kS || (!adversarial() && idle(flag.from))) {
    ++flag_state.set;
    advance();
    return;
  }
  Item item;
  item.kind = Item::Kind::kSet;
  item.flag = flag;
  add(flag.from, item);
}

void BlockPipes::wait_flag(const Flag& flag) {
  FlagState& flag_state = state(flag);
  --flag_state.pending;
  if (flag.to != Pipe::kS && (adversarial() || !idle(flag.to) || flag_state.set == 0)) {
    Item item;
    item.kind = Item::Kind::kWait;
    item.flag = flag;
    add(flag.to, item);
    return;
  }
  while (flag_state.set == 0 && force(flag.from)) {
  }
  if (flag_state.set == 0) {
    const Flag& cause = idle(flag.from) ? flag : blocking_flag(flag.from);
    fail("flag-never-set",
         fmt::format("WaitFlag {}: nothing that was issued sets the flag {}: the core would hang",
                     describe(flag),
                     describe(cause)));
  }
  --flag_state.set;
}

void BlockPipes::complete(Pipe pipe) {
  std::array<Pipe, kPipes> order;
  for (size_t i = 0; i < kPipes; ++i) {
    order[i] = static_cast<Pipe>(i);
  }
  for (size_t i = kPipes - 1; i > 0; --i) {  // pipes are not ordered with each other
    std::swap(order[i], order[choose(i + 1)]);
  }
  for (const Pipe one : order) {
    if (pipe != Pipe::kAll && pipe != one) {
      continue;
    }
    while (!idle(one)) {
      if (!force(one)) {
        fail(
            "flag-never-set",
            fmt::format(
                "pipe {} waits for the flag {}, which nothing that was issued sets: the core would "
                "hang",
                name_of(one),
                describe(blocking_flag(one))));
      }
    }
  }
}

bool BlockPipes::drained() const {
  for (size_t i = 0; i < kPipes; ++i) {
    if (can_step(static_cast<Pipe>(i))) {
      return false;
    }
  }
  return true;
}

void BlockPipes::complete_one() {
  std::vector<Pipe> able;
  for (size_t i = 0; i < kPipes; ++i) {
    if (can_step(static_cast<Pipe>(i))) {
      able.push_back(static_cast<Pipe>(i));
    }
  }
  if (able.empty()) {
    return;
  }
  const Pipe chosen = able[choose(able.size())];
  if (choose(2) == 0 || !split(queue(chosen).front())) {
    step(chosen);
  }
}

void BlockPipes::complete_all() {
  complete(Pipe::kAll);
  report_unpaired();
}

void BlockPipes::add(Pipe pipe, const Item& item) {
  queue(pipe).push(item);
  ++queued_;
  if (!adversarial()) {
    advance();
  }
}

bool BlockPipes::can_step(Pipe pipe) const {
  if (idle(pipe)) {
    return false;
  }
  const Item& item = queue(pipe).front();
  return item.kind != Item::Kind::kWait || is_set(item.flag);
}

bool BlockPipes::step(Pipe pipe) {
  if (!can_step(pipe)) {
    return false;
  }
  const Item item = queue(pipe).front();
  queue(pipe).pop();
  --queued_;
  switch (item.kind) {
    case Item::Kind::kCopy:
      perform(item.copy);
      break;
    case Item::Kind::kSet:
      ++state(item.flag).set;
      break;
    case Item::Kind::kWait:
      --state(item.flag).set;
      break;
  }
  return true;
}

// `visited`: pipes that already wait for this one; a circle of them cannot go on.
bool BlockPipes::force(Pipe pipe, unsigned visited) {
  const unsigned mark = 1u << static_cast<unsigned>(pipe);
  if (idle(pipe) || (visited & mark) != 0) {
    return false;
  }
  while (!step(pipe)) {
    if (!force(queue(pipe).front().flag.from, visited | mark)) {
      return false;
    }
  }
  return true;
}

void BlockPipes::advance() {
  bool progressed = queued_ > 0 && !adversarial();
  while (progressed) {
    progressed = false;
    for (size_t i = 0; i < kPipes; ++i) {
      while (step(static_cast<Pipe>(i))) {
        progressed = true;
      }
    }
  }
}

const Flag& BlockPipes::blocking_flag(Pipe pipe) const {
  const Flag* flag = &queue(pipe).front().flag;
  for (size_t i = 0; i < kPipes && !idle(flag->from); ++i) {
    flag = &queue(flag->from).front().flag;
  }
  return *flag;
}

bool BlockPipes::split(Item& item) {
  if (item.kind != Item::Kind::kCopy || item.pieces == kPieces || !can_be_split(item.copy)) {
    return false;
  }
  ++item.pieces;
  perform(take_piece(item.copy));
  return true;
}

void BlockPipes::report_unpaired() {
  if (flags_ == nullptr) {
    return;
  }
  for (size_t from = 0; from < kPipes; ++from) {
    for (size_t to = 0; to < kPipes; ++to) {
      for (uint8_t id = 0; id < kEventIds; ++id) {
        const Flag flag{static_cast<Pipe>(from), static_cast<Pipe>(to), id};
        if (is_set(flag)) {
          report({"flag-unpaired",
                  fmt::format(
                      "SetFlag {} without a WaitFlag at the end of the kernel: the next kernel on "
                      "this core would find it set",
                      describe(flag))});
        }
      }
    }
  }
}

BlockPipes& pipes() {
  return static_cast<BlockPipes&>(*current_block()->local);
}

}  // namespace shmem_sim::ascendc
