"""What bench/run.py measures: one function per section, each returns plain data; table() turns it into text."""

import json
import os
import shlex
import statistics
import subprocess
import sys
import time

import generator
import verification
from setting import SEED_INCLUDES, binding_compile, cpu_of, free_port


class BusyProcesses:
    """`count` processes that compute and belong to nobody."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]
        time.sleep(0.2)

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def gather_rows(setting, pes, extra=()):
    command = [setting.python, "bench/all_gather.py", "--pes", pes, "--library", setting.library, "--staged",
               setting.staged_library(), "--port", free_port(), "--gloo-port", free_port(), "--scratch",
               setting.scratch, *extra]
    if setting.quick:
        command += ["--repeats", 3, "--seconds", 0.05]
    result = setting.run(command, check=False)
    if result.returncode != 0:
        raise SystemExit(f"bench/all_gather.py failed:\n{result.stderr[-3000:]}")
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def all_gather(setting):
    rows = []
    for pes in (2, 4, 8):
        rows += gather_rows(setting, pes)
    return rows


def all_gather_busy(setting):
    """The same collective with unrelated busy processes on the machine, against its own idle median."""
    rows = []
    for pes in (4, 8):
        medians = {}
        for busy in (0, 1, 2):
            with BusyProcesses(busy):
                for row in gather_rows(setting, pes, ["--only-compute"]):
                    medians.setdefault(row["bytes"], {})[busy] = row["compute"]["median"]
        rows += [{"pes": pes, "bytes": size, "seconds": values} for size, values in medians.items()]
    return rows


def compile_time(setting):
    """One operator file as generated, and the same file behind the seed document's include list."""
    generated = setting.tree / "torch_binding/src/torch_bind_all_gather.cpp"
    seed = setting.scratch / "seed.cpp"
    seed.write_text(SEED_INCLUDES + generated.read_text(encoding="utf-8"), encoding="utf-8")
    rows = []
    for name, file in (("generated", generated), ("seed", seed)):
        samples = [cpu_of(setting, [*binding_compile(setting), file]) for _ in range(1 if setting.quick else 3)]
        rows.append({"name": name, "cpu_seconds": statistics.median(sample[0] for sample in samples),
                     "peak_mib": max(sample[1] for sample in samples)})
    return rows


def compile_memory(setting):
    """Peak memory of the compiler for every C++ file of the release build and of the binding: the largest ones."""
    build = json.loads((setting.out / "compile_commands.json").read_text(encoding="utf-8"))
    compiles = [(entry["file"], shlex.split(entry["command"]), entry["directory"]) for entry in build]
    for file in sorted((setting.tree / "torch_binding/src").glob("*.cpp")):
        compiles.append((file, [*binding_compile(setting), file], setting.root))
    if setting.quick:
        compiles = [compile for compile in compiles if "opapi" in str(compile[0]) or "torch_binding" in str(compile[0])]
    rows = [{"file": os.path.relpath(file, setting.root),
             "peak_mib": cpu_of(setting, [*command, "-o", setting.scratch / "object.o"], folder)[1]}
            for file, command, folder in compiles]
    return sorted(rows, key=lambda row: -row["peak_mib"])[:5]


