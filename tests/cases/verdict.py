"""verdict.py SHMEM_BIND: verdict.json, JUnit, replay, report and the pipeline of docs/ci.md, on the machine of scripts that batch.py makes.

Verdicts are compared with docs/verdict.schema.json when python3-jsonschema is there.
"""

import json
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

import batch

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Machine(batch.Machine):
    def say(self, *words):
        """Exit code and JSON of a command."""
        roots = ["--python", self.root / "bin/python", "--cann", self.root / "cann"] if words[0] in ("run", "verify", "replay") else []
        done = self.run(self.tool, *words, "--format", "json", *roots)
        answer = json.loads(done.stdout)
        assert answer["exit_code"] == done.returncode, done
        return done.returncode, answer


def check_schema(verdict):
    try:
        import jsonschema
    except ImportError:
        print("the schema was not looked at: python3-jsonschema is not installed")
        return
    jsonschema.validate(verdict, json.loads((ROOT / "docs/verdict.schema.json").read_text(encoding="utf-8")))


def states_and_exit_codes(machine):
    machine.add("a", "copy_rows")
    op = "a/custom-ops/copy_rows"
    for options, code, state in (((), 0, "verified"), (("--pes", "2"), 0, "unverified")):
        found, answer = machine.say("run", op, *options)
        assert (found, answer["verdict"]["state"]) == (code, state), answer
        check_schema(answer["verdict"])
        assert json.loads((machine.root / op / "build/verdict.json").read_text()) == answer["verdict"]
    assert answer["verdict"]["why"] == ["not run on 8 PEs"], answer
    assert answer["verdict"]["versions"]["python"] == "3.11.2", answer

    test = f"{op}/scripts/torch_test_copy_rows.py"
    machine.write(test, (machine.root / test).read_text(encoding="utf-8") + "# edited\n")
    code, answer = machine.say("verify", op)
    assert (code, answer["verdict"]["state"]) == (14, "unverified"), "nobody asked for a test that was edited"
    check_schema(answer["verdict"])

    machine.add("a", "copy_rows", "no_verdict")
    code, answer = machine.say("verify", op)
    assert (code, answer["verdict"]["state"]) == (13, "failed"), answer
    assert answer["verdict"]["jobs"][0]["class"] == "mismatch", answer
    check_schema(answer["verdict"])


def a_skipped_operator_has_a_verdict(machine):
    machine.add("skip", "copy_rows")
    design = machine.root / "skip/custom-ops/copy_rows/docs/design.md"
    design.write_text(design.read_text().replace("torch_required: true", "torch_required: false"))
    code, answer = machine.say("verify", "skip/custom-ops/copy_rows", "--junit", machine.root / "skip.xml")
    assert (code, answer["verdict"]["state"]) == (0, "skipped"), answer
    assert answer["verdict"]["why"] == ["meta.torch_required is false"], answer
    check_schema(answer["verdict"])
    assert xml.etree.ElementTree.parse(machine.root / "skip.xml").find(".//skipped") is not None


def junit_is_xml(machine):
    machine.add("j", "copy_rows")
    op = "j/custom-ops/copy_rows"
    machine.say("run", op)
    machine.add("j", "copy_rows", "no_verdict")
    _, answer = machine.say("verify", op, "--junit", machine.root / "junit.xml")
    suite = xml.etree.ElementTree.parse(machine.root / "junit.xml").find("testsuite")
    names = [case.get("name") for case in suite]
    assert [job["name"] for job in answer["verdict"]["jobs"]] == names[1:len(answer["verdict"]["jobs"]) + 1], names
    failures = suite.findall("testcase/failure")
    assert failures[0].get("type") == "mismatch" and "element 3" in failures[0].text, failures[0].text
    assert int(suite.get("failures")) == len(failures) and int(suite.get("tests")) == len(suite.findall("testcase"))


