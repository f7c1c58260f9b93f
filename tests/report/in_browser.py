"""in_browser.py SHMEM_BIND [FOLDER]: opens pages of `shmem-bind report` in a headless Chromium, at 380 and 1400 pixels, light and dark.

Looked at: what is rendered, that nothing was asked of the network, that the console is silent, and that no page is wider than its
window. With FOLDER the screenshots stay there. Exits with 77 (skipped) when there is no browser: scripts/setup.sh installs one.
"""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cases"))
import verdict as machine_of_scripts  # noqa: E402

DEADLINE_S = 60
BROWSERS = ("chromium-headless-shell", "/usr/lib/chromium/chromium-headless-shell", "chromium")
MUTANTS = [{"id": "epoch_frozen", "kind": "binding", "title": "the call number stands still", "state": "killed", "by": "2 PEs, seed 1", "seconds": 1.5},
           {"id": "last_tail", "kind": "kernel", "title": "the tail <of the last block> is dropped", "state": "survived", "by": "a case with a tail",
            "seconds": 2.0}]


def browser():
    found = [path for path in map(shutil.which, BROWSERS) if path]
    if not found:
        print("skipped: no chromium-headless-shell; scripts/setup.sh installs it")
        sys.exit(77)
    return found[0]


class Browser:
    def __init__(self, folder):
        self.program, self.folder = browser(), folder

    def open(self, page, *options, width=1400, dark=False):
        """Standard output; fails on a console message and on any request that leaves the page."""
        log = self.folder / "net.json"
        done = subprocess.run(
            [self.program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
             "--enable-logging=stderr", f"--log-net-log={log}", f"--user-data-dir={self.folder}/profile", f"--window-size={width},1000",
             *(["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []), *options, page.as_uri()],
            capture_output=True, text=True, timeout=DEADLINE_S, check=True)
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        assert not console, console
        asked = set(re.findall(r'"url":"((?:https?|wss?|ftp):[^"]*)"', log.read_text(encoding="utf-8", errors="replace")))
        assert not asked, asked
        return done.stdout

    def width_beyond(self, page, width):
        """How far the page is wider than its window: a copy with a script that the page itself forbids."""
        text = page.read_text(encoding="utf-8")
        probe = ("<script>document.title='wide '+(document.documentElement.scrollWidth-document.documentElement.clientWidth)"
                 "+' of '+document.documentElement.clientWidth</script></body>")
        copy = self.folder / "probe.html"
        copy.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", text).replace("</body>", probe), encoding="utf-8")
        wide, of = map(int, re.search(r"<title>wide (-?\d+) of (\d+)</title>", self.open(copy, "--dump-dom", width=width)).groups())
        assert of == width, f"the window is {of} wide, not {width}"
        return wide


def words_of(dom):
    """The text a reader sees."""
    body = re.sub(r"<style>.*?</style>", "", dom, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def pages(machine):
    """Two pages: of a verdict that passed, and of one that failed and has variants."""
    made = []
    for name, marks in (("passed", ()), ("failed", ("no_verdict",))):
        machine.add(name, "copy_rows", *marks)
        op = f"{name}/custom-ops/copy_rows"
        _, answer = machine.say("run", op)
        verdict = {**answer["verdict"], "mutants": MUTANTS if marks else []}
        if marks:
            verdict["jobs"][0]["stands"] = {"0": "aclshmem_signal_wait_until, word 0x" + "1f" * 40}
        file = machine.root / op / "build/verdict.json"
        file.write_text(json.dumps(verdict), encoding="utf-8")
        assert machine.say("report", file)[0] == 0
        made.append(file.with_name("report.html"))
    return made


def main():
    keep = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(prefix="shmem-bind-report-") as folder:
        root = pathlib.Path(folder).resolve()
        chromium = Browser(root)
        passed, failed = pages(machine_of_scripts.Machine(root, str(pathlib.Path(sys.argv[1]).resolve())))

        words = words_of(chromium.open(passed, "--dump-dom"))
        for text in ("copy_rows ✓ verified", "2 PEs", "8 PEs", "int32", "✓ passed ·", "Not run: shmem-bind prove", "Generated code",
                     "never the begin of the storage", "template <class T> void copy_rows_kernel"):
            assert text in words, (text, words)
        assert "What went wrong" not in words

        words = words_of(chromium.open(failed, "--dump-dom"))
        for text in ("copy_rows ✗ failed", "What went wrong", "element 3: got 1, wanted 2", "look at <b>the kernel</b>", "✗ survived",
                     "the tail <of the last block> is dropped", "PE 0 stood at"):
            assert text in words, (text, words)

        for page, name in ((passed, "passed"), (failed, "failed")):
            for width in (380, 1400):
                assert chromium.width_beyond(page, width) <= 0, f"{name}: wider than {width} pixels"
                for dark in (False, True):
                    picture = (keep or root) / f"{name}-{width}{'-dark' if dark else ''}.png"
                    chromium.open(page, f"--screenshot={picture}", width=width, dark=dark)
                    assert picture.stat().st_size > 10_000, picture
        print("two pages, at two widths, light and dark: as expected")


if __name__ == "__main__":
    main()
