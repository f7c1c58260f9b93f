#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/broadcast/docs/design.md
# contract bd780c16d05f2df2, text 8f6bb6ce5b03b489
# Runs torch_test_broadcast.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_broadcast.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env broadcast
exec "${PYTHON:-python3}" "${test}" "$@"
