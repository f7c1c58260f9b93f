"""Every command that --help lists answers --format json with one object, also when there is nothing to work on.

    python3 tests/cases/every_command_json.py out/dev/bin/shmem-bind
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Words behind a command; the others take a folder that holds nothing.
ARGUMENTS = {"man": [], "doctor": [], "explain": ["C011"], "completion": ["bash"], "replay": ["{}", "--case", "1"]}


def main(tool):
    helped = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) {2,}", helped[re.search(r"(?im)^subcommands:", helped).end():], re.M)
    if len(commands) < 15 or not set(ARGUMENTS) <= set(commands):
        sys.exit(f"these are not the commands: {commands}")
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            empty = pathlib.Path(folder) / "custom-ops" / command
            empty.mkdir(parents=True)
            words = [word.replace("{}", str(empty)) for word in ARGUMENTS.get(command, ["{}"])]
            done = subprocess.run([tool, command, *words, "--format", "json"], capture_output=True, text=True, check=False, timeout=100)
            try:
                answer = json.loads(done.stdout)
                if answer["exit_code"] != done.returncode or "messages" not in answer:
                    wrong.append(f"{command}: exit code {done.returncode}, answer {done.stdout[:200]}")
            except (ValueError, KeyError) as error:
                wrong.append(f"{command}: {error}: {done.stdout[:200]} {done.stderr[:200]}")
    print("\n".join(wrong) or f"{len(commands)} commands answer in JSON")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1])
