namespace ShmemOps {
class Manager : public torch::jit::CustomClassHolder {};
}
