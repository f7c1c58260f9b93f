"""What the sections share: where things lie, commands in the simulated environment, CPU of a command, how a binding compiles."""

import os
import pathlib
import re
import shlex
import socket
import subprocess
import tempfile


class Setting:
    """Where things lie, and how commands are run in the simulated environment."""

    def __init__(self, root, quick):
        self.root = root
        self.quick = quick
        self.out = root / "out/release"
        self.tree = root / "examples/custom-ops"
        self.library = self.tree / "torch_binding/build/lib/shmem_custom_ops_torch.so"
        self.python = root / ".venv/bin/python"
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="shmem-bench-"))
        self._environment = None

    def missing(self, with_example):
        """What is not there of the release build, and of the built example if it is to be measured."""
        for path in (self.out / "bin/shmem-bind", self.out / "cann/set_env.sh", self.python, self.library if with_example else self.out):
            if not path.exists():
                return f"not found: {path}"
        return ""

    def environment(self):
        """The variables that the two set_env.sh export, plus the built libraries on the loader path."""
        if self._environment is None:
            script = (f". {self.out}/cann/set_env.sh; . {self.out}/shmem/install/set_env.sh; "
                      "export LD_LIBRARY_PATH="
                      f"{self.tree}/all_gather/build/lib:{self.library.parent}:$LD_LIBRARY_PATH; env -0")
            text = subprocess.run(["bash", "-c", script], check=True, capture_output=True).stdout
            self._environment = dict(item.decode().split("=", 1) for item in text.split(b"\0") if b"=" in item)
        return self._environment

    def run(self, command, check=True, env=None):
        return subprocess.run([str(word) for word in command], check=check, capture_output=True, text=True,
                              env=env or self.environment(), cwd=self.root)

    def describe(self):
        model = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
        return {"cpu": model[1] if model else "?", "cores": len(os.sched_getaffinity(0))}

    def staged_library(self):
        target = self.scratch / "libstaged_copy.so"
        if not target.exists():
            self.run(["g++", "-O2", "-std=c++20", "-shared", "-fPIC", "-o", target, "bench/staged_copy.cpp"])
        return target


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_of(setting, command, cwd=None):
    """CPU seconds and peak resident MiB of a command and its children: of the largest one."""
    process = subprocess.Popen([str(word) for word in command], env=setting.environment(), cwd=cwd or setting.root,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024


SEED_INCLUDES = """#include <torch/torch.h>
#include <torch/extension.h>
#include <torch/custom_class.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
"""


def binding_compile(setting, tree=None):
    """The command that compiles a source of the binding, without the source. `tree`: the folder custom-ops/ it lies in."""
    paths = setting.run([setting.python, "-c", "import sysconfig; p = sysconfig.get_paths(); print(p['purelib'], p['include'])"])
    site, python_include = paths.stdout.split()
    command = ["g++", "-std=c++20", "-O2", "-fPIC", "-c", "-o", setting.scratch / "object.o"]
    for path in ((tree or setting.tree) / "torch_binding/include", setting.out / "shmem/install/shmem/include", setting.out / "cann/include",
                 f"{site}/torch/include", f"{site}/torch/include/torch/csrc/api/include", f"{site}/torch_npu/include",
                 f"{site}/torch_npu/include/third_party/acl/inc", python_include):
        command += ["-isystem", path]
    return command
