#pragma once

// Copies between global memory and the unified buffer (MTE2, MTE3) and within the buffer (V).
// Included by kernel_operator.h.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "shmem_sim/runtime.h"
#include "shmem_sim/tensor.h"

namespace AscendC {

struct DataCopyParams {
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;  // DataCopy: 32-byte units; DataCopyPad: bytes
  uint16_t srcStride =
      0;  // gaps between rows: DataCopy 32-byte units; DataCopyPad as in DataCopyExtParams
  uint16_t dstStride = 0;

  DataCopyParams() = default;
  DataCopyParams(uint16_t count, uint16_t length, uint16_t source, uint16_t destination)
      : blockCount(count), blockLen(length), srcStride(source), dstStride(destination) {}
};

struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;   // bytes
  uint32_t srcStride = 0;  // gap: bytes in global memory, 32-byte units in the unified buffer
  uint32_t dstStride = 0;
  uint32_t rsv = 0;

  DataCopyExtParams() = default;
  DataCopyExtParams(
      uint16_t count, uint32_t length, uint32_t source, uint32_t destination, uint32_t reserved)
      : blockCount(count),
        blockLen(length),
        srcStride(source),
        dstStride(destination),
        rsv(reserved) {}
};

template <class T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = {};

  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};

struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  uint64_t paddingValue = 0;
};

namespace internal {

__inline__ uint64_t RequireWhole(uint64_t bytes) {
  if (bytes % sim::kUbBlockBytes != 0) {
    sim::fail("unaligned-copy",
              "DataCopy moves whole blocks of 32 bytes; DataCopyPad moves any number of bytes");
  }
  return bytes;
}

__inline__ uint64_t RoundUp(uint64_t bytes) {
  return (bytes + sim::kUbBlockBytes - 1) / sim::kUbBlockBytes * sim::kUbBlockBytes;
}

template <class Destination, class Source>
__inline__ void CopyElements(sim::Pipe pipe,
                             Destination* destination,
                             const Source* source,
                             uint32_t elements,
                             const sim::Site& site) {
  sim::note_call(site);
  const uint64_t bytes = RequireWhole(uint64_t{elements} * sizeof(Source));
  sim::issue_copy(pipe, {destination, source, 1, bytes, bytes, bytes}, site);
}

template <class Destination, class Source>
__inline__ void CopyBlocks(sim::Pipe pipe,
                           Destination* destination,
                           const Source* source,
                           const DataCopyParams& p,
                           const sim::Site& site) {
  const uint64_t row = uint64_t{p.blockLen} * sim::kUbBlockBytes;
  sim::issue_copy(pipe,
                  {destination,
                   source,
                   p.blockCount,
                   row,
                   row + uint64_t{p.dstStride} * sim::kUbBlockBytes,
                   row + uint64_t{p.srcStride} * sim::kUbBlockBytes},
                  site);
}

// The padding of a load. CANN documents at most 32 bytes a side; without isPad nothing is promised
// about the elements it makes room for, so they get a value that is nobody's.
template <class T, class Pad>
__inline__ sim::Padding PaddingOf(const Pad& pad, const sim::Site& site) {
  sim::note_call(site);
  const uint64_t left = uint64_t{pad.leftPadding} * sizeof(T);
  const uint64_t right = uint64_t{pad.rightPadding} * sizeof(T);
  if (left > sim::kUbBlockBytes || right > sim::kUbBlockBytes) {
    sim::fail("padding-too-wide",
              "DataCopyPad pads at most 32 bytes on either side of a row; fill wider margins with "
              "Duplicate");
  }
  sim::Padding padding{static_cast<uint8_t>(left), static_cast<uint8_t>(right), sizeof(T)};
  if (pad.isPad) {
    std::memcpy(&padding.value, &pad.paddingValue, std::min(sizeof(T), sizeof(pad.paddingValue)));
  } else {
    std::memset(&padding.value, sim::kPoison, sizeof(padding.value));
  }
  return padding;
}

template <class T>
__inline__ void LoadRows(const LocalTensor<T>& destination,
                         const GlobalTensor<T>& source,
                         const DataCopyExtParams& p,
                         const sim::Padding& padding,
                         const sim::Site& site) {
  const uint64_t row = uint64_t{p.blockLen} + padding.left + padding.right;
  sim::issue_copy(sim::Pipe::kMte2,
                  {destination.GetPhyAddr(),
                   source.GetPhyAddr(),
                   p.blockCount,
                   p.blockLen,
                   RoundUp(row) + uint64_t{p.dstStride} * sim::kUbBlockBytes,
                   uint64_t{p.blockLen} + p.srcStride,
                   padding},
                  site);
}

template <class T>
__inline__ void StoreRows(const GlobalTensor<T>& destination,
                          const LocalTensor<T>& source,
                          const DataCopyExtParams& p,
                          const sim::Site& site) {
  sim::issue_copy(sim::Pipe::kMte3,
                  {destination.GetPhyAddr(),
                   source.GetPhyAddr(),
                   p.blockCount,
                   p.blockLen,
                   uint64_t{p.blockLen} + p.dstStride,
                   RoundUp(p.blockLen) + uint64_t{p.srcStride} * sim::kUbBlockBytes},
                  site);
}

__inline__ DataCopyExtParams Extended(const DataCopyParams& p) {
  return {p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0};
}

}  // namespace internal

