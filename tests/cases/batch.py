"""batch.py SHMEM_BIND: `shmem-bind batch` from contracts to its table, with a machine made of scripts.

The tree holds copies of one operator. CANN and SHMEM are empty files, `cmake` makes the libraries (the kernel's with the
symbols that the contract promises), and `python` answers as torch_npu and as the generated test would. A file in an
operator's src/ makes a stage fail: no_kernel, no_verdict. The order of the builds is logged.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

DEADLINE_S = 60
CASE = pathlib.Path(__file__).resolve().parent / "valid"

CMAKE = r"""#!/usr/bin/env bash
[ "$1" = --build ] || exit 0
build="$(realpath -m "$2")"
source="$(dirname "${build}")"
op="$(basename "${source}")"
echo "${op} $4" >> "${BATCH_LOG}"
mkdir -p "${build}/lib"
if [ "${op}" = torch_binding ]; then
    if [ -e "${source}/../no_binding" ]; then echo "undefined reference to \`f'"; exit 1; fi
    for kernel in $(grep -o '[a-z_]*/build/lib/lib[a-z_]*_kernel.so' "${source}/CMakeLists.txt"); do
        [ -e "${source}/../${kernel}" ] || { echo "ninja: error: '${kernel}' missing and no known rule to make it"; exit 1; }
    done
    cp "${source}/CMakeLists.txt" "${build}/lib/shmem_custom_ops_torch.so"
elif [ -e "${source}/src/no_kernel" ]; then
    echo "${op}_kernel.cpp:3:5: error: expected ';'"; exit 1
else
    g++ -shared -fPIC -x c++ -o "${build}/lib/lib${op}_kernel.so" - <<EOF
#include <cstdint>
namespace op { struct fp16_t { uint16_t val; }; }
template <class T> void ${op}_kernel(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t) {}
template void ${op}_kernel<int>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
template void ${op}_kernel<op::fp16_t>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);
EOF
fi
"""

PYTHON = r"""#!{python}
import json, os, pathlib, sys
words = sys.argv[1:]
if words[0] == "-c":  # which versions, or: does the binding load
    print("torch=2.13.0+cpu\ntorch_npu=2.13.0\npython=3.11.2")
    sys.exit(0)
passed = not (pathlib.Path(words[0]).parent.parent / "src/no_verdict").exists()
options = dict(zip(words[1::2], words[2::2]))
if "--plan" in options:
    jobs = json.load(open(options["--plan"]))
else:
    jobs = [{{"pes": int(options["--pes"]), "dtypes": [1], "cases": [1], "calls": int(options["--calls"])}}]
failed = {{"problems": ["PE 1: wrong"], "class": "mismatch", "first_error": "PE 1: wrong", "hint": "look at <b>the kernel</b>",
          "calls": [{{"pe": 1, "dtype": "int32", "case": str(list(jobs[0]["cases"])[0]), "call": 2, "layout": "strided", "equal": False,
                     "detail": "element 3: got 1, wanted 2", "seconds": 0.01}}]}}
results = [{{"passed": passed, "problems": [], "seconds": 0.1, "torch_npu": "2.13.0", **({{}} if passed else failed),
            "records": job["pes"] * len(job["dtypes"]) * len(job["cases"]) * job["calls"]}} for job in jobs]
