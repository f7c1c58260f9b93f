"""What the tests of known faults share: the built example tree, its compiler flags, configuring, and programs in Python."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from example_tree import EXAMPLE, ROOT, built_example, copy_example

BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
PYTHON = ROOT / ".venv/bin/python"
ROOTS = ["--cann", BUILD / "cann", "--shmem", BUILD / "shmem", "--python", PYTHON]
ENVIRONMENT = f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
LIBRARY = "shmem_custom_ops_torch.so"
GCC, CLANG = "g++", "clang++-16"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=200, **options)


def in_environment(*command, **options):
    """Runs a command with nothing but the two set_env.sh sourced."""
    environment = {key: value for key, value in os.environ.items() if key not in ("LD_LIBRARY_PATH", "CXX", "CXXFLAGS")}
    environment.update(options.pop("env", {}))
    return run("bash", "-c", ENVIRONMENT + 'exec "$@"', "run", *command, env=environment, **options)


def python(text, *arguments, **options):
    return in_environment(PYTHON, "-c", text, *arguments, **options)


def tool(command, op, *arguments):
    return run(BUILD / "bin/shmem-bind", command, op, *arguments)


class KnownBugs(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tree, _ = built_example(BUILD, "all_gather")
        cls.build = cls.tree / "torch_binding/build"
        cls.library = cls.build / "lib" / LIBRARY
        cls.flags = cls.flags_of(cls.build)

    @staticmethod
    def commands(build, target="lib/" + LIBRARY):
        """The commands that make a target of a build folder, the link last."""
        lines = run("ninja", "-C", build, "-t", "commands", target).stdout.splitlines()
        return [line for line in lines if " -c " in line or " -shared" in line]

    @classmethod
    def flags_of(cls, build):
        """What the project passes when it compiles a source: the place and the language, no outputs."""
        words = shlex.split(cls.commands(build)[0])
        kept, previous = [], ""
        for word in words:
            if previous == "-isystem" or re.match(r"-(D|I|std=|W|f|isystem$)", word):
                kept.append(word)
            previous = word
        return kept

    def folder(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def succeeded(self, result):
        self.assertEqual(result.returncode, 0, (result.stdout + result.stderr)[-4000:])
        return result.stdout + result.stderr

    def refused(self, result):
        self.assertNotEqual(result.returncode, 0, result.stdout + result.stderr)
        return " ".join((result.stdout + result.stderr).split())

    def configure(self, *definitions, source=EXAMPLE, interpreter=PYTHON, **options):
        """Configures the binding's project in a build folder of its own; the folder and what CMake says."""
        build = self.folder() / "build"
        result = in_environment("cmake", "-G", "Ninja", "-S", source / "torch_binding", "-B", build, f"-DSHMEM_REPO={BUILD}/shmem",
                                f"-DPython3_EXECUTABLE={interpreter}", *definitions, **options)
        return build, result

    def compile(self, text, *options, compiler=GCC, flags=None):
        """Looks a text or a file through; the compiler's result."""
        if isinstance(text, pathlib.Path):
            source = text
        else:
            source = self.folder() / "case.cpp"
            source.write_text(text, encoding="utf-8")
        gcc_only = {"-fno-gnu-unique"} if compiler != GCC else set()
        flags = [flag for flag in flags or self.flags if flag not in gcc_only]
        return run(compiler, *flags, *options, "-fsyntax-only", source)

    def moved_tree(self):
        """The built libraries and the package, in another place."""
        moved = self.folder() / "moved/custom-ops"
        for library in self.tree.glob("*/build/lib/*"):
            target = moved / library.relative_to(self.tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
        shutil.copytree(self.tree / "torch_binding/python", moved / "torch_binding/python")
        return moved

    def import_from(self, tree, text="import shmem_custom_ops.all_gather; print('loaded')"):
        return python(text, cwd="/", env={"PYTHONPATH": str(tree / "torch_binding/python")})

    def tree_with_library(self, library, script=":"):
        """A tree of all_gather whose scripts hand out what is built already: its kernel library, and `library` as the binding."""
        tree = self.folder() / "custom-ops"
        copy_example(tree, "all_gather")
        kernel = "all_gather/build/lib/liball_gather_kernel.so"
        for name, built in (("all_gather/scripts/build_kernel.sh", self.tree / kernel), ("scripts/build_torch.sh", library)):
            target = tree / (kernel if "kernel" in name else f"torch_binding/build/lib/{LIBRARY}")
            (tree / name).write_text(f"set -e\nmkdir -p {target.parent}\n{script}\ncp {built} {target}\n")
        return tree

    def another_operator(self, tree, name, binding=""):
        """all_gather once more under another name; `binding`: lines for torch_binding of its contract."""
        op = tree / name
        for file in ("docs/design.md", "src/all_gather_kernel.h", "src/all_gather_kernel.cpp"):
            text = (EXAMPLE / "all_gather" / file).read_text(encoding="utf-8").replace("all_gather", name)
            if file == "docs/design.md":
                text = text.replace(f"golden: {name}", "golden: all_gather").replace("torch_binding:\n", "torch_binding:\n" + binding)
            target = op / file.replace("all_gather", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        return op
