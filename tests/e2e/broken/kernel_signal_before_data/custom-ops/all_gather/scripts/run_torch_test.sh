#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md, contract 895d2e0f46bf3709, text 79dbfae4d58ced83
# Runs torch_test_all_gather.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env all_gather
setup_shmem_dynamic_endpoints
exec "${PYTHON:-python3}" "${here}/torch_test_all_gather.py" "$@"
