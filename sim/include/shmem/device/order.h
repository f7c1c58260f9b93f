#pragma once

// Completion and barriers. aclshmem_quiet and aclshmem_fence are the same: they complete the
// transfers of the calling block.

#include "device/runtime.h"

ACLSHMEM_DEVICE void util_set_ffts_config(uint64_t) {
}  // blocks of the simulator need no hardware address to meet
#define shmemx_set_ffts_config util_set_ffts_config

ACLSHMEM_DEVICE void aclshmem_quiet(::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::quiet(here.in("aclshmem_quiet"));
}
ACLSHMEM_DEVICE void aclshmem_fence(::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::quiet(here.in("aclshmem_fence"));
}
ACLSHMEM_DEVICE void aclshmemx_mte_quiet(::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::quiet(here.in("aclshmemx_mte_quiet"));
}
#define shmem_quiet aclshmem_quiet
#define shmem_fence aclshmem_fence
#define shmemx_mte_quiet aclshmemx_mte_quiet

ACLSHMEM_DEVICE void aclshmemx_barrier_vec(aclshmem_team_t team,
                                           ::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::barrier(team, here.in("aclshmemx_barrier_vec"));
}
ACLSHMEM_DEVICE void aclshmemx_barrier_all_vec(::shmem_sim::shmem::device::Here here = {}) {
  ::shmem_sim::shmem::device::barrier(ACLSHMEM_TEAM_WORLD, here.in("aclshmemx_barrier_all_vec"));
}
#define shmemx_barrier_vec aclshmemx_barrier_vec
#define shmemx_barrier_all_vec aclshmemx_barrier_all_vec

ACLSHMEM_DEVICE int aclshmem_team_pe_mapping(aclshmem_team_t team, int pe) {
  return aclshmem_team_translate_pe(team, pe, ACLSHMEM_TEAM_WORLD);
}

// Barriers exist on the host too. The call's place in the source is added as a last argument.
ACLSHMEM_DEVICE void aclshmem_barrier(aclshmem_team_t team, ::shmem_sim::shmem::device::Here here) {
  ::shmem_sim::shmem::device::enter_if_kernel(here.in("aclshmem_barrier"));
  aclshmem_barrier(team);
}
ACLSHMEM_DEVICE void aclshmem_barrier_all(::shmem_sim::shmem::device::Here here) {
  ::shmem_sim::shmem::device::enter_if_kernel(here.in("aclshmem_barrier_all"));
  aclshmem_barrier_all();
}
#ifndef SHMEM_SIM_IMPLEMENTATION
#define aclshmem_barrier(team) aclshmem_barrier(team, ::shmem_sim::shmem::device::Here())
#define aclshmem_barrier_all() aclshmem_barrier_all(::shmem_sim::shmem::device::Here())
#endif
