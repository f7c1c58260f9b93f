"""A copy of examples/custom-ops with only those operators that a test needs: what it does not name is not built."""

import pathlib
import re
import shutil

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/custom-ops"
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
