#!/usr/bin/env bash
# Every C++ file of tool/, sim/, tests/ and bench/ is formatted by .clang-format, and so is what generate writes into
# examples/; templates with @@places@@ are not C++ yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files 'tool/*.cpp' 'tool/*.h' 'sim/*.cpp' 'sim/*.h' 'tests/*.cpp' 'tests/*.h' 'bench/*.cpp' 'bench/*.h' |
  grep -vE '^tests/(e2e/broken|cases)/|^tool/binding/snippets/torch_bind(_op|ings).cpp' | xargs clang-format-16 --dry-run --Werror
git grep -l '^// Written by shmem-bind' -- 'examples/*.cpp' 'examples/*.h' | xargs clang-format-16 --dry-run --Werror
