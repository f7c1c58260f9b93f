#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/all_gather/docs/design.md
# contract eebdb9ca094da100, text 1b19edde8b8dbcc5
# Runs torch_test_all_gather.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_all_gather.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env all_gather
exec "${PYTHON:-python3}" "${test}" "$@"
