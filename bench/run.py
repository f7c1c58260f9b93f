"""One command, one run, ratios: AllGather, compile time, dispatch, latency, start-up, the generator.

    python3 bench/run.py [--quick] [--only SECTION…] [--out docs/benchmarks.json]

Needs scripts/quickstart.sh to have run: out/release and the built example, which `generate` and `binding_of_many` do
without. Everything that is compared is measured in this one run, because absolute times of a shared machine mean
little. Writes a JSON file and, with --docs, the tables and chart of docs/benchmarks.md.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chart  # noqa: E402
import sections  # noqa: E402
from setting import Setting  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument("--only", nargs="+", choices=list(sections.ALL), help="measure only these")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/bench.json")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md and docs/benchmarks.svg")
    args = parser.parse_args()

    chosen = args.only or list(sections.ALL)
    setting = Setting(ROOT, args.quick)
    missing = setting.missing(with_example=not sections.NEEDS_EXAMPLE.isdisjoint(chosen))
    if missing:
        sys.exit(f"{missing}\nRun scripts/quickstart.sh first.")
    results = {"machine": setting.describe(), "sections": {}}
    try:
        for name in chosen:
            print(f"== {name}", file=sys.stderr, flush=True)
            results["sections"][name] = sections.ALL[name](setting)
            for line in sections.table(name, results["sections"][name]):
                print(line, flush=True)
    finally:
        shutil.rmtree(setting.scratch)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"written: {os.path.relpath(args.out)}", file=sys.stderr)
    if args.docs:
        chart.write_document(ROOT / "docs", results)


if __name__ == "__main__":
    main()
