"""in_tree_configure.py SHMEM_BIND: what CMake itself makes of a tree that an in-tree operator has joined.

The tree is that of the case in_tree_operator_joins_the_tree, with a foreign operator's folder and a top CMakeLists.txt.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

DEADLINE_S = 60
CASE = pathlib.Path(__file__).resolve().parent / "in_tree_operator_joins_the_tree"
TOP = """cmake_minimum_required(VERSION 3.18)
project(tree LANGUAGES CXX)
set(PYEXPAND_EXAMPLE ON)
add_subdirectory(examples)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/found.txt CONTENT
  "sources=$<TARGET_PROPERTY:aclshmem_torch,SOURCES>\\nkernels=$<TARGET_PROPERTY:aclshmem_torch,LINK_LIBRARIES>\\n")
"""


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-in-tree-") as folder:
        tree = pathlib.Path(folder).resolve() / "tree"
        shutil.copytree(CASE / "tree", tree)
        (tree / "CMakeLists.txt").write_text(TOP, encoding="utf-8")
        for name in ("gather_rows", "copy_rows"):
            (tree / "examples" / name).mkdir(exist_ok=True)
            (tree / "examples" / name / "CMakeLists.txt").write_text(f"add_example({name})\n", encoding="utf-8")
            (tree / "examples" / name / f"{name}_kernel.cpp").write_text("", encoding="utf-8")
        for command in ([tool, "generate", "examples/copy_rows"], ["cmake", "-S", ".", "-B", "build"]):
            done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=DEADLINE_S)
            assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        found = dict(line.split("=", 1) for line in (tree / "build/found.txt").read_text(encoding="utf-8").splitlines())
        sources = [pathlib.PurePath(path).name for path in found["sources"].split(";")]
        assert sources == ["torch_bindings.cpp", "torch_bind_copy_rows.cpp", "npu_launch.cpp", "npu_launch_checks.cpp"], sources
        kernels = [name for name in found["kernels"].split(";") if name.endswith("_kernel")]
        assert kernels == ["gather_rows_kernel", "copy_rows_kernel"], kernels
    print("CMake builds our sources into aclshmem_torch and links both kernels")


if __name__ == "__main__":
    main()
