"""in_tree_second_operator.py SHMEM_BIND: a second operator joins a tree, and two join it at the same moment.

The tree is examples/in_tree with its operator ring_shift. Shown by diff: what was there stays byte for byte, what is added
stands between our marks; cleaning gives the tree back; runs at the same time end as runs one after the other do.
"""

import difflib
import pathlib
import shutil
import subprocess
import sys
import tempfile

DEADLINE_S = 60
RACES = 10
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/in_tree"
FIRST = "ring_shift"
NAMES = ("second_shift", "third_shift")


def texts_of(tree):
    return {str(path.relative_to(tree)): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def add_operator(tree, name):
    """The files a person writes: those of ring_shift under another name."""
    class_names = {FIRST: name, "RingShift": "".join(word.capitalize() for word in name.split("_"))}
    for path in ("CMakeLists.txt", "docs/design.md", f"{FIRST}_kernel.h", f"{FIRST}_kernel.cpp"):
        text = (EXAMPLE / "examples" / FIRST / path).read_text(encoding="utf-8")
        for old, new in class_names.items():
            text = text.replace(old, new)
        target = tree / "examples" / name / path.replace(FIRST, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def lay_out(tree):
    shutil.copytree(EXAMPLE, tree, ignore=shutil.ignore_patterns("build", "install", "__pycache__"))
    for name in NAMES:
        add_operator(tree, name)


def start(tool, command, tree, name):
    return subprocess.Popen([tool, command, f"examples/{name}"], cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def finish(process):
    output, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, output
    return output


def check_only_added(before, after, name):
    """Every line that is new stands in one of our regions, as lines of this operator or as marks."""
    changed = []
    for path, old in before.items():
        assert path in after, f"{path} is gone"
        if after[path] == old:
            continue
        changed.append(path)
        old_lines, new_lines = (text.decode("utf-8").splitlines(keepends=True) for text in (old, after[path]))
        added = [line for line in difflib.ndiff(old_lines, new_lines) if not line.startswith("  ")]
        print(f"{path}\n    " + "    ".join(added).rstrip())
        assert all(line.startswith("+ ") for line in added), f"{path}: a line that was there is other now"
        owner = inside = None
        kept = []
        for line in new_lines:
            if "shmem-bind: " in line:
                inside, owner = line.rstrip().endswith(" begin"), None
            elif inside and " operator " in line:
                owner = line.split(" operator ")[1].split(",")[0]
            if owner != name:
                kept.append(line)
        assert "".join(kept).encode("utf-8") == old, f"{path}: foreign bytes changed"
    return changed


def show_second(tool, tree):
    before = texts_of(tree)
    finish(start(tool, "generate", tree, NAMES[0]))
    after = texts_of(tree)
    changed = check_only_added(before, after, NAMES[0])
    assert sorted(changed) == ["examples/CMakeLists.txt", "examples/torch_binding/CMakeLists.txt",
                               "examples/torch_binding/include/shmem_torch_kernel.h"], changed
    fresh = sorted(set(after) - set(before))
    assert fresh == [f"examples/{NAMES[0]}/scripts/torch_test_{NAMES[0]}.py",
                     f"examples/torch_binding/python/aclshmem_ops/{NAMES[0]}.py",
                     f"examples/torch_binding/src/torch_bind_{NAMES[0]}.cpp"], fresh
    assert "nothing to write" in finish(start(tool, "generate", tree, FIRST)), "the first operator is out of date now"
    finish(start(tool, "clean", tree, NAMES[0]))
    assert texts_of(tree) == before, "clean does not give the tree back"


def show_races(tool, folder):
    for command in ("generate", "clean"):
        want = folder / f"want_{command}"
        lay_out(want)
        for step in ("generate", "clean")[: 1 + (command == "clean")]:
            for name in NAMES:
                finish(start(tool, step, want, name))
    for number in range(RACES):
        tree = folder / f"race{number}"
        lay_out(tree)
        for command in ("generate", "clean"):
            order = NAMES if number % 2 else NAMES[::-1]
            for process in [start(tool, command, tree, name) for name in order]:
                finish(process)
            assert texts_of(tree) == texts_of(folder / f"want_{command}"), f"race {number}: {command}"
        shutil.rmtree(tree)


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-second-") as name:
        folder = pathlib.Path(name).resolve()
        lay_out(folder / "tree")
        show_second(tool, folder / "tree")
        show_races(tool, folder)
    print(f"a second operator adds lines only; {RACES} races of two generate and two clean end as one after the other")


if __name__ == "__main__":
    main()
