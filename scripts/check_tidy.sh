#!/usr/bin/env bash
# clang-tidy over every source of tool/ and sim/ in a configured build folder (compile_commands.json).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?usage: scripts/check_tidy.sh BUILD_FOLDER}
python3 - "$build" <<'EOF' | xargs -P "$(nproc)" -n 4 clang-tidy-16 -p "$build" --quiet --warnings-as-errors='*'
import json, os, sys
root = os.getcwd() + "/"
for entry in json.load(open(os.path.join(sys.argv[1], "compile_commands.json"))):
    path = entry["file"]
    if path.startswith((root + "tool/", root + "sim/")) and not path.endswith("_test.cpp"):
        print(path)
EOF
