REGISTER_SHMEM_OPS_CLASS(CopyRows, (compute));
