import torch
torch.ops.load_library("aclshmem_torch.so")
