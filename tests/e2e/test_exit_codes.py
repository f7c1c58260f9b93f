"""The generated test alone, as a person starts it: under torchrun on 8 PEs, and by itself on 2. It passes, and with a broken kernel both
exit with another code than 0.

Needs SHMEM_BIND_BUILD, the build folder with bin/shmem-bind, cann and shmem.
"""

import unittest

from example_tree import built_broken, built_example
from known_bugs import BUILD, PYTHON, in_environment

TEST = "all_gather/scripts/torch_test_all_gather.py"


def under_torchrun(tree, pes):
    return in_environment(PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", pes, tree / TEST)


def by_itself(tree, pes):
    return in_environment(PYTHON, tree / TEST, "--pes", pes)


class ExitCodes(unittest.TestCase):
    def test_torchrun_on_8_pes_passes(self):
        tree, _ = built_example(BUILD, "all_gather")
        done = under_torchrun(tree, 8)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        self.assertRegex(done.stdout, r"8 PE, torchrun, (\d+)/\1 条结果: 通过")

    def test_python_on_2_pes_passes(self):
        tree, _ = built_example(BUILD, "all_gather")
        done = by_itself(tree, 2)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        self.assertRegex(done.stdout, r"2 PE, fork, (\d+)/\1 条结果: 通过")

    def test_with_a_broken_kernel_both_fail(self):
        tree = built_broken(BUILD, "kernel_stale_epoch")
        for start, pes in ((under_torchrun, 8), (by_itself, 2)):
            with self.subTest(start=start.__name__):
                done = start(tree, pes)
                self.assertNotEqual(done.returncode, 0, done.stdout[-3000:])
                self.assertIn("结果不符", done.stdout)


if __name__ == "__main__":
    unittest.main()
