"""Copies of examples/custom-ops: the whole tree, built once for all tests, or one with some operators only."""

import contextlib
import fcntl
import filecmp
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/custom-ops"
SHARED = ["torch_binding/CMakeLists.txt", "torch_binding/include/shmem_torch_kernel.h"]
OF_AN_OPERATOR = re.compile(r"\s*(?:#|//) operator (\w+), text [0-9a-f]+$")
REGION_END = re.compile(r"\s*(?:#|//) shmem-bind: \w+ end$")


def operators():
    return sorted(path.name for path in EXAMPLE.iterdir() if path.name not in ("scripts", "torch_binding"))


def lines_of(text, wanted):
    """The text of a shared file without the lines of other operators."""
    kept, keep = [], True
    for line in text.splitlines(keepends=True):
        if found := OF_AN_OPERATOR.match(line.rstrip("\n")):
            keep = found[1] in wanted
        elif REGION_END.match(line.rstrip("\n")):
            keep = True
        if keep:
            kept.append(line)
    return "".join(kept)


def copy_example(target, *wanted):
    """Makes `target` (a folder custom-ops that does not exist yet) the example tree with the operators `wanted`."""
    shutil.copytree(EXAMPLE, target, ignore=shutil.ignore_patterns("build", "__pycache__"))
    for op in set(operators()) - set(wanted):
        shutil.rmtree(target / op)
        (target / f"torch_binding/src/torch_bind_{op}.cpp").unlink(missing_ok=True)
        (target / f"torch_binding/python/shmem_custom_ops/{op}.py").unlink(missing_ok=True)
    for name in SHARED:
        text = (target / name).read_text(encoding="utf-8")
        (target / name).write_text(lines_of(text, wanted), encoding="utf-8")


def sources_of(tree):
    names = {path.relative_to(tree) for path in tree.rglob("*") if path.is_file()}
    return {name for name in names if not {"build", "__pycache__"} & set(name.parts)}


@contextlib.contextmanager
def alone(build):
    """Of the tests that run at once one makes a tree."""
    with open(build / "e2e.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def synchronise(tree, source):
    """Makes the sources of `tree` those of `source`. What was built of files that are the same stays."""
    wanted_files = sources_of(source)
    for name in sources_of(tree) - wanted_files:
        (tree / name).unlink()
    for name in wanted_files:
        if not (tree / name).is_file() or not filecmp.cmp(source / name, tree / name, shallow=False):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / name, tree / name)  # with the time of now: it is newer than what was built


def built_broken(build, name):
    """A broken tree with all_gather, built. All of them are built in one place, one after the other: most of their files are the same."""
    tree = build / "e2e/broken/custom-ops"
    with alone(build):
        synchronise(tree, ROOT / "tests/e2e/broken" / name / "custom-ops")
        build_operators(build, tree, ["all_gather"])
    return tree


def built_example(build, *wanted):
    """The whole tree in the build folder, and what `shmem-bind build` says of each operator `wanted`. What has not changed
    since an earlier test is not built again."""
    tree = build / "e2e/custom-ops"
    with alone(build):
        synchronise(tree, EXAMPLE)
        return tree, build_operators(build, tree, wanted)


def build_operators(build, tree, wanted):
    """What `shmem-bind build` says of each."""
    roots = ["--cann", build / "cann", "--shmem", build / "shmem", "--python", ROOT / ".venv/bin/python"]
    said = {}
    for op in wanted:
        command = [build / "bin/shmem-bind", "build", tree / op, *roots]
        said[op] = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600)
        if said[op].returncode != 0:
            raise AssertionError(f"{op} does not build:\n{said[op].stdout}{said[op].stderr}")
    return said
