#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

// What all SHMEM operators share: launching through torch_npu's queue, the life of symmetric state,
// checks. It stands in sources of its own (npu_launch*.cpp), so that an operator's file needs none
// of torch_npu's headers. torch calls methods without Python's lock: one that waits for other PEs
// does not stop the other threads of its process.

namespace shmem_ops {

// The memory of a tensor, to be captured by the work of a launch; null of an undefined tensor. It
// holds the storage, not the tensor: torch_npu's queue drops the work on a thread of its own, also
// while the interpreter ends, and a tensor takes Python's lock when it is dropped.
class Memory {
 public:
  explicit Memory(const at::Tensor& tensor)
      : storage_(tensor.defined() ? tensor.storage() : c10::Storage()),
        data_(tensor.defined() ? tensor.data_ptr() : nullptr) {}
  void* data() const { return data_; }

 private:
  c10::Storage storage_;
  void* data_;
};

// Calls `work` with the current stream, in order with the operators torch_npu has queued on it;
// returns at once. What `work` captures lives until it has run. A non-zero result is an error of
// the operator, raised at the next synchronize.
void launch(const char* name, std::function<int(void* stream)> work);

int current_device();
void synchronize();  // the current device, torch_npu's queue included

// Adds what torch.compile and torch.export ask of an object of ShmemOps.<class_name>, which is
// registered: its description, for the fake class that stands for it while a function is traced,
// and whether it is the object of the last time. Not a template: every class has the same methods.
void add_tracing_methods(const std::string& class_name);
