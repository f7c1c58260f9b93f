"""kill_generate.py SHMEM_BIND [COUNT]: kills `generate` at random moments and looks at the tree it leaves.

Every file must hold its old text or its new one, the next run must complete the change, and nothing else may stay
behind. Half of the kills wait until the run has begun to write, so that the short window of the renames is met too; on
a busy machine, where few of them meet it, more such kills follow.
"""

import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE_S = 30
MET = 2  # kills at least that must meet a run that is writing
OPERATOR = "custom-ops/copy_rows"
LISTS = (".shmem-bind-staged", ".shmem-bind-commit")
CASE = pathlib.Path(__file__).resolve().parent / "generate_into_an_empty_tree"


def texts_of(tree):
    return {str(path.relative_to(tree)): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def lay_out(tree, design):
    for name, text in (("docs/design.md", design), ("src/copy_rows_kernel.h", (CASE / "kernel.h").read_text())):
        path = tree / OPERATOR / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def generate(tool, tree):
    subprocess.run([tool, "generate", OPERATOR], cwd=tree, check=True, capture_output=True, timeout=DEADLINE_S)


def kill_one(tool, tree, moment, wait_for_writing):
    """Starts a run and kills it; how long a whole run takes bounds every wait."""
    run = subprocess.Popen([tool, "generate", OPERATOR], cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + DEADLINE_S
    while wait_for_writing and run.poll() is None and time.monotonic() < end:
        if any((tree / name).exists() for name in LISTS):
            break
    time.sleep(moment)
    run.send_signal(signal.SIGKILL)
    run.wait(timeout=DEADLINE_S)


def check_texts(found, old, new, what):
    """Files of the tree are old or new; beside them stand only parts and lists, until the next run."""
    for path in {**old, **new}:
        texts = [texts[path] for texts in (old, new) if path in texts]
        if path in found:
            assert found[path] in texts, f"{what}: {path} is neither old nor new"
        else:
            assert path not in old, f"{what}: {path} is lost"


def main():
    tool = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 24
    choice = random.Random(20261201)
    first = (CASE / "design.md").read_text(encoding="utf-8")
    second = first.replace('block_dim: "8"', 'block_dim: "4"').replace("[int32, fp16]", "[int32, fp16, fp32]")
    assert second != first
    with tempfile.TemporaryDirectory(prefix="shmem-bind-kill-") as folder:
        root = pathlib.Path(folder)
        trees = {}
        began = time.monotonic()
        for name, design in (("old", first), ("new", second)):
            lay_out(root / name, design)
            generate(tool, root / name)
            trees[name] = texts_of(root / name)
        whole_run_s = (time.monotonic() - began) / 2
        print(f"a run takes {whole_run_s * 1000:.0f} ms")
        interrupted = 0
        for number in itertools.count():
            if number >= count and (interrupted >= MET or number >= 10 * count):
                break
            tree = root / f"tree{number}"
            fresh = number % 3 == 0
            if not fresh:
                shutil.copytree(root / "old", tree)
            lay_out(tree, second)
            old = texts_of(tree)
            late = number % 2 == 1 or number >= count
            kill_one(tool, tree, choice.uniform(0, 0.0005 if late else whole_run_s), late)
            interrupted += any((tree / name).exists() for name in LISTS)
            check_texts(texts_of(tree), old, trees["new"], f"kill {number}")
            generate(tool, tree)
            assert texts_of(tree) == trees["new"], f"kill {number}: the next run does not complete the change"
            shutil.rmtree(tree)
    assert interrupted >= MET, f"{interrupted} kills met a run that was writing: the test shows nothing"
    print(f"{number} kills, {interrupted} of them while files were being written")


if __name__ == "__main__":
    main()
