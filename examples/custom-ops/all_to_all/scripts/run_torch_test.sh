#!/usr/bin/env bash
# Written by shmem-bind 0.1.0: custom-ops/all_to_all/docs/design.md
# contract d8183d362fa138ba, text 69d41fc71dc1c98b
# Runs torch_test_all_to_all.py in the right environment; its options are passed on (--pes 2, --dtype fp16, …; --help lists them).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
test="${here}/torch_test_all_to_all.py"
case " $* " in *" --help "* | *" -h "*) exec "${PYTHON:-python3}" "${test}" --help ;; esac

. "${here}/../../scripts/shmem_runtime_env.sh"
setup_shmem_runtime_env all_to_all
exec "${PYTHON:-python3}" "${test}" "$@"
