"""Prints `passed failed skipped` of one ctest run; a run without a result counts as one failure."""

import sys
import xml.etree.ElementTree as tree

try:
    cases = list(tree.parse(sys.argv[1]).getroot().iter("testcase"))
except (OSError, tree.ParseError):
    cases = []
skipped = sum(case.find("skipped") is not None or case.get("status") in ("notrun", "disabled") for case in cases)
failed = sum(case.find("failure") is not None or case.get("status") == "fail" for case in cases)
print(len(cases) - failed - skipped, failed if cases else 1, skipped)
