"""Failures that must not be missed: they are named, they end the run, and they stay. Each runs in a process of its own."""

import subprocess
import sys
import unittest

START = "import torch, torch_npu\ntorch.npu.set_device(0)\nx = torch.ones(4, 4, device='npu')\ntorch.npu.synchronize()\n"


def run(code):
    return subprocess.run([sys.executable, "-c", START + code], capture_output=True, text=True, check=False, timeout=100)


class Failures(unittest.TestCase):
    def test_a_missing_operator_is_named_and_the_run_fails(self):
        result = run("y = torch.linalg.qr(x)[0]\ntorch.npu.synchronize()\nprint('computed', y.cpu())\n")
        self.assertNotEqual(result.returncode, 0)
        self.assertNotIn("computed", result.stdout)
        self.assertRegex(result.stderr, "(?i)qr")

    def test_after_a_missing_operator_nothing_can_be_read_any_more(self):
        result = run("""
good = 0
for _ in range(3):
    try:
        torch.linalg.qr(x)
        torch.npu.synchronize()
        print((x + 1).cpu())
        good += 1
    except RuntimeError:
        pass
print('good', good)
""")
        self.assertIn("good 0", result.stdout)

    def test_an_operator_that_fails_on_the_device_fails_every_later_synchronize(self):
        # The index is only looked at when the operator runs.
        result = run("""
index = torch.tensor([99], device='npu')
failed = 0
for attempt in range(3):
    try:
        if attempt == 0:
            x.index_select(0, index)
        torch.npu.synchronize()
    except RuntimeError as error:
        failed += 1
print('failed', failed)
""")
        self.assertIn("failed 3", result.stdout)
        self.assertIn("operator-failed", result.stderr)

    def test_what_was_computed_after_a_failure_cannot_be_copied_out(self):
        result = run("""
x.index_select(0, torch.tensor([99], device='npu'))
y = x + 1
try:
    print('copied', y.cpu())
except RuntimeError:
    print('refused')
""")
        self.assertIn("refused", result.stdout)
        self.assertNotIn("copied", result.stdout)

    def test_a_collective_of_hccl_says_that_it_is_not_modelled(self):
        result = run("""
import torch.distributed as dist
dist.init_process_group('hccl', store=dist.HashStore(), rank=0, world_size=1)
dist.all_reduce(x)
torch.npu.synchronize()
print('reduced')
""")
        self.assertNotIn("reduced", result.stdout)
        self.assertIn("not modelled", result.stderr)


if __name__ == "__main__":
    unittest.main()