def memory(setting):
    """Private memory of a forked PE beyond its tensors and the heap it touched."""
    rows = []
    for pes in (2, 8):
        result = setting.run([setting.python, "bench/memory.py", "--pes", pes, "--library", setting.library, "--port",
                              free_port()])
        rows += [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return rows


def dispatch(setting):
    library = setting.scratch / "libempty_handler.so"
    site = setting.run([setting.python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).stdout.strip()
    command = [word for word in binding_compile(setting) if word not in ("-c", "-o", setting.scratch / "object.o")]
    setting.run([*command, "-shared", "-o", library, "bench/empty_handler.cpp", f"-L{site}/torch_npu/lib", f"-L{site}/torch/lib",
                 "-ltorch_npu", "-lc10", "-ltorch_cpu", "-ltorch"])
    result = setting.run([setting.python, "bench/dispatch.py", "--library", setting.library, "--empty-handler", library,
                          "--port", free_port()])
    return json.loads(result.stdout.splitlines()[-1])


def latency(setting):
    """Barrier, ping-pong and signals of the simulator; barrier and ping-pong of Open MPI when it is installed."""
    setting.run(["cmake", "--build", setting.out, "--target", "latency"])
    rows = json.loads(setting.run([setting.out / "bench/latency"]).stdout)
    bare = next(row for row in rows if row["name"] == "bare barrier" and row["pes"] == 8)
    result = {"busy": bare["us"] > 100, "rows": rows}
    compiler = subprocess.run(["which", "mpicc"], capture_output=True, text=True, check=False).stdout.strip()
    if not compiler:
        result["skipped"] = "Open MPI is not installed: scripts/setup.sh --bench"
        return result
    program = setting.scratch / "mpi_latency"
    setting.run([compiler, "-O2", "-o", program, "bench/mpi_latency.c"])
    for pes in (2, 4, 8):
        text = setting.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca",
                            "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "-n", pes, program]).stdout
        rows += [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return result


def start_up(setting):
    """Importing, and a verified job of 2 and 8 PEs as the generated test runs it."""
    test = setting.tree / "all_gather/scripts/torch_test_all_gather.py"
    commands = {
        "import torch_npu, leave at once": [setting.python, "-c", "import torch_npu, os; os._exit(0)"],
        "generated test, 2 PEs": [setting.python, test, "--pes", "2"],
        "generated test, 8 PEs": [setting.python, test, "--pes", "8"],
    }
    rows = []
    for name, command in commands.items():
        samples = []
        for _ in range(1 if setting.quick else 3):
            begin = time.perf_counter()
            setting.run(command)
            samples.append(time.perf_counter() - begin)
        rows.append({"name": name, "seconds": statistics.median(samples)})
    return rows


ALL = {
    "all_gather": all_gather,
    "all_gather_busy": all_gather_busy,
    "compile_time": compile_time,
    "compile_memory": compile_memory,
    "memory": memory,
    "dispatch": dispatch,
    "latency": latency,
    "start_up": start_up,
    **verification.SECTIONS,
    **generator.SECTIONS,
}

# What a section needs beside the tool and the simulated toolkit: the built examples.
NEEDS_EXAMPLE = ALL.keys() - generator.SECTIONS.keys()


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def _all_gather_table(rows):
    yield "| PEs | per PE | compute, us | Gloo, us | staged memcpy, us | compute/Gloo | compute/staged |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        compute, gloo, staged = (row[name]["median"] for name in ("compute", "gloo", "staged"))
        yield (f"| {row['pes']} | {size_text(row['bytes'])} | {compute * 1e6:.0f} | {gloo * 1e6:.0f} | "
               f"{staged * 1e6:.0f} | {compute / gloo:.2f} | {compute / staged:.2f} |")


def _busy_table(rows):
    yield "| PEs | per PE | idle, us | 1 busy process | 2 busy processes |"
    yield "|---|---|---|---|---|"
    for row in rows:
        idle, one, two = (row["seconds"].get(n, row["seconds"].get(str(n))) for n in (0, 1, 2))
        yield f"| {row['pes']} | {size_text(row['bytes'])} | {idle * 1e6:.0f} | {one / idle:.2f} | {two / idle:.2f} |"


def _compile_table(rows):
    seed = next(row for row in rows if row["name"] == "seed")
    yield "| operator file | CPU s | of the seed's list | peak MiB |"
    yield "|---|---|---|---|"
    for row in rows:
        yield (f"| {row['name']} | {row['cpu_seconds']:.1f} | {row['cpu_seconds'] / seed['cpu_seconds']:.2f} | "
               f"{row['peak_mib']} |")


def _compile_memory_table(rows):
    yield "| the five largest | peak MiB |"
    yield "|---|---|"
    for row in rows:
        yield f"| {row['file']} | {row['peak_mib']} |"


def _memory_table(rows):
    yield "| PEs | private memory of PE 0, MiB |"
    yield "|---|---|"
    for row in rows:
        yield f"| {row['pes']} | {row['private_mib']:.1f} |"


def _dispatch_table(rows):
    base = rows[0]["ns"]
    yield "| call | ns | of the first |"
    yield "|---|---|---|"
    for row in rows:
        yield f"| {row['name']} | {row['ns']:.0f} | {row['ns'] / base:.2f} |"


def _latency_table(result):
    if result["busy"]:
        yield "The machine is too busy for latency rows: a bare barrier of 8 processes took more than 100 us."
        yield ""
    if "skipped" in result:
        yield result["skipped"]
        yield ""
    yield "| what | PEs | us |"
    yield "|---|---|---|"
    for row in result["rows"]:
        yield f"| {row['name']} | {row['pes']} | {row['us']:.2f} |"


def _start_table(rows):
    yield "| what | s |"
    yield "|---|---|"
    for row in rows:
        yield f"| {row['name']} | {row['seconds']:.2f} |"


def table(name, result):
    """Lines of Markdown."""
    return {"all_gather": _all_gather_table, "all_gather_busy": _busy_table, "compile_time": _compile_table,
            "compile_memory": _compile_memory_table, "memory": _memory_table,
            "dispatch": _dispatch_table, "latency": _latency_table, "start_up": _start_table,
            **verification.TABLES, **generator.TABLES}[name](result)
