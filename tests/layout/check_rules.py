"""The catalogue of diagnostics, tool/*/errors.h, against docs/rules.md and the tests.

    check_rules.py           exits 1 when docs/rules.md differs, a code stands twice or no test shows it
    check_rules.py --write   writes the table of docs/rules.md anew
"""

import pathlib
import re
import sys

PAGE = pathlib.Path("docs/rules.md")
LISTS = ("tool/contract", "tool/lint")
RULE = re.compile(r"inline constexpr Rule \w+\{\s*(.*?)\};", re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
HEAD = "| code | kind | what is wrong | way out |\n|---|---|---|---|\n"


def catalogue():
    """(code, kind, text, hint) of every rule, in order."""
    rules = []
    for file in sorted(pathlib.Path("tool").glob("*/errors.h")):
        for body in RULE.findall(file.read_text(encoding="utf-8")):
            severity = re.search(r"Severity::k(\w+)", body)
            body = re.sub(r'"\s*\n\s*"', "", body)  # one text over several lines
            code, text, hint = (match.replace('\\"', '"') for match in TEXT.findall(body))
            rules.append((code, severity[1].lower() if severity else "error", text, hint))
    return rules


def unlisted_names():
    """Rules of an errors.h that `shmem-bind explain` would not know, or the other way round."""
    unlisted = []
    for folder in map(pathlib.Path, LISTS):
        header = (folder / "errors.h").read_text(encoding="utf-8")
        declared = re.findall(r"inline constexpr Rule (\w+)", header)
        listed = re.findall(r"&(k\w+)", (folder / "rules.cpp").read_text(encoding="utf-8"))
        unlisted += sorted(set(declared) ^ set(listed))
    return unlisted


def shown_codes():
    """Codes that some test expects: in a case's output, or in a unit test. explain lists codes without finding anything."""
    cases = [path for path in pathlib.Path("tests/cases").glob("*/std*.txt") if not path.parent.name.startswith("explain_")]
    files = [*cases, *pathlib.Path("tool").glob("*/*_test.cpp")]
    return set(re.findall(r"\b[CHNGL]\d{3}\b", "".join(file.read_text(encoding="utf-8") for file in files)))


def main():
    rules = catalogue()
    assert rules, "no rules found: is this the root of the repository?"
    table = HEAD + "".join(f"| {' | '.join(rule)} |\n" for rule in rules)
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(HEAD)
    end = re.compile(r"^(?!\|)", re.M).search(page, start).start()
    fresh = page[:start] + table + page[end:]
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(fresh, encoding="utf-8")
        return
    bad = [] if fresh == page else [f"{PAGE} differs from the catalogue: run python3 tests/layout/check_rules.py --write"]
    codes = [rule[0] for rule in rules]
    bad += [f"{code} stands twice" for code in sorted(set(codes)) if codes.count(code) > 1]
    bad += [f"{code}: no case in tests/cases and no unit test shows it" for code in codes if code not in shown_codes()]
    bad += [f"{name}: stands in only one of errors.h and rules.cpp" for name in unlisted_names()]
    print("\n".join(bad) or f"{len(codes)} rules: documented and shown by a test")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