json.dump({{"results": results}}, open(options["--report"], "w"))
sys.exit(not passed)
"""


class Machine:
    def __init__(self, root, tool):
        self.root, self.tool = root, tool
        for path, text in {
            "cann/set_env.sh": "", "cann/include/acl/acl.h": "", "cann/lib64/libascendcl.so": "",
            "cann/version.info": "Version=8.5.0\nversion_dir=simulated\n",
            "shmem/install/set_env.sh": "", "shmem/install/version.info": "version_dir=simulated\n",
            "shmem/install/shmem/include/shmem.h": "", "shmem/install/shmem/lib/libshmem.so": "",
            "bin/cmake": CMAKE, "bin/python": PYTHON.format(python=sys.executable),
        }.items():
            self.write(path, text)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def add(self, tree, op, *marks):
        for name, target in (("design.md", "docs/design.md"), ("kernel.h", f"src/{op}_kernel.h")):
            text = (CASE / name).read_text(encoding="utf-8").replace("copy_rows", op)
            self.write(f"{tree}/custom-ops/{op}/{target}", text)
        for mark in marks:
            self.write(f"{tree}/custom-ops/{op}/src/{mark}", "")

    def run(self, *words, **environment):
        return subprocess.run(
            [str(word) for word in words], cwd=self.root, capture_output=True, text=True, timeout=DEADLINE_S,
            env={"PATH": f"{self.root}/bin:{os.environ['PATH']}", "LANG": "C", "BATCH_LOG": str(self.root / "log"), **environment})

    def batch(self, tree, *options, cann="cann"):
        """The exit code, state and reason by operator, the builds in order, and the whole answer."""
        log = self.root / "log"
        log.unlink(missing_ok=True)
        done = self.run(self.tool, "batch", tree, "--format", "json", "--python", self.root / "bin/python", "--cann", self.root / cann, *options)
        answer = json.loads(done.stdout)
        assert answer["exit_code"] == done.returncode, done
        rows = {pathlib.Path(row["folder"]).name: (row["state"], row["exit_code"], row["why"]) for row in answer["operators"]}
        builds = [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []
        return done.returncode, rows, builds, answer


GOOD = ("verified", 0, "")


def all_are_verified(machine):
    for op in ("copy_rows", "send_rows"):
        machine.add("good", op)
    code, rows, builds, answer = machine.batch("good")
    assert (code, rows) == (0, {"copy_rows": GOOD, "send_rows": GOOD}), answer
    assert builds == ["copy_rows", "send_rows", "torch_binding"], f"one build of the binding: {builds}"
    assert [row["pes"] for row in answer["operators"]] == [[2, 8], [2, 8]], answer
    assert answer["not_on_8_pes"] == [] and len(answer["bindings"]) == 1, answer
    assert all(row["seconds"] > 0 for row in answer["operators"]), answer

    code, rows, _, answer = machine.batch("good")
    assert (code, rows["copy_rows"]) == (0, GOOD), answer
    assert all(row["result"]["unchanged"] for row in answer["operators"]), "the same libraries, the same verdict"

    code, rows, _, answer = machine.batch("good", "--pes", "2")
    assert code == 14 and len(answer["not_on_8_pes"]) == 2, answer
    assert rows["copy_rows"] == ("unverified", 14, "not run on 8 PEs"), answer
    assert "way out" in answer["messages"], answer

    code, rows, _, answer = machine.batch("good", "--pes", "2")
    assert (code, rows["copy_rows"][0]) == (14, "unverified"), "a verdict that is shown again is no better than it was"


def a_failure_stops_its_operator(machine):
    machine.add("mixed", "copy_rows", "no_verdict")
    machine.add("mixed", "keep_rows")
    machine.add("mixed", "send_rows")
    machine.batch("mixed")  # so that every kernel library is there
    machine.add("mixed", "send_rows", "no_kernel")
    code, rows, builds, answer = machine.batch("mixed", "--jobs", "3")
    assert code == 13, "a wrong result is worse than a failed build"
    assert rows["keep_rows"] == GOOD, answer
    assert rows["copy_rows"] == ("failed", 13, "2 PEs, eager: PE 1: wrong"), answer
    assert rows["send_rows"] == ("failed", 12, "send_rows kernel: does not compile"), answer
    assert builds == ["copy_rows", "keep_rows", "send_rows", "torch_binding"], builds
    log = (machine.root / "log").read_text()
    assert set(line.split()[1] for line in log.splitlines()) == {"3"}, f"--jobs reaches the scripts: {log}"


def a_kernel_that_was_never_built_is_named(machine):
    machine.add("fresh", "copy_rows")
    machine.add("fresh", "send_rows", "no_kernel")
    code, rows, _, answer = machine.batch("fresh")
    assert code == 12, answer
    assert rows["copy_rows"][2].endswith("; it holds send_rows, whose kernel is not built"), answer


def a_binding_stops_its_tree_only(machine):
    machine.add("trees/a", "copy_rows")
    machine.add("trees/b", "send_rows")
    machine.write("trees/a/custom-ops/no_binding", "")
    code, rows, _, answer = machine.batch("trees")
    assert code == 12, answer
    assert rows == {"copy_rows": ("failed", 12, "torch binding: does not link"), "send_rows": GOOD}, answer


def a_machine_without_cann_is_told_once(machine):
    machine.add("lone", "copy_rows")
    code, rows, _, answer = machine.batch("lone", cann="nowhere")
    assert code == 1 and rows["copy_rows"][:2] == ("failed", 1), answer
    assert "is no CANN toolkit" in rows["copy_rows"][2], answer


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-batch-") as folder:
        machine = Machine(pathlib.Path(folder).resolve(), tool)
        for test in (all_are_verified, a_failure_stops_its_operator, a_kernel_that_was_never_built_is_named,
                     a_binding_stops_its_tree_only, a_machine_without_cann_is_told_once):
            test(machine)
            print(f"{test.__name__}: as expected")


if __name__ == "__main__":
    main()
