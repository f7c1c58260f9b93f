#!/usr/bin/env bash
# Runs torch_test_@@op@@.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env @@op@@
setup_shmem_dynamic_endpoints
exec "${PYTHON:-python3}" "${here}/torch_test_@@op@@.py" "$@"
