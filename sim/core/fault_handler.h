#pragma once

namespace shmem_sim {

// A fault signal (SIGSEGV, SIGBUS, SIGFPE) inside a kernel block is reported with PE, kernel,
// block, last call and address before the previous handler gets it. Installed once, when the first
// kernel starts. Internal to sim/core.
void install_fault_handler();

}  // namespace shmem_sim
