#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/halo_exchange/docs/design.md
# contract d4fcdab58763ee47, text 38bc692ef8311634
# Builds custom-ops/halo_exchange/build/lib/libhalo_exchange_kernel.so. Does nothing when it is up to date.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

usage="usage: build_kernel.sh   (JOBS=… the parallel compiles, default 2)"
case "${1:-}" in
    "") ;;
    --help | -h) echo "${usage}"; exit 0 ;;
    *) echo "error: unknown argument: $1" >&2; echo "${usage}" >&2; exit 2 ;;
esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env halo_exchange
build="${here}/../build"
configure_build "${here}/.." "${build}" -DSHMEM_REPO="${SHMEM_REPO}"
cmake --build "${build}" -j "${JOBS:-2}"
