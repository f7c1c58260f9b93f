#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
# contract eebdb9ca094da100, text 3a93d7eb3fdd8a77
# Builds custom-ops/all_gather/build/lib/liball_gather_kernel.so. Does nothing when it is up to date.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

usage="usage: build_kernel.sh   (JOBS=… the parallel compiles, default 2)"
case "${1:-}" in
    "") ;;
    --help | -h) echo "${usage}"; exit 0 ;;
    *) echo "error: unknown argument: $1" >&2; echo "${usage}" >&2; exit 2 ;;
esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env all_gather
build="${here}/../build"
configure_build "${here}/.." "${build}" -DSHMEM_REPO="${SHMEM_REPO}"
cmake --build "${build}" -j "${JOBS:-2}"
