#!/usr/bin/env python3
"""Commands of the README and the guide do what they say: pasted.py SOURCE BUILD MPIEXEC [PAGE...]

A page's blocks between ```sh and ``` are executed one after the other, in one shell, which begins in a copy of
the clone (of links) and ends where a command fails; blocks between ```python and ``` are programs of their own,
there where the shell is. Blocks of ```sh shown are not executed, for they need a cluster, minutes, or a file of
the reader's; theirs, too, must be shell's grammar and have options that there are. A remark <!-- sh: COMMAND -->
is executed and not shown. Blocks that are indented only are refused: nobody could tell whether they work."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)(?: (\w+))?\n(.*?)^```$|^<!-- sh: (.*?) -->$", re.M | re.S)
LAUNCHERS = ("mpiexec", "mpiexec.mpich")


class Page:
    """What a page has to be executed, in its order, and what is only shown."""

    def __init__(self, path):
        self.path, self.steps, self.shown = path, [], []
        text = path.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            language, how, block, hidden = match.groups()
            if hidden:
                self.steps.append(("sh", hidden + "\n"))
            elif language in ("sh", "python") and how is None:
                self.steps.append((language, block))
            elif language == "sh":
                self.shown.append(block)
        rest = FENCE.sub("", text)
        self.indented = re.findall(r"^ {4}.*$", re.sub(r"^```.*?^```$", "", rest, flags=re.M | re.S), re.M)

    def script(self):
        lines = ["set -e", "trap 'echo \"failed: $BASH_COMMAND\" >&2' ERR"]
        for language, block in self.steps:
            lines.append(block if language == "sh" else f"python3 - <<'END_OF_PYTHON'\n{block}END_OF_PYTHON")
        return "\n".join(lines) + "\n"


class Clone:
    """A folder that looks like the clone after the demo, and a home with an installed scow."""

    def __init__(self, folder, source, build, mpiexec):
        self.root, self.home, self.build = folder / "clone", folder / "home", build
        (self.root / "build").mkdir(parents=True)
        for entry in source.iterdir():
            if entry.name not in ("build", ".git"):
                (self.root / entry.name).symlink_to(entry)
        (self.root / "build" / "release").symlink_to(build)
        launchers = folder / "launchers"
        launchers.mkdir()
        self.home.mkdir()
        (folder / "tmp").mkdir()
        for name in LAUNCHERS:
            (launchers / name).write_text(f'#!/bin/sh\nexec "{mpiexec}" "$@"\n')
            (launchers / name).chmod(0o755)
        self.environment = {**os.environ, "HOME": str(self.home), "TMPDIR": str(folder / "tmp"), "NO_COLOR": "1",
                            "PATH": f"{launchers}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}

    def install(self):
        subprocess.run(["cmake", "--install", self.build, "--prefix", self.home / "scow"], check=True,
                       stdout=subprocess.DEVNULL)

    def run(self, page):
        if "~/scow" in page.script():
            self.install()
        return subprocess.run(["bash", "-c", page.script()], cwd=self.root, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


class Options:
    """Which options commands have, as they say themselves."""

    def __init__(self, build, mpiexec):
        self.scow, self.mpiexec, self.known = build / "bin" / "scow", mpiexec, {}

    def of(self, command, kernel):
        if (command, kernel) not in self.known:
            words = [self.scow, command, *(["-k", kernel] if kernel else []), "--help-table"]
            start = [self.mpiexec, "-n", "1"] if command in ("calibrate", "run", "go") else []
            said = subprocess.run([*start, *words], text=True, stdout=subprocess.PIPE, check=False).stdout
            self.known[command, kernel] = {line.split("\t")[2] for line in said.splitlines() if line.startswith("option")}
        return self.known[command, kernel]

    def wrong(self, block):
        """Words of the block that look like options of a scow command, and are none."""
        for line in re.sub(r"(^|\s)# .*", "", block.replace("\\\n", " "), flags=re.M).splitlines():
            for call in re.findall(r"\bscow ([a-z]+ [^|;&<>#]*)", line):
                try:
                    command, *words = shlex.split(call)
                except ValueError:
                    continue
                kernel = words[words.index("-k") + 1] if "-k" in words and "/" not in words[words.index("-k") + 1] else None
                if kernel is None and "-k" in words:
                    continue  # a plug-in's own
                known = self.of(command, kernel if command in ("calibrate", "go") else None)
                yield from (f"scow {command} {word}" for word in words
                            if word.startswith("--") and known and word[2:].split("=")[0] not in known)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    source, build, mpiexec = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    names = sys.argv[4:] or ["README.md", *sorted(f"jobs/guide/{page.name}" for page in (source / "jobs/guide").glob("*.md"))]
    options, failed = Options(build, mpiexec), 0
    for page in (Page(source / name) for name in names):
        wrong = [f"indented: fence it by ```sh, for it to be executed here, or ```sh shown: {line.strip()}" for line in page.indented]
        for block in page.shown + [block for language, block in page.steps if language == "sh"]:
            if subprocess.run(["bash", "-n"], input=block, text=True, check=False).returncode != 0:
                wrong.append(f"not shell's grammar: {block.splitlines()[0]}")
            wrong += [f"no such option: {word}" for word in options.wrong(block)]
        if page.steps and not wrong:
            with tempfile.TemporaryDirectory() as folder:
                done = Clone(pathlib.Path(folder), source, build, mpiexec).run(page)
            if done.returncode != 0:
                wrong.append(f"exit code {done.returncode}:\n{done.stdout}")
        print(f"{page.path.relative_to(source)}: {len(page.steps)} executed, {len(page.shown)} shown")
        for words in wrong:
            print(f"    {words}")
        failed += len(wrong)
    sys.exit(failed > 0)


main()
