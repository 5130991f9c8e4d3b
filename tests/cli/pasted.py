#!/usr/bin/env python3
"""Commands of README, guide and rooms' READMEs do what they say: pasted.py [--long] [--table] SOURCE BUILD MPIEXEC [PAGE...]

A page's blocks are executed one after the other, in one shell, which begins in a copy of the clone (of links) and
ends where a command fails. What stands behind a block's ``` says what becomes of it:

    sh              executed
    sh long         executed by --long, of the longer tier alone: it takes more than a moment
    sh cluster      not executed: each of its commands needs a batch system, several machines or a package manager
    sh FILE         executed by FILE, which has its commands: another page, or a script of the tests
    python          executed, by an interpreter of its own, there where the shell is
    python fragment compiled, for it is a part of a program
    LANGUAGE FILE   written to FILE, there where the shell is, for the commands that follow
    text            in what the block before it has printed
    text example    what it looks like: times differ

A block that says none of these is a mistake. A remark <!-- sh: COMMAND --> is executed and not shown, <!-- sh long:
COMMAND --> by --long. Whatever becomes of it, sh must be shell's grammar, and options of scow and files of the
clone that it names must be there; so must those that are named between `...` in the text, and options of scripts and
benchmarks that stand behind them. --long asks each of these for --help, which it answers, starting nothing. MPI has
three ranks at most here, and without --long a calibration takes a fraction of a second, whatever a block says. --table
prints what becomes of each block."""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$|^<!-- (?P<hidden>sh(?: long)?): (?P<command>.*?) -->$", re.M | re.S)
LAUNCHERS = ("mpiexec", "mpiexec.mpich")
LAUNCHER = """#!/bin/bash
words=("$@")
for ((i = 0; i < $#; i++)); do
    [[ ${words[i]} != -n ]] || words[i+1]=$((words[i+1] < RANKS ? words[i+1] : RANKS))
done
[[ -z ${BUDGET:-} || " $* " != *" scow calibrate "* ]] || words+=(--budget "$BUDGET")
exec MPIEXEC "${words[@]}"
"""
RANKS, BUDGET = 3, "0.3s"
# Each command of a block for clusters has one of these, or sets a variable.
CLUSTER = re.compile(r"\b(sbatch|squeue|srun|module|spack|apt-get)\b|jobs/scow\.sh submit|--submit (slurm|pbs)| -ppn |^(export )?\w+=")
PLACES = re.compile(r"(?:^|(?<=[\s\"'=]))((?:\.ci|\.github|jobs|tests|planner|spmd|kernel|calibrate)/[\w./*-]+|build/release/bin/[\w-]+)")
# Programs of the tests and of jobs, by path or by name, and what stands behind them.
TOOLS = re.compile(r"(bash |python3 )?((?:jobs|tests)/[\w/-]+(?:\.py|\.sh|/bench-\w+)|\b(?:bench-\w+|\w+-simulated)\b)([^|;&<>#`\n]*)")


def commands(block):
    """Its commands, a line each, without remarks."""
    lines = re.sub(r"(^|\s)# .*", "", block.replace("\\\n", " "), flags=re.M).splitlines()
    return [line.strip() for line in lines if line.strip()]


class Block:
    """A block and what becomes of it (how): executed, long, cluster, elsewhere, file, text, example, compiled, or a mistake."""

    KINDS = {"sh": "executed", "sh long": "long", "sh cluster": "cluster", "python": "executed", "python fragment": "compiled",
             "text": "printed", "text example": "example"}

    def __init__(self, match, line):
        self.hidden, self.line = match["hidden"] is not None, line
        self.info = match["hidden"] or match["info"].strip()
        self.text = match["command"] + "\n" if self.hidden else match["text"]
        self.language, _, self.file = self.info.partition(" ")
        self.how = self.KINDS.get(self.info)
        if self.how is None and "." in self.file:
            self.how = "elsewhere" if self.language == "sh" else "file"

    def script(self):
        """What the shell is given."""
        if self.how == "file":
            return f"cat >{shlex.quote(self.file)} <<'END_OF_FILE'\n{self.text}END_OF_FILE\n"
        return self.text if self.language == "sh" else f"python3 - <<'END_OF_PYTHON'\n{self.text}END_OF_PYTHON\n"


class Page:
    """A page's blocks, in its order."""

    def __init__(self, path, name):
        self.name, self.text = name, path.read_text(encoding="utf-8")
        self.blocks = [Block(match, self.text.count("\n", 0, match.start()) + 1) for match in BLOCK.finditer(self.text)]
        rest = BLOCK.sub("", self.text)
        self.indented = re.findall(r"(?<=\n\n) {4,}.*$|^ *(?:```|~~~).*$", rest, re.M)
        self.spans = re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", rest)

    def steps(self, long):
        """What is executed, of the suite or of both tiers; nothing, where only a set-up would be."""
        steps = [block for block in self.blocks if block.how in ("executed", "file") or long and block.how == "long"]
        return steps if any(not block.hidden and block.how != "file" for block in steps) else []

    def executed(self):
        """Commands that a test executes, and those of its text: who names a page of the tests means its table of tiers."""
        return {line for block in self.blocks if block.how in ("executed", "long") for line in commands(block.text)} | set(self.spans)


