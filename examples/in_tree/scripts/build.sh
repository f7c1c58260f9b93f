#!/usr/bin/env bash
# Builds the tree and installs it into install/shmem.
set -euo pipefail
tree="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

usage="usage: build.sh [-examples] [-python_example]
  -examples        also the examples' programs, build/examples/<name>/<name>
  -python_example  also install/shmem/lib/aclshmem_torch.so, the PyTorch binding of the examples
Environment: SHMEM_REPO the SHMEM tree with install/, PYTHON the interpreter with torch and torch_npu, JOBS the parallel compiles."
examples=OFF
python_example=OFF
for option in "$@"; do
    case "${option}" in
        -examples) examples=ON ;;
        -python_example) python_example=ON ;;
        -h | --help) echo "${usage}"; exit 0 ;;
        *) echo "error: unknown option: ${option}" >&2; echo "${usage}" >&2; exit 2 ;;
    esac
done

python="$(command -v "${PYTHON:-python3}")" || { echo "error: PYTHON=${PYTHON:-python3} is not a program" >&2; exit 1; }
build="${tree}/build"
generator=()
command -v ninja >/dev/null && [ ! -e "${build}/CMakeCache.txt" ] && generator=(-G Ninja)
cmake -S "${tree}" -B "${build}" "${generator[@]}" -DSHMEM_REPO="${SHMEM_REPO:-}" -DUSE_EXAMPLES="${examples}" \
    -DPYEXPAND_EXAMPLE="${python_example}" -DPython3_EXECUTABLE="${python}" -DCMAKE_INSTALL_PREFIX="${tree}/install/shmem" --log-level=WARNING >/dev/null
cmake --build "${build}" -j "${JOBS:-2}"
cmake --install "${build}" >/dev/null
