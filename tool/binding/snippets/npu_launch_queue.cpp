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
