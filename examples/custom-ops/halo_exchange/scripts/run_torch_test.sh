#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/halo_exchange/docs/design.md
# contract d4fcdab58763ee47, text 21283c2252c39b6c
# Runs torch_test_halo_exchange.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_halo_exchange.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env halo_exchange
exec "${PYTHON:-python3}" "${test}" "$@"
