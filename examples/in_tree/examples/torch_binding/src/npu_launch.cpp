// Written by shmem-bind 0.1.0: shared by the operators of this tree
// text 613af3fcdb3bf54f
#include "npu_launch.h"

#include <acl/acl.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/core/npu/NPUFunctions.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/framework/OpCommand.h>

#include <utility>

#include "shmem.h"

namespace shmem_ops {

struct OperatorState::Block {
  std::string op;
  void* pointer = nullptr;
  bool open = true;
};

namespace {

bool is_initialised() {
  return aclshmemx_init_status() == ACLSHMEM_STATUS_IS_INITIALIZED;
}

}  // namespace

void require_initialised(const char* what) {
  TORCH_CHECK(is_initialised(),
              what,
              ": SHMEM is not initialised; call Manager.attr_init(pe, n_ranks, local_mem_size, "
              "ip_port) on every PE first");
}

OperatorState::OperatorState(const char* op, int64_t bytes) : block_(std::make_shared<Block>()) {
  require_initialised(op);
  TORCH_CHECK(bytes >= 0, op, ": the contract's state has ", bytes, " bytes");
  block_->op = op;
  if (bytes > 0) {
    // Zeroed before the allocation's barrier: no peer can signal into it earlier.
    block_->pointer = aclshmem_calloc(1, static_cast<size_t>(bytes));
    TORCH_CHECK(block_->pointer != nullptr,
                op,
                ": no symmetric memory for its state of ",
                bytes,
                " bytes on this PE (construction is collective); raise local_mem_size of "
                "Manager.attr_init");
  }
}

void OperatorState::require_open() const {
  TORCH_CHECK(
      block_->open && is_initialised(), block_->op, ": used after close() or Manager.finalize()");
}

uint8_t* OperatorState::data() const {
  require_open();
  return static_cast<uint8_t*>(block_->pointer);
}

void OperatorState::close() {
  if (!std::exchange(block_->open, false) || !is_initialised()) {
    return;  // finalize() has taken all symmetric memory with it
  }
  synchronize();  // what was launched still uses it
  if (void* pointer = std::exchange(block_->pointer, nullptr)) {
    aclshmem_free(pointer);
  }
}

void launch(const char* name, std::function<int(void* stream)> work) {
  void* stream =
      c10_npu::getCurrentNPUStream().stream(false);  // the handle alone: the queue keeps the order
  at_npu::native::OpCommand::RunOpApiV2(
      name, [stream, work = std::move(work)]() -> int { return work(stream); });
}

int current_device() {
  return c10_npu::current_device();
}
void synchronize() {
  c10_npu::npuSynchronizeDevice();
}

void add_tracing_methods(const std::string& class_name) {
  using torch::jit::Stack;
  const c10::ClassTypePtr type =
      torch::getCustomClass("__torch__.torch.classes.ShmemOps." + class_name);
  const auto add = [&](const char* name,
                       std::vector<c10::Argument> arguments,
                       const c10::TypePtr& result,
                       std::function<void(Stack&)> work) {
    arguments.emplace(arguments.begin(), "self", type);
    auto method = std::make_unique<torch::jit::BuiltinOpFunction>(
        c10::QualifiedName(*type->name(), name),
        c10::FunctionSchema(name, "", std::move(arguments), {c10::Argument("", result)}),
        std::move(work));
    type->addMethod(method.get());
    torch::registerCustomClassMethod(std::move(method));
  };
  const auto instance = [](const c10::IValue& object) -> void* {
    const bool custom = object.isObject() && object.toObjectRef().slots().size() == 1 &&
                        object.toObjectRef().getSlot(0).isCapsule();
    return custom ? object.toObjectRef().getSlot(0).toCapsule().get() : nullptr;
  };
  const auto text_pair = c10::TupleType::create({c10::StringType::get(), c10::StringType::get()});
  add("__obj_flatten__", {}, c10::TupleType::create({text_pair}), [class_name](Stack& stack) {
    stack.back() = std::make_tuple(std::make_tuple(std::string("class_name"), class_name));
  });
  add("__eq__", {{"other", c10::AnyType::get()}}, c10::BoolType::get(), [instance](Stack& stack) {
    const c10::IValue other = torch::jit::pop(stack);
    stack.back() = instance(stack.back()) == instance(other);
  });
  add("__hash__", {}, c10::IntType::get(), [instance](Stack& stack) {
    stack.back() = reinterpret_cast<int64_t>(instance(stack.back()));
  });
}

}  // namespace shmem_ops
