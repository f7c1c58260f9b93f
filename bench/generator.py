"""The sections about the tool itself: generating many operators, and compiling the binding of many."""

import os
import shutil
import statistics
import subprocess
import time

from setting import SEED_INCLUDES, binding_compile, cpu_of

DESIGN = """# {name}

```yaml
dsl_version: "0.3"
meta:
  op_name: {name}
  op_kind: transport
  build_mode: independent_project
  op_root: custom-ops/{name}
  torch_required: true
interface:
  inputs:
    - {{name: input, dtype: dtype, shape: "[rows, cols]", role: payload}}
  outputs:
    - {{name: output, dtype: dtype, shape: "[n_pes, rows, cols]", visibility: replicated}}
correctness:
  oracle: all_gather
status:
  correctness: {{result: passed, evidence: report.md}}
  review: {{result: passed, evidence: review.md}}
torch_binding:
  dtypes: [int8, int32, fp32]
  block_dim: "8"
  n_pes: "1..16"
  arguments: {{gva: state, elements: "numel(input)", magic: epoch}}
  state: "4096 * n_pes"
```
"""

DECLARATION = """template <class T>
void {name}_kernel(uint32_t block_dim, void* stream, uint64_t fftsAddr, uint8_t* input, uint8_t* output, uint8_t* gva,
                   int64_t elements, int32_t magic)"""


def names(count):
    return [f"op_{index:03}" for index in range(count)]


def write_operator(tree, name):
    folder = tree / name
    (folder / "docs").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "docs/design.md").write_text(DESIGN.format(name=name), encoding="utf-8")
    header = f"#pragma once\n#include <cstdint>\nnamespace Kernels {{\n{DECLARATION.format(name=name)};\n}}\n"
    (folder / f"src/{name}_kernel.h").write_text(header, encoding="utf-8")


def new_tree(setting, name, count):
    """A folder custom-ops/ with that many operators, as their authors hand them over."""
    tree = setting.scratch / name / "custom-ops"
    for operator in names(count):
        write_operator(tree, operator)
    return tree


