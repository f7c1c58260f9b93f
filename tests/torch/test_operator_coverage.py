"""Every operator that the simulated CANN exports is called by some case: its signature is known from a call, not from a guess."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

OPAPI = pathlib.Path(os.environ["ASCEND_HOME_PATH"]) / "lib64" / "libopapi.so"
CASES = pathlib.Path(__file__).with_name("test_operators.py")
PROFILES = ["Ascend910B1", "Ascend950PR_9599"]

# Exported for programs that call aclnn themselves; torch_npu 2.13.0 computes the same through other operators: isinf as
# abs() == inf, a shift by a number as a shift by a tensor.
NOT_CALLED = {"aclnnIsInf", "aclnnRightShifts"}


def exported():
    symbols = subprocess.run(["nm", "-D", "--defined-only", OPAPI], capture_output=True, text=True, check=True, timeout=60)
    return set(re.findall(r"(aclnn\w+?)GetWorkspaceSize\b", symbols.stdout))


def called(profile):
    environment = {**os.environ, "SHMEM_SIM_SOC": profile, "SHMEM_SIM_TRACE": "1"}
    run = subprocess.run([sys.executable, CASES], env=environment, capture_output=True, text=True, check=False, timeout=100)
    assert run.returncode == 0, run.stderr[-2000:]
    return set(re.findall(r"\b(aclnn\w+)", run.stderr))


class Coverage(unittest.TestCase):
    def test_every_exported_operator_is_called(self):
        seen = set().union(*map(called, PROFILES))
        self.assertGreater(len(seen), 100)
        self.assertEqual(exported() - seen, NOT_CALLED)


if __name__ == "__main__":
    unittest.main()
