#!/usr/bin/env bash
# Runs torch_test_@@op@@.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_@@op@@.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env @@op@@
exec "${PYTHON:-python3}" "${test}" "$@"