class Clone:
    """A folder that looks like the clone after the demo, and a home with an installed scow."""

    def __init__(self, folder, source, build, mpiexec, long):
        self.folder, self.source, self.build, self.home = folder, source, build, folder / "home"
        self.limit_s = "3600" if long else "600"  # of a page that waits for ever
        launchers = folder / "launchers"
        launchers.mkdir()
        self.home.mkdir()
        for name in LAUNCHERS:
            (launchers / name).write_text(LAUNCHER.replace("MPIEXEC", shlex.quote(shutil.which(mpiexec))).replace("RANKS", str(RANKS)))
            (launchers / name).chmod(0o755)
        self.environment = {**os.environ, "HOME": str(self.home), "NO_COLOR": "1", "OMP_NUM_THREADS": "1",
                            "PATH": f"{launchers}:{os.environ['PATH']}", "BUDGET": "" if long else BUDGET}

    def install(self):
        if not (self.home / "scow").exists():
            subprocess.run(["cmake", "--install", self.build, "--prefix", self.home / "scow"], check=True, stdout=subprocess.DEVNULL)

    def run(self, steps):
        """Exit code, and what each step printed."""
        script = "set -e\ntrap 'echo \"failed: $BASH_COMMAND\" >&2' ERR\n"
        script += "".join(f"echo '@@ step {number}'\n{step.script()}" for number, step in enumerate(steps))
        if "~/scow" in script:
            self.install()
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            root, scratch = pathlib.Path(folder) / "clone", pathlib.Path(folder) / "tmp"
            (root / "build").mkdir(parents=True)
            scratch.mkdir()
            for entry in self.source.iterdir():
                if entry.name not in ("build", ".git"):
                    (root / entry.name).symlink_to(entry)
            (root / "build" / "release").symlink_to(self.build)
            done = subprocess.run(["timeout", "-k", "5", self.limit_s, "bash", "-c", script], cwd=root, env={**self.environment, "TMPDIR": str(scratch)}, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, re.split(r"^@@ step \d+\n", done.stdout, flags=re.M)[1:]


class Names:
    """What commands have, as they say themselves, and files, as they are there."""

    def __init__(self, source, build, mpiexec):
        self.source, self.scow, self.mpiexec, self.known = source, build / "bin" / "scow", mpiexec, {}
        listed = [*source.glob("tests/**/CMakeLists.txt"), *source.glob("tests/**/*.cmake"), *source.glob("*/CMakeLists.txt")]
        self.targets = set(re.findall(r"[\w-]+", "\n".join(path.read_text(encoding="utf-8") for path in listed)))
        self.programs = "\n".join(path.read_text(encoding="utf-8") for path in source.glob("tests/**/*.c"))
        self.tools = set()

    def options(self, command, kernel):
        if (command, kernel) not in self.known:
            words = [self.scow, command, *(["-k", kernel] if kernel else []), "--help-table"]
            start = [self.mpiexec, "-n", "1"] if command in ("calibrate", "run", "go") else []
            said = subprocess.run([*start, *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
            self.known[command, kernel] = {line.split("\t")[2] for line in said.splitlines() if line.startswith("option")}
        return self.known[command, kernel]

    def wrong_options(self, text):
        """Words of the text that look like options of a scow command, and are none."""
        for line in commands(text):
            for call in re.findall(r"\bscow ([a-z]+ [^|;&<>#]*)", line):
                try:
                    command, *words = shlex.split(call)
                except ValueError:
                    continue
                kernel = words[words.index("-k") + 1] if "-k" in words[:-1] else None
                if kernel and "/" in kernel:
                    continue  # a plug-in's own
                known = self.options(command, kernel if command in ("calibrate", "go") else None)
                yield from (f"no such option: scow {command} {word}" for word in words
                            if word.startswith("--") and known and word[2:].split("=")[0] not in known)

    def wrong_places(self, text):
        """Paths of the clone that are not there, and programs that nobody builds."""
        for place in PLACES.findall(text):
            place = place.rstrip(".")
            if place.startswith("build/"):
                if pathlib.Path(place).name not in self.targets and pathlib.Path(place).name != "scow":
                    yield f"no such program: {place}"
            elif not any(self.source.glob(place.rstrip("/"))):
                yield f"no such file: {place}"

    def wrong_tools(self, text):
        """Options of scripts and benchmarks that these do not know."""
        for start, tool, words in TOOLS.findall(text.replace("\\\n", " ")):
            path = self.source / tool
            if "/examples/" in tool:  # named to others, whose options follow
                continue
            if path.is_file():
                if (start or tool.startswith("tests/bench/")) and path.open("rb").read(2) == b"#!":
                    self.tools.add(tool)
                known = path.read_text(encoding="utf-8")
            elif tool in self.targets:
                self.tools.add(f"build/release/bin/{tool}")
                known = self.programs
            else:
                continue
            yield from (f"{tool} has no option {word}" for word in re.findall(r"(?<=\s)--[\w-]+", words.split(" -- ")[0]) if word not in known)

    def wrong_help(self):
        """Programs that do not answer --help by some lines; those that were not built are left out."""
        for tool in sorted(self.tools):
            path = (self.scow.parents[1] / tool.removeprefix("build/release/")) if tool.startswith("build/") else self.source / tool
            if not path.exists():
                continue
            start = ["bash"] if path.suffix == ".sh" else [] if tool.startswith("build/") else ["/usr/bin/python3"]
            try:
                said = subprocess.run([*start, path, "--help"], cwd=self.source, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, check=False, timeout=60).stdout
            except subprocess.TimeoutExpired:
                said = ""
            if "Traceback" in said or path.name not in said and "usage" not in said.lower():
                yield f"{tool} --help does not say how it is used: {said[:200]}"


def block_wrong(page, block, names, pages):
    """Why a block is wrong, before anything is executed."""
    if block.how is None:
        yield f"'{block.info}' does not say what becomes of it (pasted.py)"
    if block.language == "sh" and subprocess.run(["bash", "-n"], input=block.text, text=True, check=False).returncode != 0:
        yield "not shell's grammar"
    if block.language == "python":
        compile(block.text, page.name, "exec")
    if block.language == "sh" and not block.hidden:
        yield from names.wrong_options(block.text)
        yield from names.wrong_places(block.text)
        yield from names.wrong_tools(block.text)
    if block.how == "cluster":
        yield from (f"needs no cluster: {line}" for line in commands(block.text) if not CLUSTER.search(line))
    if block.how == "elsewhere":
        there = next((other.executed() for other in pages if other.name == block.file), None)
        if there is None and not (names.source / block.file).exists():
            yield f"no such file: {block.file}"
        else:
            there = there if there is not None else {(names.source / block.file).read_text(encoding="utf-8")}
            yield from (f"{block.file} does not execute: {line}" for line in commands(block.text) if not any(line in text for text in there))


def page_wrong(page, names, pages):
    """Why a page is wrong, before anything is executed: line and reason."""
    yield from ((0, f"a block needs ``` and what becomes of it (pasted.py): {line.strip()}") for line in page.indented)
    for block in page.blocks:
        yield from ((block.line, reason) for reason in block_wrong(page, block, names, pages))
    for span in page.spans:
        yield from ((0, reason) for reason in (*names.wrong_options(span), *names.wrong_places(span), *names.wrong_tools(span)))


def run_wrong(page, clone, long):
    """Why a page is wrong when it is executed: line and reason."""
    steps = page.steps(long)
    if not steps:
        return
    code, said = clone.run(steps)
    if code != 0:
        yield steps[len(said) - 1].line, f"exit code {code}:\n" + "".join(said[-1:])
        return
    for before, block in zip(page.blocks, page.blocks[1:]):
        if block.how == "printed" and (before not in steps or block.text not in said[steps.index(before)]):
            if before in steps or long:
                yield block.line, "not what the block before it prints:\n" + (said[steps.index(before)] if before in steps else "")


def totals(page):
    counts = {}
    for block in page.blocks:
        if not block.hidden:
            counts[block.how] = counts.get(block.how, 0) + 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="blocks of the longer tier, too, and calibrations as they are")
    parser.add_argument("--table", action="store_true", help="print what becomes of each block, and execute none")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("mpiexec")
    parser.add_argument("pages", nargs="*", help="all of the clone by default")
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()
    found = [path.relative_to(source) for pattern in ("*.md", ".github/*.md", "*/**/*.md") for path in source.glob(pattern)]
    pages = [Page(source / name, str(name)) for name in sorted(found) if name.parts[0] not in ("build", ".git")]
    names, failed, sums = Names(source, build, arguments.mpiexec), 0, {}
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(pathlib.Path(folder), source, build, arguments.mpiexec, arguments.long)
        for page in pages:
            for how, count in totals(page).items():
                sums[how] = sums.get(how, 0) + count
            if arguments.pages and page.name not in arguments.pages:
                continue
            wrong = list(page_wrong(page, names, pages))
            if arguments.table:
                for block in page.blocks:
                    if not block.hidden:
                        print(f"{page.name}:{block.line}\t{block.how}\t{block.info}\t{(commands(block.text) or [''])[0][:80]}")
            elif not wrong:
                wrong = list(run_wrong(page, clone, arguments.long))
            if page.blocks or wrong:
                print(f"{page.name}: " + (", ".join(f"{count} {how}" for how, count in totals(page).items()) or "no blocks"), flush=True)
            for line, reason in wrong:
                print(f"    {line}: {reason}")
            failed += len(wrong)
    for reason in names.wrong_help() if arguments.long and not arguments.table else ():
        print(reason)
        failed += 1
    print("in all: " + ", ".join(f"{count} {how}" for how, count in sorted(sums.items(), key=lambda item: -item[1])))
    sys.exit(failed > 0)


main()
