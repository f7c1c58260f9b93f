"""Every entry of the log of faults that other projects had stands in docs/known_bugs.md, with tests that exist, or in
docs/bugs_not_applicable.md, with a reason; none stands in both.

    check_known_bugs.py     exits 1 and tells what is missing
"""

import pathlib
import re
import sys

PAGE = pathlib.Path("docs/known_bugs.md")
NOT_HERE = pathlib.Path("docs/bugs_not_applicable.md")
ROW = re.compile(r"^\| (BL-\d+) \| [^|]+ \| ([^|]+) \|$", re.M)
# The log's entries by class. Its ids are not consecutive.
ENTRIES = {
    "A, calls": "3 4 5 8 9 10 11 12 13 14 15 16 17 19 20 89 90",
    "B, state and signals": "22 23 24 27 28 30 31 32 33 34 35 36 37 38 39 40 41",
    "C, start and machine": "43 44 45 46 47 48 49 50 51 52",
    "D, build and load": "54 55 56 57 58 59 61 62 63 64 65 66 67 92",
    "E, documents": "69 70 71 72 73 74",
    "F, headers": "75 76 77",
    "G, tests": "78 82 83 84 85 86 91",
    "H, the device": "87 88",
}


def is_there(test):
    path, _, name = test.partition("::")
    if not name:
        return any(pathlib.Path(".").glob(path))
    return pathlib.Path(path).is_file() and name in pathlib.Path(path).read_text(encoding="utf-8")


def main():
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert rows, "no entries found: is this the root of the repository?"
    bad = [f"{PAGE}: {bug}: there is no {test}" for bug, tests in rows for test in tests.split(", ") if not is_there(test)]
    names = [bug for bug, _ in rows]
    reasons = dict(ROW.findall(NOT_HERE.read_text(encoding="utf-8")))
    bad += [f"{NOT_HERE}: {bug} has no reason" for bug, reason in reasons.items() if len(reason.split()) < 5]
    logged = {f"BL-{int(number):02}": kind for kind, numbers in ENTRIES.items() for number in numbers.split()}
    bad += [f"{bug} (class {kind}) has neither a test in {PAGE} nor a reason in {NOT_HERE}"
            for bug, kind in logged.items() if bug not in names and bug not in reasons]
    bad += [f"{bug} is no entry of the log" for bug in [*names, *reasons] if bug not in logged]
    bad += [f"{PAGE}: {bug} stands twice" for bug in sorted(set(names)) if names.count(bug) > 1]
    bad += [f"{NOT_HERE}: {bug} stands in {PAGE} too" for bug in reasons if bug in names]
    print("\n".join(bad) or f"{len(logged)} faults in the log: {len(rows)} have tests, all there, {len(reasons)} a reason")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