def timed(command, env=None, expected=0):
    """Wall seconds, CPU seconds and peak resident MiB of one process that waits for its children."""
    begin = time.perf_counter()
    with subprocess.Popen([str(word) for word in command], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode != expected:
        raise SystemExit(f"{command} ended with {process.returncode}:\n{said.decode()[-3000:]}")
    return {"seconds": seconds, "cpu_seconds": usage.ru_utime + usage.ru_stime, "peak_mib": usage.ru_maxrss / 1024}


def median_of(samples):
    return {"seconds": statistics.median(sample["seconds"] for sample in samples),
            "cpu_seconds": statistics.median(sample["cpu_seconds"] for sample in samples),
            "peak_mib": max(sample["peak_mib"] for sample in samples)}


def without_toolkit(setting):
    """An environment in which `batch` generates everything and then stops, exit code 1: there is nothing to build with."""
    return {"PATH": os.environ["PATH"], "HOME": str(setting.scratch)}


def generate(setting):
    """100 operators by one `batch`, which stops behind the generating; then the same with nothing to do; `check` of one."""
    tool, env, repeats = setting.out / "bin/shmem-bind", without_toolkit(setting), 1 if setting.quick else 5
    fresh, again = [], []
    for turn in range(repeats):
        tree = new_tree(setting, f"generate{turn}", 100)
        fresh.append(timed([tool, "batch", "--cann", setting.scratch, tree], env, expected=1))
        written = list(tree.glob("*/scripts/torch_test_op_*.py")) + list(tree.glob("torch_binding/src/torch_bind_op_*.cpp"))
        if len(written) != 200:
            raise SystemExit(f"batch wrote {len(written)} of 200 files in {tree}")
        again.append(timed([tool, "batch", "--cann", setting.scratch, tree], env, expected=1))
    one = [timed([tool, "generate", tree / "op_050"], env) for _ in range(repeats)]
    check = [timed([tool, "check", tree / "op_050"], env) for _ in range(repeats)]
    rows = [{"name": "100 operators generated", "goal": 1.0, **median_of(fresh)},
            {"name": "the same again, nothing to do", "goal": 0.2, **median_of(again)},
            {"name": "generate of one, nothing to do", "goal": 0.2, **median_of(one)},
            {"name": "check of one", "goal": 0.3, **median_of(check)}]
    for folder in setting.scratch.glob("generate*"):
        shutil.rmtree(folder)
    return rows


def build_kernels(setting, tree, operators):
    """Kernel libraries that define what the binding calls and do nothing: one library under all their names."""
    text = "#include <cstdint>\nnamespace Kernels {\n"
    for name in operators:
        text += DECLARATION.format(name=name) + " {}\n"
        for dtype in ("int8_t", "int32_t", "float"):
            text += f"template void {name}_kernel<{dtype}>(uint32_t, void*, uint64_t, uint8_t*, uint8_t*, uint8_t*, int64_t, int32_t);\n"
    source, library = setting.scratch / "kernels.cpp", setting.scratch / "kernels.so"
    source.write_text(text + "}\n", encoding="utf-8")
    setting.run(["g++", "-std=c++20", "-shared", "-fPIC", "-w", "-o", library, source])
    for name in operators:
        target = tree / name / f"build/lib/lib{name}_kernel.so"
        target.parent.mkdir(parents=True)
        shutil.copyfile(library, target)


def configure(setting, tree):
    setting.run(["cmake", "-G", "Ninja", "-S", tree / "torch_binding", "-B", tree / "torch_binding/build",
                 f"-DSHMEM_REPO={setting.out / 'shmem'}", f"-DPython3_EXECUTABLE={setting.python}"],
                env=without_launcher(setting))


def without_launcher(setting):
    """No compiler cache: it would be measured instead of the compiler."""
    return {name: value for name, value in setting.environment().items() if not name.endswith("_COMPILER_LAUNCHER")}


def binding_of_many(setting):
    """The generated CMake project: all operators from scratch, then one more; against files behind the seed's include list."""
    count = 10 if setting.quick else 30
    tool, tree = setting.out / "bin/shmem-bind", new_tree(setting, "binding", count + 1)
    operators = names(count + 1)
    build_kernels(setting, tree, operators)
    for name in operators[:-1]:
        setting.run([tool, "generate", tree / name])
    configure(setting, tree)
    build = ["cmake", "--build", tree / "torch_binding/build", "-j", "2"]
    scratch, peak = cpu_of(setting, build)
    setting.run([tool, "generate", tree / operators[-1]])
    configure(setting, tree)
    one, one_peak = cpu_of(setting, build)
    seed_file = setting.scratch / "seed_of_one.cpp"
    generated = tree / f"torch_binding/src/torch_bind_{operators[0]}.cpp"
    seed_file.write_text(SEED_INCLUDES + generated.read_text(encoding="utf-8"), encoding="utf-8")
    optimised = ["-O3", "-DNDEBUG"]  # as the generated project compiles
    seed, seed_peak = cpu_of(setting, [*binding_compile(setting, tree), *optimised, seed_file])
    return [{"name": "one operator behind the seed's list", "files": 1, "cpu_seconds": seed, "peak_mib": seed_peak},
            {"name": f"{count} operators from scratch, linked", "files": count, "goal": 0.2, "cpu_seconds": scratch, "peak_mib": peak},
            {"name": f"one more, linked with the {count}", "files": 1, "goal": 0.25, "cpu_seconds": one, "peak_mib": one_peak}]


def _generate_table(rows):
    yield "| what | s | to reach, s | CPU s | peak MiB (to reach: 200) |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield (f"| {row['name']} | {row['seconds']:.2f} | {row['goal']:.1f} | {row['cpu_seconds']:.2f} | "
               f"{row['peak_mib']:.0f} |")


def _binding_table(rows):
    seed = rows[0]["cpu_seconds"]
    yield "| what | CPU s | of as many files behind the seed's list | to reach | peak MiB |"
    yield "|---|---|---|---|---|"
    for row in rows:
        goal = f"{row['goal']:.2f}" if "goal" in row else "-"
        yield (f"| {row['name']} | {row['cpu_seconds']:.1f} | {row['cpu_seconds'] / seed / row['files']:.2f} | {goal} | "
               f"{row['peak_mib']} |")


SECTIONS = {"generate": generate, "binding_of_many": binding_of_many}
TABLES = {"generate": _generate_table, "binding_of_many": _binding_table}
TITLES = {"generate": "The generator", "binding_of_many": "The binding of many operators, as its generated CMake project builds it"}
GOALS = {
    "generate": "One `batch` over a folder without a toolkit to build with, so that it ends behind the generating. `check` parses "
                "the kernel header with libclang, and so does each operator of the `batch`.",
    "binding_of_many": "From nine sources on the project precompiles its headers.",
}
