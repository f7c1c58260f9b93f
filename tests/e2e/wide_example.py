"""AllGather for up to 64 PEs: the example with larger tables, generated and built in the build folder."""

import shutil
import subprocess

from example_tree import ROOT, copy_example

KERNEL = [("kMaxPes = 16", "kMaxPes = 64")]
DESIGN = [('n_pes: "1..16"', 'n_pes: "1..64"'),
          ('state: "2 * 16 * 16 * 64 + 2 * 16 * 64 + 2 * 16 * 64 + 2 * 16 * 64 + 2 * 16 * 32 KiB',
           'state: "2 * 64 * 16 * 64 + 2 * 16 * 64 + 2 * 64 * 64 + 2 * 64 * 64 + 2 * 64 * 32 KiB')]


def change(path, changes):
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        if old not in text:
            raise AssertionError(f"{path} has no {old}")
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def wide_example(build, target):
    """The operator's folder, built below `target`, a folder that is made anew; `build` has bin/shmem-bind, cann and shmem."""
    shutil.rmtree(target, ignore_errors=True)
    tree = target / "custom-ops"
    copy_example(tree, "all_gather")
    op = tree / "all_gather"
    change(op / "src/all_gather_kernel.cpp", KERNEL)
    change(op / "docs/design.md", DESIGN)
    roots = ["--cann", build / "cann", "--shmem", build / "shmem", "--python", ROOT / ".venv/bin/python"]
    for words in (["generate", op], ["build", op, *roots]):
        done = subprocess.run([str(word) for word in [build / "bin/shmem-bind", *words]], capture_output=True, text=True, check=False,
                              timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"{words[0]}:\n{done.stdout}{done.stderr}")
    return op, roots
