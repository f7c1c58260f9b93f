"""The reason why a binding launches through torch_npu's queue: a kernel on stream(false) overtakes what is queued.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

from example_tree import built_example
from ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])
SOURCES = ROOT / "tests/e2e/overtake"


def run(command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=400, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command[0]} returned {result.returncode}:\n{result.stdout[-2000:]}{result.stderr[-4000:]}")
    return result.stdout


class Overtake(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bind-e2e-"))
        cls.tree, _ = built_example(BUILD, "all_gather")
        cls.binding = cls.tree / "torch_binding/build/lib/shmem_custom_ops_torch.so"
        site = pathlib.Path(sysconfig.get_paths()["purelib"])
        npu = site / "torch_npu/include"
        kernel = cls.folder / "libcopy_kernel.so"
        script = f". {BUILD}/cann/set_env.sh; bisheng -xcce -std=c++17 -O2 -shared -fPIC -o {kernel} {SOURCES}/copy_kernel.cpp"
        run(["bash", "-c", script])
        cls.probe = cls.folder / "libprobe.so"
        run(["g++", "-std=c++20", "-O0", "-shared", "-fPIC", "-o", cls.probe, SOURCES / "probe.cpp",
             "-isystem", BUILD / "cann/include", "-isystem", npu, "-isystem", npu / "third_party/acl/inc",
             "-isystem", npu / "third_party/hccl/inc", "-isystem", npu / "third_party/op-plugin",
             "-isystem", site / "torch/include", "-isystem", site / "torch/include/torch/csrc/api/include",
             "-isystem", sysconfig.get_paths()["include"],
             "-L", site / "torch_npu/lib", "-L", site / "torch/lib", "-L", BUILD / "cann/lib64", "-L", cls.folder,
             "-ltorch_npu", "-lc10", "-ltorch_cpu", "-lascendcl", "-lcopy_kernel",
             f"-Wl,-rpath,{cls.folder}:{site}/torch_npu/lib:{site}/torch/lib"])

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def seen(self, queue):
        script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
                  f"export LD_LIBRARY_PATH={self.tree}/all_gather/build/lib:$LD_LIBRARY_PATH; exec \"$@\"")
        text = run(["bash", "-c", script, "run", sys.executable, SOURCES / "run.py", self.probe, self.binding, free_port()],
                   env={**os.environ, "TASK_QUEUE_ENABLE": queue})
        return json.loads(text.splitlines()[-1])

    def test_past_the_queue_the_operator_before_is_not_seen(self):
        for queue in ("1", "2"):
            with self.subTest(queue=queue):
                self.assertEqual(self.seen(queue), {"past_the_queue": [[1.0]] * 20, "bound": [[2.0]] * 20})


if __name__ == "__main__":
    unittest.main()
