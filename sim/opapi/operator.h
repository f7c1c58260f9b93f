#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sim/opapi/call_key.h"
#include "sim/opapi/executor.h"
#include "sim/opapi/value.h"

// How the tables define an operator:
//
//   ACLNN(Lerps, 4, [](In self, In end, Number weight, Out out) { out.set(self.lerp(end, weight));
//   })
//
// The function's parameters are the vendor's, in the vendor's order; their number stands beside the
// name because the preprocessor cannot count them (a wrong number does not compile). It is run
// twice: in the first phase on meta twins of the tensors, then on the device.

namespace shmem_sim::opapi {

template <class... Parameters>
class Call final : public aclOpExecutor {
 public:
  using Values = std::tuple<std::decay_t<Parameters>...>;

  Call(void (*function)(Parameters...), Values values)
      : function_(function), values_(std::move(values)) {}
  void run() const override { std::apply(function_, values_); }
  std::string key() const override {
    CallKey key;
    std::apply([&key](const auto&... values) { (key.add(values), ...); }, values_);
    return key.bytes();
  }
  void try_out() const override {
    std::apply([this](const auto&... values) { function_(on_meta(values)...); }, values_);
  }

 private:
  void (*function_)(Parameters...);
  Values values_;
};

// Counts the argument, then reads it.
template <class Parameter>
std::decay_t<Parameter> read_next(int& argument, typename Argument<Parameter>::Handle handle) {
  ++argument;
  return Argument<Parameter>::read(handle);
}

template <class... Parameters>
struct Operator {
  // Type of the C function's parameter number I.
  template <size_t I>
  using Handle = std::tuple_element_t<I, std::tuple<typename Argument<Parameters>::Handle...>>;

  using Values = typename Call<Parameters...>::Values;

  const char* name;
  Trial trial;
  void (*function)(Parameters...);

  int first(uint64_t* workspace,
            aclOpExecutor** executor,
            typename Argument<Parameters>::Handle... handles) const {
    const auto prepare = [&](int& argument) {  // the braces of Values read from left to right
      return std::make_unique<Call<Parameters...>>(
          function, Values{read_next<Parameters>(argument, handles)...});
    };
    return first_phase(name, trial, prepare, workspace, executor);
  }
};

template <class... Parameters>
constexpr Operator<Parameters...> define(const char* name,
                                         Trial trial,
                                         void (*function)(Parameters...)) {
  return {name, trial, function};
}

}  // namespace shmem_sim::opapi

#define SHMEM_SIM_HANDLE(OP, I) decltype(OP)::Handle<I> a##I
#define SHMEM_SIM_PARAMETERS_1(OP) SHMEM_SIM_HANDLE(OP, 0)
#define SHMEM_SIM_PARAMETERS_2(OP) SHMEM_SIM_PARAMETERS_1(OP), SHMEM_SIM_HANDLE(OP, 1)
#define SHMEM_SIM_PARAMETERS_3(OP) SHMEM_SIM_PARAMETERS_2(OP), SHMEM_SIM_HANDLE(OP, 2)
#define SHMEM_SIM_PARAMETERS_4(OP) SHMEM_SIM_PARAMETERS_3(OP), SHMEM_SIM_HANDLE(OP, 3)
#define SHMEM_SIM_PARAMETERS_5(OP) SHMEM_SIM_PARAMETERS_4(OP), SHMEM_SIM_HANDLE(OP, 4)
#define SHMEM_SIM_PARAMETERS_6(OP) SHMEM_SIM_PARAMETERS_5(OP), SHMEM_SIM_HANDLE(OP, 5)
#define SHMEM_SIM_PARAMETERS_7(OP) SHMEM_SIM_PARAMETERS_6(OP), SHMEM_SIM_HANDLE(OP, 6)
#define SHMEM_SIM_PARAMETERS_8(OP) SHMEM_SIM_PARAMETERS_7(OP), SHMEM_SIM_HANDLE(OP, 7)
#define SHMEM_SIM_PARAMETERS_9(OP) SHMEM_SIM_PARAMETERS_8(OP), SHMEM_SIM_HANDLE(OP, 8)
#define SHMEM_SIM_PARAMETERS_10(OP) SHMEM_SIM_PARAMETERS_9(OP), SHMEM_SIM_HANDLE(OP, 9)
#define SHMEM_SIM_PARAMETERS_11(OP) SHMEM_SIM_PARAMETERS_10(OP), SHMEM_SIM_HANDLE(OP, 10)
#define SHMEM_SIM_ARGUMENTS_1 a0
#define SHMEM_SIM_ARGUMENTS_2 SHMEM_SIM_ARGUMENTS_1, a1
#define SHMEM_SIM_ARGUMENTS_3 SHMEM_SIM_ARGUMENTS_2, a2
#define SHMEM_SIM_ARGUMENTS_4 SHMEM_SIM_ARGUMENTS_3, a3
#define SHMEM_SIM_ARGUMENTS_5 SHMEM_SIM_ARGUMENTS_4, a4
#define SHMEM_SIM_ARGUMENTS_6 SHMEM_SIM_ARGUMENTS_5, a5
#define SHMEM_SIM_ARGUMENTS_7 SHMEM_SIM_ARGUMENTS_6, a6
#define SHMEM_SIM_ARGUMENTS_8 SHMEM_SIM_ARGUMENTS_7, a7
#define SHMEM_SIM_ARGUMENTS_9 SHMEM_SIM_ARGUMENTS_8, a8
#define SHMEM_SIM_ARGUMENTS_10 SHMEM_SIM_ARGUMENTS_9, a9
#define SHMEM_SIM_ARGUMENTS_11 SHMEM_SIM_ARGUMENTS_10, a10

#define SHMEM_SIM_ACLNN(NAME, COUNT, TRIAL, ...)                                                \
  namespace shmem_sim::opapi {                                                                  \
  constexpr auto op_##NAME = define("aclnn" #NAME, TRIAL, +__VA_ARGS__);                        \
  extern "C" SHMEM_SIM_EXPORT int aclnn##NAME##GetWorkspaceSize(                                \
      SHMEM_SIM_PARAMETERS_##COUNT(op_##NAME), uint64_t* workspace, aclOpExecutor** executor) { \
    return op_##NAME.first(workspace, executor, SHMEM_SIM_ARGUMENTS_##COUNT);                   \
  }                                                                                             \
  extern "C" SHMEM_SIM_EXPORT int aclnn##NAME(void*,                                            \
                                              uint64_t,                                         \
                                              aclOpExecutor* executor,                          \
                                              void* stream) {                                   \
    return second_phase(op_##NAME.name, executor, stream);                                      \
  }                                                                                             \
  }

#define ACLNN(NAME, COUNT, ...) SHMEM_SIM_ACLNN(NAME, COUNT, Trial::kInFirstPhase, __VA_ARGS__)
// For what cannot run without data.
#define ACLNN_UNTRIED(NAME, COUNT, ...) SHMEM_SIM_ACLNN(NAME, COUNT, Trial::kNone, __VA_ARGS__)
