"""run_cases.py SHMEM_BIND [CASE…]: runs the tool on every case folder and compares what it says and writes.

A case is a folder with
  design.md, kernel.h   the operator custom-ops/copy_rows (either may be missing)
  tree/                 more files of the tree, optional
  base                  optional: the folder of tests/lint that the tree begins as
  args                  the command line; OP stands for the operator's folder. Several lines: commands in front of it, which must
                        succeed, and what a person does between them: `WRITE path text`, `REPLACE path old new`, where \\n is a line's end
and what must come out of the last one:
  stdout.txt, stderr.txt (absent: empty), exit   and, when it writes, files.txt: the paths it left behind, and changed.txt: paths
  that had been there and are other now
UPDATE_CASES=1 writes these from what the tool does: read the difference before committing it.
"""

import concurrent.futures
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

DEADLINE_S = 30
OPERATOR = "custom-ops/copy_rows"


def lay_out(case, tree):
    """The case's operator in a tree of its own; the paths that are there before the tool runs."""
    if (case / "base").exists():
        shutil.copytree(case.parent.parent / "lint" / (case / "base").read_text(encoding="utf-8").strip(), tree, dirs_exist_ok=True)
    if (case / "tree").is_dir():
        shutil.copytree(case / "tree", tree, dirs_exist_ok=True)
    for name, target in (("design.md", "docs/design.md"), ("kernel.h", "src/copy_rows_kernel.h")):
        if (case / name).exists():
            path = tree / OPERATOR / target
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(case / name, path)
    (tree / OPERATOR).mkdir(parents=True, exist_ok=True)
    return {path: path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def edit(tree, words):
    """What a person does to the tree."""
    words = [word.replace("\\n", "\n") for word in words]
    path = tree / words[1]
    if words[0] == "WRITE":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words[2] + "\n", encoding="utf-8")
    else:
        text = path.read_text(encoding="utf-8")
        assert words[2] in text, f"{words[1]} has no {words[2]}"
        path.write_text(text.replace(words[2], words[3]), encoding="utf-8")


def run(tool, tree, line):
    """Runs one line of args; the finished process, or nothing when a person acted."""
    words = [OPERATOR if word == "OP" else word for word in shlex.split(line)]
    if words[0] in ("WRITE", "REPLACE"):
        return edit(tree, words)
    environment = {"PATH": os.environ["PATH"], "LANG": "C"}
    return subprocess.run([tool, *words], cwd=tree, env=environment, capture_output=True, timeout=DEADLINE_S)


def outcome_of(tool, case):
    """What the tool did: name of the expectation file -> text."""
    with tempfile.TemporaryDirectory(prefix="shmem-bind-case-") as folder:
        tree = pathlib.Path(folder).resolve()
        before = lay_out(case, tree)
        *first, last = (case / "args").read_text(encoding="utf-8").splitlines()
        for line in first:
            done = run(tool, tree, line)
            assert done is None or done.returncode == 0, f"{case.name}: {line}: {done.stderr.decode()}"
        done = run(tool, tree, last)
        written = sorted(str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and path not in before)
        changed = sorted(str(path.relative_to(tree)) for path, text in before.items()
                         if not path.is_file() or path.read_bytes() != text)
        return {
            "stdout.txt": done.stdout.decode("utf-8").replace(str(tree), "TREE"),
            "stderr.txt": done.stderr.decode("utf-8").replace(str(tree), "TREE"),
            "exit": f"{done.returncode}\n",
            "files.txt": "".join(path + "\n" for path in written),
            "changed.txt": "".join(path + "\n" for path in changed),
        }


def compare(case, outcome):
    """Lines that tell the differences between a case and what happened."""
    lines = []
    for name, text in outcome.items():
        path = case / name
        expected = path.read_text(encoding="utf-8") if path.exists() else ""
        if expected != text:
            lines += [f"{case.name}/{name} should be:", expected, "but is:", text]
    return lines


def update(case, outcome):
    for name, text in outcome.items():
        if text:
            (case / name).write_text(text, encoding="utf-8")
        else:
            (case / name).unlink(missing_ok=True)


def main():
    tool = os.path.abspath(sys.argv[1])
    root = pathlib.Path(__file__).resolve().parent
    names = sys.argv[2:] or sorted(path.parent.name for path in root.glob("*/args"))
    assert names, "no cases found"
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda name: outcome_of(tool, root / name), names))
    for name, outcome in zip(names, outcomes):
        if os.environ.get("UPDATE_CASES"):
            update(root / name, outcome)
        differences = compare(root / name, outcome)
        wrong += bool(differences)
        print("\n".join(differences) if differences else f"{name}: as expected")
    print(f"{len(names) - wrong} passed, {wrong} failed")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
