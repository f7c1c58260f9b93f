"""docs/benchmarks.md and its chart, from the results of bench/run.py. Plain SVG, no plotting library."""

import math

import generator
import sections
import verification

_COLOURS = {"compute": "#1b6ca8", "gloo": "#b0413e", "staged": "#6a994e"}
_LABELS = {"compute": "op.compute + synchronize", "gloo": "torch.distributed Gloo", "staged": "staged memcpy (floor)"}


def _panel(rows, pes, left, top, width, height):
    rows = [row for row in rows if row["pes"] == pes]
    values = [row[name]["median"] * 1e6 for row in rows for name in _COLOURS]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(index):
        return left + width * index / max(1, len(rows) - 1)

    def y(value):
        return top + height * (1 - (math.log10(value) - low) / (high - low))

    yield f'<text x="{left + width / 2}" y="{top - 10}" text-anchor="middle" font-weight="bold">{pes} PEs</text>'
    for power in range(low, high + 1):
        at = y(10 ** power)
        yield f'<line x1="{left}" x2="{left + width}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        yield f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10 ** power:,}</text>'
    for index, row in enumerate(rows):
        yield (f'<text x="{x(index):.1f}" y="{top + height + 16}" text-anchor="middle">'
               f'{sections.size_text(row["bytes"])}</text>')
    for name, colour in _COLOURS.items():
        points = " ".join(f"{x(i):.1f},{y(row[name]['median'] * 1e6):.1f}" for i, row in enumerate(rows))
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        for point in points.split():
            px, py = point.split(",")
            yield f'<circle cx="{px}" cy="{py}" r="3" fill="{colour}"/>'


def svg(rows):
    counts = sorted({row["pes"] for row in rows})
    width = 60 + 290 * len(counts)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="330" font-family="sans-serif" '
           'font-size="11"><rect width="100%" height="100%" fill="white"/>')
    yield '<text x="10" y="18">AllGather, microseconds per call (log), by bytes per PE</text>'
    for index, pes in enumerate(counts):
        yield from _panel(rows, pes, 60 + 290 * index, 55, 220, 210)
    for index, name in enumerate(_COLOURS):
        yield f'<rect x="{60 + 210 * index}" y="304" width="12" height="12" fill="{_COLOURS[name]}"/>'
        yield f'<text x="{78 + 210 * index}" y="314">{_LABELS[name]}</text>'
    yield "</svg>"


_TITLES = {
    "all_gather": "AllGather through PyTorch",
    "all_gather_busy": "The same with unrelated busy processes (ratio to idle)",
    "compile_time": "Compile time of one operator file",
    "compile_memory": "Memory of the compiler, over all files of the build",
    "memory": "Private memory of one forked PE, beyond tensors and touched heap",
    "dispatch": "The call itself, one PE",
    "latency": "Latency",
    "start_up": "Start-up",
    **verification.TITLES,
    **generator.TITLES,
}


_GOALS = {
    "all_gather": "To reach with 4 and 8 PEs: 0.30 of Gloo at every size; 2 times the staged memcpy from 1 MiB up, 6 times at 64 KiB.",
    "all_gather_busy": "To reach: 3 times the idle median with one busy process, 5 times with two.",
    "compile_time": "To reach: 0.30 of the CPU time behind the seed document's include list.",
    "compile_memory": "To reach: 1024 MiB.",
    "memory": "To reach: 100 MiB.",
    "dispatch": "To reach: compute() 1.10 of a method that queues an empty handler. torch.ops looks through all "
                "arguments of an operator that takes an object, in Python and in C++; the package's function goes there only while torch "
                "traces. The form that takes a number in place of the object and queues an empty handler shows what the dispatcher alone costs.",
    "latency": "To reach: 1.5 us a signal with 128 blocks; a barrier of 8 PEs no slower than Open MPI's; a launch of 16 empty blocks "
               "3 us with many in flight, 20 us with synchronize.",
    **verification.GOALS,
    **generator.GOALS,
}


def write_document(folder, results):
    """Writes benchmarks.md, and benchmarks.svg when the AllGather section was measured; of others nothing is said."""
    machine = results["machine"]
    lines = ["# Benchmarks", "",
             "Everything that is compared was measured in one run of", "", "```",
             "scripts/quickstart.sh && .venv/bin/python bench/run.py --docs", "```", "",
             f"on {machine['cores']} cores ({machine['cpu']}). Medians. Ratios count; absolute times are context.", ""]
    for name in (name for name in _TITLES if name in results["sections"]):
        result = results["sections"][name]
        lines += [f"## {_TITLES[name]}", ""]
        if name in _GOALS:
            lines += [_GOALS[name], ""]
        if name == "all_gather":
            (folder / "benchmarks.svg").write_text("\n".join(svg(result)) + "\n", encoding="utf-8")
            lines += ["![AllGather](benchmarks.svg)", ""]
        lines += [*sections.table(name, result), ""]
    (folder / "benchmarks.md").write_text("\n".join(lines), encoding="utf-8")
