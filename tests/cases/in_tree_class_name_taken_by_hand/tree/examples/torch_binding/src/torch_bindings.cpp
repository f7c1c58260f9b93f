namespace ShmemOps {
class Manager : public torch::jit::CustomClassHolder {};
}
REGISTER_SHMEM_OPS_CLASS(CopyRows, compute);
