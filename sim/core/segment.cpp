#include "sim/core/segment.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace shmem_sim {
namespace {

constexpr uint64_t kGuardBytes = uint64_t{64} << 10;
// Where all processes try to put the heaps, so that raw addresses mean the same everywhere when
// they can.
void* const kHint = reinterpret_cast<void*>(uintptr_t{0x2000'0000'0000});

uint64_t round_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

}  // namespace

uint64_t Segment::file_bytes(uint64_t heap_bytes) {
  return kControlBytes + kUserControlBytes + round_up(heap_bytes, 4096);
}

bool Segment::reserve(int pe_count, uint64_t heap_bytes, uint64_t alignment) {
  heap_bytes_ = heap_bytes;
  stride_ = round_up(round_up(heap_bytes, 4096) + kGuardBytes, alignment);
  reserved_bytes_ = stride_ * static_cast<uint64_t>(pe_count);
  void* memory =
      mmap(kHint, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return false;
  }
  base_ = static_cast<std::byte*>(memory);
  pages_.assign(static_cast<size_t>(pe_count), nullptr);
  return true;
}

bool Segment::map(int pe, int file) {
  struct stat state = {};
  if (fstat(file, &state) != 0 || static_cast<uint64_t>(state.st_size) < file_bytes(heap_bytes_)) {
    errno = EINVAL;  // touching what lies behind its end would be a fault
    return false;
  }
  void* pages =
      mmap(nullptr, kControlBytes + kUserControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pages == MAP_FAILED) {
    return false;
  }
  pages_[static_cast<size_t>(pe)] = static_cast<Control*>(pages);
  return mmap(heap(pe),
              round_up(heap_bytes_, 4096),
              PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
              file,
              static_cast<off_t>(kControlBytes + kUserControlBytes)) != MAP_FAILED;
}

Segment::~Segment() {
  unmap();
}

void Segment::unmap() {
  for (Control* pages : pages_) {
    if (pages != nullptr) {
      munmap(pages, kControlBytes + kUserControlBytes);
    }
  }
  pages_.clear();
  if (base_ != nullptr) {
    munmap(base_, reserved_bytes_);
    base_ = nullptr;
  }
}

}  // namespace shmem_sim
