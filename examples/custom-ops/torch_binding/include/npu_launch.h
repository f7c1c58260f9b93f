// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text eec855486110b882
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

// --- life: new -> initialised -> closed; driven by Manager, looked at by operators ---

void require_initialised(const char* what);  // raises, naming `what`, before attr_init
void initialise(int64_t pe,
                int64_t n_ranks,
                int64_t local_mem_size,
                const std::string& ip_port);  // collective
void finalise();                              // collective

at::Tensor symmetric_tensor(int64_t bytes);            // collective; uint8, one dimension
void free_symmetric_tensor(const at::Tensor& tensor);  // collective

// The symmetric state of one operator object, zeroed. Construction and close() are collective. An
// object that is dropped without close() leaves its state to Manager.finalize(), which frees what
// is left in the order of construction: a destructor must not wait for other PEs.
class OperatorState {
 public:
  OperatorState(const char* op, int64_t bytes);  // 0 bytes: no memory, the same life
  ~OperatorState();
  OperatorState(const OperatorState&) = delete;
  OperatorState& operator=(const OperatorState&) = delete;

  // Raise when the state is closed, by close() or by Manager.finalize().
  void require_open() const;
  uint8_t* data() const;
  void close();  // idempotent

  struct Block;

 private:
  std::shared_ptr<Block> block_;
};

// Numbers the calls of one object, from 1 (SHMEM_BIND_EPOCH_START sets another first number, for
// tests). A call that raises before its launch does not use up its number, so that the PEs stay in
// step.
class Epoch {
 public:
  Epoch();
  int64_t next() const { return next_; }
  void advance() { ++next_; }

 private:
  int64_t next_ = 1;
};

// --- checks: each raises with the operator's and the argument's name ---

void check_device(const at::Tensor& tensor, const char* op, const char* name);
void check_dtype(const at::Tensor& tensor,
                 const char* op,
                 const char* name,
                 at::ScalarType expected);
// `shape` is the contract's text; -1 stands for any size.
void check_shape(const at::Tensor& tensor,
                 const char* op,
                 const char* name,
                 const char* shape,
                 at::IntArrayRef sizes);
void check_no_internal_overlap(const at::Tensor& tensor, const char* op, const char* name);
void check_no_overlap(const at::Tensor& a,
                      const at::Tensor& b,
                      const char* op,
                      const char* a_name,
                      const char* b_name);

// With SHMEM_BIND_CHECK=1: compares operator, call number, dtypes and shapes of this call on all
// PEs and raises on all of them when they differ. Collective then; otherwise nothing. It comes
// before the checks that may raise on one PE alone.
void check_same_call(const char* op, int64_t call, const std::vector<at::Tensor>& tensors);

[[noreturn]] void raise_narrowing(
    const char* op, const char* parameter, int64_t value, int64_t low, int64_t high);
[[noreturn]] void raise_arithmetic(const char* what, int64_t a, int64_t b);

// A value for a kernel parameter of another type; raises when the type cannot hold it.
template <class To>
To narrow(int64_t value, const char* op, const char* parameter) {
  if constexpr (std::is_integral_v<To>) {
    constexpr int64_t low = std::is_signed_v<To> ? std::numeric_limits<To>::min() : 0;
    constexpr int64_t high = sizeof(To) < sizeof(int64_t)
                                 ? static_cast<int64_t>(std::numeric_limits<To>::max())
                                 : std::numeric_limits<int64_t>::max();
    if (value < low || value > high) {
      raise_narrowing(op, parameter, value, low, high);
    }
  }
  return static_cast<To>(value);
}

// Arithmetic of the contract's expressions: 64 bits, overflow and division by zero raise.
inline int64_t add(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? (raise_arithmetic("+", a, b), 0) : result;
}
inline int64_t sub(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_sub_overflow(a, b, &result) ? (raise_arithmetic("-", a, b), 0) : result;
}
inline int64_t mul(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? (raise_arithmetic("*", a, b), 0) : result;
}
inline int64_t div(int64_t a, int64_t b) {
  const bool overflows = b == -1 && a == std::numeric_limits<int64_t>::min();
  return b == 0 || overflows ? (raise_arithmetic("/", a, b), 0) : a / b;
}
inline int64_t mod(int64_t a, int64_t b) {
  return b == 0 ? (raise_arithmetic("%", a, b), 0) : b == -1 ? 0 : a % b;
}
inline int64_t ceil_div(int64_t a, int64_t b) {
  return div(add(a, sub(b, 1)), b);
}
inline int64_t align_up(int64_t a, int64_t b) {
  return mul(ceil_div(a, b), b);
}

}  // namespace shmem_ops
