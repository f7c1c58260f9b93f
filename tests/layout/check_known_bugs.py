"""Every test that docs/known_bugs.md names exists; no entry stands there and in docs/bugs_not_applicable.md.

    check_known_bugs.py     exits 1 and tells what is missing
"""

import pathlib
import re
import sys

PAGE = pathlib.Path("docs/known_bugs.md")
NOT_HERE = pathlib.Path("docs/bugs_not_applicable.md")
ROW = re.compile(r"^\| (BL-\d+) \| [^|]+ \| ([^|]+) \|$", re.M)


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
    bad += [f"{PAGE}: {bug} stands twice" for bug in sorted(set(names)) if names.count(bug) > 1]
    elsewhere = re.findall(r"\bBL-\d+\b", NOT_HERE.read_text(encoding="utf-8")) if NOT_HERE.exists() else []
    bad += [f"{NOT_HERE}: {bug} stands in {PAGE} too" for bug in elsewhere if bug in names]
    print("\n".join(bad) or f"{len(rows)} known faults: every test is there")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
