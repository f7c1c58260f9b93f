#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: shared by the operators of this tree, text c946cc457b9829d8
# Builds custom-ops/torch_binding/build/lib/shmem_custom_ops_torch.so. Does nothing when it is up to date.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

if [ "${1:-}" = "--help" ]; then
    echo "usage: build_torch.sh   (PYTHON=… chooses the interpreter that has torch and torch_npu; JOBS=… the parallel compiles)"
    exit 0
fi

. "${here}/shmem_runtime_env.sh"
setup_shmem_runtime_env
source="${here}/../torch_binding"
build="${source}/build"
generator=()
command -v ninja >/dev/null && [ ! -e "${build}/CMakeCache.txt" ] && generator=(-G Ninja)
cmake -S "${source}" -B "${build}" "${generator[@]}" -DSHMEM_REPO="${SHMEM_REPO}" \
    -DPython3_EXECUTABLE="$(command -v "${PYTHON:-python3}")" --log-level=WARNING >/dev/null
cmake --build "${build}" -j "${JOBS:-2}"
