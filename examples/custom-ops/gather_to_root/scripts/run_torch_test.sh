#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/gather_to_root/docs/design.md
# contract 2d81de16212c8900, text fe273ce038e2bb7a
# Runs torch_test_gather_to_root.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_gather_to_root.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env gather_to_root
exec "${PYTHON:-python3}" "${test}" "$@"
