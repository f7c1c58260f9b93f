"""doctor.py SHMEM_BIND: `shmem-bind doctor` on a CANN and a SHMEM made of empty files, in order and out of order.

What it prints of this machine differs from one to the next, so this is no case folder: single lines are looked for.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

DEADLINE_S = 60


def lay_out(root):
    for path, text in {
        "cann/set_env.sh": 'PATH="$ASCEND_HOME_PATH/bin:$PATH"\n',
        "cann/include/acl/acl.h": "",
        "cann/lib64/libascendcl.so": "",
        "cann/bin/bisheng": "#!/bin/sh\n",
        "cann/version.info": "Version=8.5.0\nversion_dir=simulated\n",
        "cann/settings.txt": "SHMEM_SIM_SEED\n",
        "shmem/install/set_env.sh": "",
        "shmem/install/version.info": "version_dir=simulated\n",
        "shmem/install/shmem/include/shmem.h": "",
        "shmem/install/shmem/lib/libshmem.so": "",
        "old/lib/libascendcl.so": "",
    }.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)


def doctor(tool, *options, **environment):
    done = subprocess.run(
        [tool, "doctor", "--python", sys.executable, *map(str, options)],
        env={"PATH": os.environ["PATH"], "LANG": "C", **environment},
        capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.stderr == "", done.stderr
    return done


def line_of(text, start):
    found = [line for line in text.splitlines() if line.startswith(start)]
    assert found, f"no line starts with '{start}':\n{text}"
    return found[0]


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-doctor-") as folder:
        root = pathlib.Path(folder).resolve()
        lay_out(root)
        cann = root / "cann"

        text = doctor(tool, "--cann", cann).stdout
        assert f"8.5.0, simulated, in {cann}" in line_of(text, "ok   CANN"), text
        assert str(root / "shmem") in line_of(text, "ok   SHMEM"), text
        assert f"{cann}/bin/bisheng" in line_of(text, "ok   bisheng"), text
        assert "c++" in line_of(text, "ok   compiler"), text

        done = doctor(tool, "--cann", cann, SHMEM_SIM_SEDE="7", LD_LIBRARY_PATH=f"{root}/old/lib:{cann}/lib64")
        assert done.returncode == 1, done
        assert "did you mean SHMEM_SIM_SEED?" in line_of(done.stdout, "RED  setting"), done.stdout
        assert f"{root}/old/lib holds libascendcl.so" in line_of(done.stdout, "RED  library path"), done.stdout
        lines = done.stdout.splitlines()
        for number, line in enumerate(lines):
            assert not line.startswith("RED") or lines[number + 1].strip().startswith("fix: "), line

        done = doctor(tool, "--cann", root / "old", "--format", "json")
        found = json.loads(done.stdout)
        assert done.returncode == found["exit_code"] == 1, done
        assert found["red"] == sum(check["state"] == "RED" for check in found["checks"]) > 0, found
        assert all(check["fix"] for check in found["checks"] if check["state"] == "RED"), found
        cann_check = next(check for check in found["checks"] if check["name"] == "CANN")
        assert cann_check["found"] == f"{root}/old (from --cann) is no CANN toolkit: it has no set_env.sh", cann_check
    print("doctor tells what is there, and every red line has its repair")


if __name__ == "__main__":
    main()
