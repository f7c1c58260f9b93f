#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: shared by the operators of this tree
# text d318827d3d0bb2b8
# Builds custom-ops/torch_binding/build/lib/shmem_custom_ops_torch.so. Does nothing when it is up to date.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

usage="usage: build_torch.sh   (PYTHON=… the interpreter that has torch and torch_npu; JOBS=… the parallel compiles, default 2)"
case "${1:-}" in
    "") ;;
    --help | -h) echo "${usage}"; exit 0 ;;
    *) echo "error: unknown argument: $1" >&2; echo "${usage}" >&2; exit 2 ;;
esac

. "${here}/shmem_runtime_env.sh"
setup_shmem_runtime_env
# The library holds all operators of this tree: kernels that were never built are built first.
unbuilt=()
for script in "${here}"/../*/scripts/build_kernel.sh; do
    op="$(basename "$(dirname "$(dirname "${script}")")")"
    kernel="${op}/build/lib/lib${op}_kernel.so"
    if [ ! -e "${here}/../${kernel}" ] && grep -qF "/../${kernel}" "${here}/../torch_binding/CMakeLists.txt"; then
        unbuilt+=("${script}")
    fi
done
[ "${#unbuilt[@]}" -eq 0 ] || printf '%s\0' "${unbuilt[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash
python="$(command -v "${PYTHON:-python3}")" || { echo "error: PYTHON=${PYTHON:-python3} is not a program" >&2; exit 1; }
source="${here}/../torch_binding"
configure_build "${source}" "${source}/build" -DSHMEM_REPO="${SHMEM_REPO}" -DPython3_EXECUTABLE="${python}"
cmake --build "${source}/build" -j "${JOBS:-2}"
