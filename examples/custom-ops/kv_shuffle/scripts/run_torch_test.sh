#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/kv_shuffle/docs/design.md
# contract 105664ba1638fdad, text 00707bc28034e7f9
# Runs torch_test_kv_shuffle.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_kv_shuffle.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env kv_shuffle
exec "${PYTHON:-python3}" "${test}" "$@"
