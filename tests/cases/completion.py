"""completion.py SHMEM_BIND: the shells themselves read what `shmem-bind completion` prints, and bash completes with it.

zsh and fish only where they are installed: they then check the syntax of theirs.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

DEADLINE_S = 60
ASK = r"""
source ./completion.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_shmem_bind
printf '%s\n' "${COMPREPLY[@]}"
"""


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0 and done.stderr == "", f"{command}: {done}"
    return done.stdout


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-completion-") as folder:
        root = pathlib.Path(folder)
        (root / "custom-ops").mkdir()
        (root / "completion.bash").write_text(run([tool, "completion", "bash"], root), encoding="utf-8")

        def complete(*words):
            return run(["bash", "-c", ASK, "ask", "shmem-bind", *words], root).split()

        assert complete("ver") == ["verify"]
        assert {"init", "doctor", "completion", "--version"} <= set(complete(""))
        assert complete("check", "cust") == ["custom-ops"]
        assert complete("check", "--for") == ["--format"]
        assert complete("check", "--format", "j") == ["json"]
        assert complete("verify", "--cann", "cust") == ["custom-ops"]
        assert complete("verify", "--pes", "c") == []
        assert complete("explain", "C01") == [f"C01{digit}" for digit in range(10)]
        assert complete("completion", "") == ["bash", "zsh", "fish"]
        assert complete("nonsense", "") == []

        checked = ["bash"]
        for shell in ("zsh", "fish"):
            script = root / f"completion.{shell}"
            script.write_text(run([tool, "completion", shell], root), encoding="utf-8")
            if shutil.which(shell):
                run([shell, "-n", str(script)], root)
                checked.append(shell)
        page = root / "shmem-bind.1"
        page.write_text(run([tool, "man"], root), encoding="utf-8")
        if shutil.which("groff"):
            run(["groff", "-man", "-ww", "-z", str(page)], root)  # a warning is an error: it goes to stderr
            checked.append("groff")
    print(f"read without complaint by {', '.join(checked)}")


if __name__ == "__main__":
    main()
