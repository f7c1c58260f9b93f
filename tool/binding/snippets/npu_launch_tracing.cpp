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
