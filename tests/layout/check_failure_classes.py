"""Every class of a failure has a hint where it is given, a row in docs/verdict.md, and one in the skill: what the generated test
and the build say, and what a reader finds, are the same nine.

    check_failure_classes.py     exits 1 and tells what is missing
"""

import ast
import pathlib
import re
import sys

CLASSES = ["compile", "link", "load", "launch", "init", "timeout", "mismatch", "lifecycle", "environment"]
# F.7 of the specification: words without which a hint of the class does not lead anywhere.
WORDS = {"load": "LD_LIBRARY_PATH", "init": "attr_init", "timeout": "stands", "mismatch": "calls", "lifecycle": "close",
         "environment": "--ip-port", "launch": "kernel"}
OWNERS = {"design", "code", "test", "environment"}
LAUNCH = sorted(pathlib.Path("tool/binding/snippets").glob("multi_pe_*.py"))
BUILD = pathlib.Path("tool/build/run.cpp")


def hints_of_jobs():
    """(class, hint) of the rules in the generated test."""
    for file in LAUNCH:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            name = node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""
            if name == "RULES":
                yield from ((ast.literal_eval(row.elts[0]), ast.literal_eval(row.elts[-1])) for row in node.value.elts)
            elif name == "KIND_RULES":
                yield from ast.literal_eval(node.value).values()


def hints_of_builds():
    text = re.sub(r'"\s*\n\s*"', "", BUILD.read_text(encoding="utf-8"))
    yield from re.findall(r'FailureClass\{BuildEnd::\w+,\s*"(\w+)",\s*"([^"]+)"\}', text)


def rows(path, head):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    table = text[text.index(head):].split("\n\n", 1)[0]
    return {name.strip("`"): cells for name, cells in re.findall(r"^\| (`?\w+`?) \| (.*) \|$", table, re.M)}


def main():
    hints = [*hints_of_jobs(), *hints_of_builds()]
    verdict, skill = rows("docs/verdict.md", "| class | whose"), rows("skills/shmem-ops-torch-bind/SKILL.md", "| class |")
    bad = [f"{name}: no hint" for name in CLASSES if not any(kind == name for kind, _ in hints)]
    bad += [f"{kind} is no class" for kind in sorted({kind for kind, _ in hints} - set(CLASSES))]
    bad += [f"{kind}: its hint is empty" for kind, hint in hints if len(hint) < 10]
    bad += [f"{kind}: no hint has the word {word}" for kind, word in WORDS.items() if not any(k == kind and word in h for k, h in hints)]
    for page, found in (("docs/verdict.md", verdict), ("the skill", skill)):
        bad += [f"{page}: no row for {name}" for name in CLASSES if name not in found]
    bad += [f"docs/verdict.md: {name} is nobody's" for name in CLASSES
            if not set(verdict.get(name, "").split(" | ")[0].split(", ")) <= OWNERS]
    print("\n".join(bad) or f"{len(CLASSES)} classes of failures, {len(hints)} hints")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
