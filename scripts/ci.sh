#!/bin/sh
# Judges and verifies all operators of a tree and leaves the reports of each: docs/ci.md.
set -eu
BIN=${BIN:-out/release/bin}  # where shmem-bind lies
TREE=${TREE:-custom-ops}     # the operators
REPORTS=${REPORTS:-reports}
mkdir -p "$REPORTS"
status=0
"$BIN/shmem-bind" lint "$TREE" --format json > "$REPORTS/lint.json" || status=$?
"$BIN/shmem-bind" batch "$TREE" --format json > "$REPORTS/batch.json" || status=$?
for verdict in "$TREE"/*/build/verdict.json; do
  [ -e "$verdict" ] || continue
  op=$(basename "$(dirname "$(dirname "$verdict")")")
  cp "$verdict" "$REPORTS/$op.json"
  "$BIN/shmem-bind" report "$verdict" -o "$REPORTS/$op.html" --junit "$REPORTS/$op.xml"
done
exit "$status"
