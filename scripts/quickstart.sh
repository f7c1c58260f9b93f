#!/usr/bin/env bash
# From a bare machine to a verified operator: set-up, build, then AllGather bound, built and verified on 2 and 8 PEs.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: scripts/quickstart.sh [--help]

Installs what is missing (scripts/setup.sh), builds the tool and the simulated CANN (preset `release`) and runs
`shmem-bind run examples/custom-ops/all_gather`: contract checked, binding generated, kernel and binding built,
verified through the real torch_npu on 2 and 8 PEs. Ends with the verdict.

Results:  out/release/bin/shmem-bind   the tool
          out/release/cann             the simulated CANN toolkit (source set_env.sh)
          out/release/shmem            the SHMEM install beside it
EOF
}
case "${1:-}" in
  --help | -h) usage; exit 0 ;;
  "") ;;
  *) usage >&2; exit 2 ;;
esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
step() { printf '\n== %s\n' "$*"; }

step "1/3 set-up"
scripts/setup.sh
step "2/3 tool and simulated CANN (out/release)"
cmake --preset release --log-level=WARNING
cmake --build --preset release -j "$(nproc)"
step "3/3 examples/custom-ops/all_gather"
. out/release/cann/set_env.sh
. out/release/shmem/install/set_env.sh
exec out/release/bin/shmem-bind run examples/custom-ops/all_gather