// --- whole blocks of 32 bytes ---

template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination,
                         const GlobalTensor<T>& source,
                         uint32_t elements,
                         sim::Here here = {}) {
  internal::CopyElements(sim::Pipe::kMte2,
                         destination.GetPhyAddr(),
                         source.GetPhyAddr(),
                         elements,
                         here.in("DataCopy"));
}
template <class T>
__inline__ void DataCopy(const GlobalTensor<T>& destination,
                         const LocalTensor<T>& source,
                         uint32_t elements,
                         sim::Here here = {}) {
  internal::CopyElements(sim::Pipe::kMte3,
                         destination.GetPhyAddr(),
                         source.GetPhyAddr(),
                         elements,
                         here.in("DataCopy"));
}
template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination,
                         const LocalTensor<T>& source,
                         uint32_t elements,
                         sim::Here here = {}) {
  internal::CopyElements(
      sim::Pipe::kV, destination.GetPhyAddr(), source.GetPhyAddr(), elements, here.in("DataCopy"));
}
template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination,
                         const GlobalTensor<T>& source,
                         const DataCopyParams& p,
                         sim::Here here = {}) {
  internal::CopyBlocks(
      sim::Pipe::kMte2, destination.GetPhyAddr(), source.GetPhyAddr(), p, here.in("DataCopy"));
}
template <class T>
__inline__ void DataCopy(const GlobalTensor<T>& destination,
                         const LocalTensor<T>& source,
                         const DataCopyParams& p,
                         sim::Here here = {}) {
  internal::CopyBlocks(
      sim::Pipe::kMte3, destination.GetPhyAddr(), source.GetPhyAddr(), p, here.in("DataCopy"));
}
template <class T>
__inline__ void DataCopy(const LocalTensor<T>& destination,
                         const LocalTensor<T>& source,
                         const DataCopyParams& p,
                         sim::Here here = {}) {
  internal::CopyBlocks(
      sim::Pipe::kV, destination.GetPhyAddr(), source.GetPhyAddr(), p, here.in("DataCopy"));
}

// --- any number of bytes a row; rows in the unified buffer start at multiples of 32 bytes ---

template <class T>
__inline__ void DataCopyPad(const LocalTensor<T>& destination,
                            const GlobalTensor<T>& source,
                            const DataCopyExtParams& p,
                            const DataCopyPadExtParams<T>& pad,
                            sim::Here here = {}) {
  const sim::Site site = here.in("DataCopyPad");
  internal::LoadRows(destination, source, p, internal::PaddingOf<T>(pad, site), site);
}
template <class T>
__inline__ void DataCopyPad(const LocalTensor<T>& destination,
                            const GlobalTensor<T>& source,
                            const DataCopyParams& p,
                            const DataCopyPadParams& pad,
                            sim::Here here = {}) {
  const sim::Site site = here.in("DataCopyPad");
  internal::LoadRows(
      destination, source, internal::Extended(p), internal::PaddingOf<T>(pad, site), site);
}
template <class T>
__inline__ void DataCopyPad(const GlobalTensor<T>& destination,
                            const LocalTensor<T>& source,
                            const DataCopyExtParams& p,
                            sim::Here here = {}) {
  internal::StoreRows(destination, source, p, here.in("DataCopyPad"));
}
template <class T>
__inline__ void DataCopyPad(const GlobalTensor<T>& destination,
                            const LocalTensor<T>& source,
                            const DataCopyParams& p,
                            sim::Here here = {}) {
  internal::StoreRows(destination, source, internal::Extended(p), here.in("DataCopyPad"));
}

}  // namespace AscendC
