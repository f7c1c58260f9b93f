"""items.py SHMEM_BIND: the ten items of the list of checks (S14) and the thirteen of what is never done (S15) have a rule each.

Fails when an item has no rule and no reason, when docs/rules.md does not name the rule beside the item, when a rule is not seen in
a tree of wrong_trees.py that breaks the item in another way than the cases do, and when a right tree is complained of.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from wrong_trees import RIGHT, WRONG

DEADLINE_S = 60
ROOT = pathlib.Path(__file__).resolve().parents[2]
# What only a run shows has no rule that could decide it: the rule named here sees the trees that cannot even try.
ITEMS = {
    "S14": {1: "L002", 2: "L004", 3: "L005", 4: "L003", 5: "L020", 6: "L021", 7: "L022", 8: "L030 L031 L033", 9: "L033", 10: "L033"},
    "S15": {1: "L003", 2: "L007 L008 L009", 3: "L032", 4: "L034", 5: "L006", 6: "L037", 7: "L022", 8: "L021", 9: "L038", 10: "L020",
            11: "L033", 12: "L030", 13: "L040"},
}
COUNT = {"S14": 10, "S15": 13}


def findings(tool, edits):
    """The codes that lint finds in tests/lint/by_hand with the edits, and all it says."""
    with tempfile.TemporaryDirectory(prefix="shmem-bind-lint-") as folder:
        tree = pathlib.Path(folder) / "custom-ops"
        shutil.copytree(ROOT / "tests/lint/by_hand/custom-ops", tree)
        for name, old, new in edits:
            path = tree / name
            if old is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(new, encoding="utf-8") if new else path.unlink()
                continue
            text = path.read_text(encoding="utf-8")
            assert old in text, f"{name} has no {old!r}"
            path.write_text(text.replace(old, new), encoding="utf-8")
        done = subprocess.run([tool, "lint", str(tree)], capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode in (0, 10), done.stdout + done.stderr
        return re.findall(r"error\[(L\d+)\]", done.stdout), done.stdout.replace(str(tree), "custom-ops")


def problems_of_the_table():
    page = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    declared = set(re.findall(r'"(L\d+)"', (ROOT / "tool/lint/errors.h").read_text(encoding="utf-8")))
    lists = dict(zip(COUNT, re.findall(r"^\| (?:to check|never to do) \| rule \|\n\|---\|---\|\n((?:\|.*\n)+)", page, re.M)))
    for name, count in COUNT.items():
        missing = set(range(1, count + 1)) - set(ITEMS[name])
        yield from (f"{name}.{number} has no rule" for number in sorted(missing))
        rows = {}
        for numbers, text in re.findall(r"^\| ([\d, ]+) (.*)$", lists.get(name, ""), re.M):
            rows.update(dict.fromkeys(map(int, numbers.replace(",", " ").split()), text))
        for number, codes in ITEMS[name].items():
            yield from (f"{code} of {name}.{number} is no rule" for code in codes.split() if code not in declared)
            yield from (f"docs/rules.md does not name {code} beside {name}.{number}" for code in codes.split() if code not in rows.get(number, ""))
            if not any(item == f"{name}.{number}" for item, _, _ in WRONG):
                yield f"no wrong tree breaks {name}.{number}"


def main():
    tool = os.path.abspath(sys.argv[1])
    bad = list(problems_of_the_table())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = list(pool.map(lambda tree: findings(tool, tree[2]), WRONG))
        right = list(pool.map(lambda edits: findings(tool, edits), RIGHT))
    for (item, code, edits), (codes, _) in zip(WRONG, wrong):
        if code not in codes:
            bad.append(f"MISSED {item} {code} in {edits[0][0]}: {edits[0][2][:90]!r}: {' '.join(codes) or 'nothing'}")
    bad += [f"WRONGLY SAID of {edits}:\n{said}" for edits, (codes, said) in zip(RIGHT, right) if codes]
    print("\n".join(bad) or f"{sum(COUNT.values())} items, {len(WRONG)} wrong trees seen, {len(RIGHT)} right ones left alone")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
