"""Faults that bindings of other projects had, tried on the AllGather binding: one test each, named after its entry in docs/known_bugs.md.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from example_tree import built_example
from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
PROGRAMS = ROOT / "tests/e2e/programs"


def program(name, *arguments, given=None):
    """Runs a program of tests/e2e/programs on the built binding; `given` stands in place of the library."""
    script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
              f"export LD_LIBRARY_PATH=$(echo {TREE}/*/build/lib | tr ' ' :):$LD_LIBRARY_PATH; exec \"$@\"")
    library = TREE / "torch_binding/build/lib/shmem_custom_ops_torch.so"
    command = [ROOT / ".venv/bin/python", PROGRAMS / name, given or library, *arguments, free_port()]
    return subprocess.run(["bash", "-c", script, "run", *map(str, command)], capture_output=True, text=True, check=False, timeout=300)


def setUpModule():
    global TREE
    TREE, _ = built_example(BUILD, "all_gather")


class Calls(unittest.TestCase):
    """Two PEs, one process each, run all checks of programs/known_bugs.py; each is a test below."""

    @classmethod
    def setUpClass(cls):
        result = program("known_bugs.py")
        cls.said = result.stdout + result.stderr
        cls.found = json.loads(result.stdout) if result.returncode == 0 else {}

    def check(self, name):
        self.assertEqual(self.found.get(name), "right", self.said[-4000:] if not self.found else "")

    def test_bl_31_is_named_by_the_simulator(self):
        self.assertRegex(self.said, r"asymmetric-allocation: PE \d.*2097152 bytes.*1048576 bytes|"
                                    r"asymmetric-allocation: PE \d.*1048576 bytes.*2097152 bytes")


class Inits(unittest.TestCase):
    """The checks of programs/init_faults.py, which forks its PEs; each is a test below."""

    @classmethod
    def setUpClass(cls):
        result = program("init_faults.py")
        cls.said = result.stdout + result.stderr
        cls.found = json.loads(result.stdout) if result.returncode == 0 else {}

    def check(self, name):
        self.assertEqual(self.found.get(name), "right", self.said[-4000:] if not self.found else "")


class Jobs(unittest.TestCase):
    """The checks of programs/many_jobs.py, which runs the generated test; each is a test below."""

    @classmethod
    def setUpClass(cls):
        script = TREE / "all_gather/scripts/torch_test_all_gather.py"
        result = program("many_jobs.py", given=script)
        cls.said = (result.stdout + result.stderr)[-4000:]
        lines = [line for line in result.stdout.splitlines() if line.startswith("RESULTS ")]
        cls.found = json.loads(lines[0].removeprefix("RESULTS ")) if lines else {}

    def check(self, name):
        self.assertEqual(self.found.get(name), "right", self.said)


class Lives(unittest.TestCase):
    """One PE; every order of programs/life.py ends with exit code 0."""

    def ends_well(self, order, count=1):
        for _ in range(count):
            result = program("life.py", order)
            self.assertEqual(result.returncode, 0, f"{order}: {result.stdout[-1000:]}{result.stderr[-4000:]}")

    def test_bl_22_dropped_after_finalize(self):
        self.ends_well("dropped_after_finalize")

    def test_bl_22_held_until_exit(self):
        self.ends_well("held_until_exit")

    def test_bl_22_finalized_twice(self):
        self.ends_well("finalized_twice", 3)  # it leaves while the queue still drops what has run

    def test_bl_22_never_finalized(self):
        self.ends_well("never_finalized")

    def test_bl_22_left_by_sys_exit(self):
        self.ends_well("left_by_sys_exit")

    def test_bl_23_made_before_init(self):
        self.ends_well("made_without_init")

    def test_bl_24_heap_exhausted_by_operators(self):
        self.ends_well("heap_exhausted")

    def test_bl_36_initialised_again_with_other_parameters(self):
        self.ends_well("initialised_again")

    def test_bl_39_symmetric_tensors_dropped_without_free(self):
        self.ends_well("tensors_dropped")


class Loads(unittest.TestCase):
    """What is said when a library is not there."""

    def test_bl_88_torch_without_the_backend(self):
        broken = {**os.environ, "LD_LIBRARY_PATH": "", "ASCEND_HOME_PATH": "/nowhere"}
        python = [ROOT / ".venv/bin/python", "-c"]
        said = subprocess.run([*python, "import torch"], capture_output=True, text=True, check=False, timeout=100, env=broken)
        self.assertEqual(said.returncode, 1, said.stderr)
        self.assertRegex(said.stderr, "torch_npu.*TORCH_DEVICE_BACKEND_AUTOLOAD=0")
        alone = subprocess.run([*python, "import torch; print((torch.ones(2) + 1).sum().item())"], capture_output=True, text=True,
                               check=False, timeout=100, env={**broken, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
        self.assertEqual((alone.returncode, alone.stdout), (0, "4.0\n"), alone.stderr)


class Found(unittest.TestCase):
    """Which of several libraries the generated test takes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shmem-bind-e2e-")
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name).resolve() / "custom-ops"
        for name in ("all_gather/scripts/torch_test_all_gather.py", "scripts/multi_pe_test.py", "scripts/multi_pe_launch.py",
                     "scripts/multi_pe_watch.py"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "examples/custom-ops" / name, self.tree / name)

    def find(self, path, below="."):
        """What find_library says of `path` as LD_LIBRARY_PATH, in a process that stands in a folder of the tree."""
        (self.tree / below).mkdir(parents=True, exist_ok=True)
        text = ("import runpy, sys; found = runpy.run_path(sys.argv[1])['find_library']\n"
                "try: print(found('shmem_custom_ops_torch.so'))\nexcept FileNotFoundError as error: print('none:', error)")
        command = [ROOT / ".venv/bin/python", "-c", text, self.tree / "all_gather/scripts/torch_test_all_gather.py"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=60,
                              cwd=self.tree / below, env={**os.environ, "LD_LIBRARY_PATH": path})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip().splitlines()[-1]

    def library(self, name):
        path = self.tree / name / "shmem_custom_ops_torch.so"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        return path

    def test_bl_83_the_built_one_comes_first(self):
        stale, second = self.library("stale"), self.library("second")
        self.assertEqual(self.find(f"{stale.parent}:{second.parent}"), str(stale))
        self.assertEqual(self.find(f"{second.parent}:{stale.parent}"), str(second))
        built = self.library("torch_binding/build/lib")
        self.assertEqual(self.find(f"{stale.parent}:{second.parent}"), str(built))

    def test_bl_83_an_empty_element_is_not_the_current_folder(self):
        self.library("here")
        for path in ("", ":", ":/nowhere:"):
            self.assertRegex(self.find(path, below="here"), r"^none: .*shmem_custom_ops_torch.so.*build_torch.sh")

    def test_bl_83_a_folder_of_that_name_is_no_library(self):
        (self.tree / "first/shmem_custom_ops_torch.so").mkdir(parents=True)
        second = self.library("second")
        self.assertEqual(self.find(f"{self.tree}/first:{second.parent}"), str(second))


def add_checks():
    for name in re.findall(r"^def (bl_\w+)\(\):", (PROGRAMS / "many_jobs.py").read_text(encoding="utf-8"), re.M):
        setattr(Jobs, f"test_{name}", lambda self, name=name: self.check(name))
    for name in re.findall(r"^def (bl_\w+)\(\):", (PROGRAMS / "init_faults.py").read_text(encoding="utf-8"), re.M):
        setattr(Inits, f"test_{name}", lambda self, name=name: self.check(name))
    for name in re.findall(r"^def (bl_\w+)\(job", (PROGRAMS / "known_bugs.py").read_text(encoding="utf-8"), re.M):
        setattr(Calls, f"test_{name}", lambda self, name=name: self.check(name))


add_checks()

if __name__ == "__main__":
    unittest.main()
