"""What `verify` does beyond its quick plan: 64 PEs, boundary shapes, calls without elements, a job that hangs.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from example_tree import built_example
from ports import free_port
from test_all_gather import ROOT, roots, tool
from wide_example import change, wide_example

BUILD = pathlib.Path(os.environ["SHMEM_BIND_BUILD"])


def verdict_of(op):
    return json.loads((op / "build/verdict.json").read_text(encoding="utf-8"))


class Wide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.op, _ = wide_example(BUILD, BUILD / "e2e/wide")

    def test_64_pes_on_fewer_devices(self):
        done = tool("verify", self.op, "--pes", "64", "--fork-only", "--dtypes", "int32", "--cases", "xs", "--seeds", "1", *roots())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        verdict = verdict_of(self.op)
        self.assertEqual(verdict["state"], "unverified")  # 2 and 8 PEs were left out, as asked
        self.assertTrue(all(job["passed"] and job["records"] == 64 * job["calls"] for job in verdict["jobs"]))

    def test_full_on_one_pe_count_runs_shapes_the_contract_does_not_name(self):
        done = tool("verify", self.op, "--full", "--pes", "3", "--dtypes", "int8", "--seeds", "1,2", "--fork-only", *roots())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        verdict = verdict_of(self.op)
        self.assertTrue(verdict["full"])
        derived = {name: sizes for job in verdict["jobs"] for name, sizes in job["derived"].items()}
        self.assertEqual(derived["zero size"], {"rows": 0, "cols": 32})
        self.assertEqual(derived["PE tail 62x32"], {"rows": 62, "cols": 32})
        number = next(job["number"] for job in verdict["jobs"] if "PE tail 62x32" in job["derived"])
        again = tool("replay", self.op / "build", "--case", str(number), *roots())
        self.assertIn("the same result", again.stdout, again.stderr)

    def test_names_that_the_contract_has_not_are_refused(self):
        for words in (["--dtypes", "fp64"], ["--cases", "none"]):
            done = tool("verify", self.op, *words, *roots())
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(" ".join(words) + ": the contract of all_gather has ", done.stderr)


class Hanging(unittest.TestCase):
    def test_jobs_behind_one_that_hung_are_not_run(self):
        with tempfile.TemporaryDirectory(prefix="shmem-bind-e2e-") as folder:
            op, _ = wide_example(BUILD, pathlib.Path(folder) / "hangs")
            change(op / "src/all_gather_kernel.cpp", [("    SignalMyPeers(Flag(kSmallReady, me_));\n", "")])
            self.assertEqual(tool("build", op, *roots()).returncode, 0)
            done = tool("verify", op, "--pes", "2", "--fork-only", *roots())
            self.assertEqual(done.returncode, 13, done.stdout + done.stderr)
            first, *others = verdict_of(op)["jobs"]
            self.assertEqual(first["class"], "timeout")
            self.assertTrue(others)
            self.assertTrue(all("没有结束" in job["skipped"] and not job["passed"] for job in others))


class ZeroSize(unittest.TestCase):
    def test_it_takes_part_or_is_refused_by_the_contracts_words(self):
        tree, _ = built_example(BUILD, "all_gather", "halo_exchange")
        script = (f". {BUILD}/cann/set_env.sh; . {BUILD}/shmem/install/set_env.sh; "
                  f"export LD_LIBRARY_PATH={tree}/all_gather/build/lib:{tree}/halo_exchange/build/lib:$LD_LIBRARY_PATH; exec \"$@\"")
        command = [ROOT / ".venv/bin/python", ROOT / "tests/e2e/programs/zero_size.py",
                   tree / "torch_binding/build/lib/shmem_custom_ops_torch.so", free_port()]
        done = subprocess.run(["bash", "-c", script, "run", *map(str, command)], capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(line.split(":")[0] for line in done.stdout.splitlines()), [f"PE {pe}" for pe in range(4)])
        for line in done.stdout.splitlines():
            self.assertRegex(line, r"PE \d: True: HaloExchange: the contract requires halo <= rows && halo <= cols")


if __name__ == "__main__":
    unittest.main()
