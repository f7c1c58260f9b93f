#!/usr/bin/env bash
# Every C++ file of tool/, sim/, tests/ and bench/ is formatted by .clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files 'tool/*.cpp' 'tool/*.h' 'sim/*.cpp' 'sim/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'bench/*.h' |
  grep -v '^tests/e2e/broken/' | xargs clang-format-16 --dry-run --Werror