def replay_repeats_one_job(machine):
    machine.add("r", "copy_rows")
    op = "r/custom-ops/copy_rows"
    _, first = machine.say("run", op)
    verdict = machine.root / op / "build/verdict.json"
    before = verdict.read_text()
    code, answer = machine.say("replay", verdict, "--case", 4)
    assert (code, answer["same"], answer["now"]) == (0, True, "passed"), answer
    again, then = answer["verdict"]["jobs"][0], first["verdict"]["jobs"][3]
    for field in ("name", "launcher", "pes", "dtypes", "cases", "seed", "calls", "environment"):
        assert again[field] == then[field], (field, again, then)
    check_schema(answer["verdict"])

    machine.write(f"{op}/src/no_verdict", "")
    code, answer = machine.say("replay", verdict, "--case", 4)
    assert (code, answer["same"], answer["now"]) == (13, False, "failed (mismatch)"), answer
    assert verdict.read_text() == before, "replay leaves the verdict alone"

    design = machine.root / op / "docs/design.md"
    design.write_text(design.read_text().replace("4096 * n_pes", "8192 * n_pes"))
    code, answer = machine.say("replay", verdict, "--case", 4)
    assert code == 11 and "way out: shmem-bind verify" in answer["messages"], answer


def report_is_one_page(machine):
    machine.add("p", "copy_rows")
    op = "p/custom-ops/copy_rows"
    machine.say("run", op)
    code, answer = machine.say("report", machine.root / op / "build")
    page = (machine.root / op / "build/report.html").read_text(encoding="utf-8")
    assert code == 0 and pathlib.Path(answer["page"]).name == "report.html", answer
    assert "is_supported(dtype)" in page and "never the begin of the storage" in page
    assert "src=" not in page and "http" not in page.replace("http-equiv", "")


def the_pipeline_of_the_document_runs(machine):
    block = (ROOT / "docs/ci.md").read_text(encoding="utf-8").split("```sh\n")[1].split("```")[0]
    script = (ROOT / "scripts/ci.sh").read_text(encoding="utf-8")
    assert script.endswith(block), "docs/ci.md shows scripts/ci.sh"
    machine.add("ci", "copy_rows")
    machine.add("ci", "send_rows")
    (machine.root / "tool").mkdir(exist_ok=True)
    if not (machine.root / "tool/shmem-bind").exists():
        (machine.root / "tool/shmem-bind").symlink_to(machine.tool)
    environment = {"BIN": str(machine.root / "tool"), "TREE": "ci/custom-ops", "REPORTS": str(machine.root / "reports"),
                   "ASCEND_HOME_PATH": str(machine.root / "cann"), "PYTHON": str(machine.root / "bin/python")}
    done = machine.run("sh", ROOT / "scripts/ci.sh", **environment)
    assert done.returncode in (0, 10), done  # 10: the operators of this tree are copies without READMEs and goldens of their own
    first = done.returncode
    reports = sorted(path.name for path in (machine.root / "reports").iterdir())
    assert reports == ["batch.json", "copy_rows.html", "copy_rows.json", "copy_rows.xml", "lint.json", "send_rows.html", "send_rows.json",
                       "send_rows.xml"], reports
    assert json.loads((machine.root / "reports/batch.json").read_text())["exit_code"] == 0
    assert first == json.loads((machine.root / "reports/lint.json").read_text())["exit_code"]
    machine.write("ci/custom-ops/send_rows/src/no_verdict", "")
    (machine.root / "ci/custom-ops/send_rows/build/verified").unlink()
    done = machine.run("sh", ROOT / "scripts/ci.sh", **environment)
    assert done.returncode == 13, done


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="shmem-bind-verdict-") as folder:
        machine = Machine(pathlib.Path(folder).resolve(), tool)
        for test in (states_and_exit_codes, a_skipped_operator_has_a_verdict, junit_is_xml, replay_repeats_one_job, report_is_one_page,
                     the_pipeline_of_the_document_runs):
            test(machine)
            print(f"{test.__name__}: as expected", flush=True)


if __name__ == "__main__":
    main()
