#!/usr/bin/env python3
"""Every source of the product passes clang-tidy with .clang-tidy, as the build compiles it.

usage: tidy.py BUILD [--all] [--deep]

A source that has passed is looked at again only when something has changed: itself, what it
includes (as ninja knows from its last build; with other generators all are looked at), how it is
compiled, or the rules. In a build folder where none has passed yet, as in a fresh clone, these are
those whose turn it is (turns.py), and one that includes each header that the last commits changed.
--all: all of them, as where git cannot tell. Other versions than 14 have other checks. In the suite
the static analyser follows 2,000 steps of a function, which takes a twentieth of the time; with
--deep as many as it does by itself, 225,000, in all sources.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # beside the sources

import turns  # noqa: E402

ROOMS = ("calibrate", "kernel", "planner", "spmd")
SKIPPED = 77
# Assertions tell the analyser what cannot be, so they are there whatever the build does.
OPTIONS = ["--quiet", "--extra-arg=-UNDEBUG"]
GROUP_MOST = 16  # sources of a process
SHALLOW = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=2000")]


def linter_find():
    """The program and its version; ends the test where there is none."""
    for name in ("clang-tidy-14", "clang-tidy"):
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, check=True).stdout
            if b"version 14." in version:
                return name, version
    print("clang-tidy 14 is not installed")
    sys.exit(SKIPPED)


def sources_find(build, root):
    """The product's sources, each once, with its compiler's command."""
    places = tuple(os.path.join(root, room, "") for room in ROOMS)
    commands = json.loads((build / "compile_commands.json").read_text())
    return {c["file"]: c for c in commands if c["file"].startswith(places)}


def includes_find(build):
    """The files that each object was made from, by its path in the build; none: ninja has not made them."""
    files, found = {}, None
    if not shutil.which("ninja"):
        return files
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True,
                               text=True, check=False).stdout.splitlines():
        if ": #deps " in line:
            found = files.setdefault(line.split(":")[0], []) if line.endswith("(VALID)") else []
        elif line.startswith("    "):
            found.append(build / line.strip())
    return files


@functools.lru_cache(None)
def file_digest(path):
    """Of a header that is gone, though the last build was made with it: none."""
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""


def digest(entry, files, rules):
    """Of all that a verdict depends on."""
    whole = hashlib.sha256(rules + entry["command"].encode())
    for path in files:
        whole.update(str(path).encode() + file_digest(path))
    return whole.hexdigest()


def part_find(sources, files_of, root):
    """Of the sources of a fresh clone, those to look at; all, where git cannot tell."""
    changed, is_turn = turns.changed_find(), turns.turn_find()
    if changed is None or is_turn is None:
        return list(sources)
    headers, part = {os.path.join(root, name) for name in changed if name.endswith(".h")}, []
    for source in sources:
        name, included = os.path.relpath(source, root), headers & {os.path.normpath(file) for file in files_of(source)}
        if name in changed or included or is_turn(name):
            part.append(source)
            headers -= included
    return part


def groups_make(sources):
    """Lists of sources for a process each: start and libraries take half as long as a source. What is seen of va_list
    in one is taken into the next, so that who has one is alone."""
    alone = [source for source in sources if b"va_list" in pathlib.Path(source).read_bytes()]
    shared = [source for source in sources if source not in alone]
    count = max(os.cpu_count(), (len(shared) + GROUP_MOST - 1) // GROUP_MOST)
    return [[source] for source in alone] + [group for k in range(count) if (group := shared[k::count])]


class Linter:
    """clang-tidy with its options, over a build's sources."""

    def __init__(self, build, deep):
        self.name, version = linter_find()
        self.build = build
        self.options = OPTIONS + ([] if deep else SHALLOW)
        self.rules = version + pathlib.Path(".clang-tidy").read_bytes() + " ".join(self.options).encode()

    def says(self, sources):
        """"": nothing."""
        run = subprocess.run([self.name, *self.options, "-p", str(self.build), *sources],
                             capture_output=True, text=True, check=False)
        return "" if run.returncode == 0 else run.stdout or run.stderr

    def findings(self, sources):
        """What it says of each source that it finds something in; only what it finds in a source alone counts."""
        said = self.says(sources)
        if not said or len(sources) == 1:
            return {sources[0]: said} if said else {}
        return {source: said for source in sources if (said := self.says([source]))}


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0
    build, root = pathlib.Path(sys.argv[1]).resolve(), os.getcwd()
    deep = "--deep" in sys.argv[2:]
    linter = Linter(build, deep)
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    fresh = not (deep or "--all" in sys.argv[2:] or any(passed.iterdir()))
    includes, sources = includes_find(build), sources_find(build, root)

    def files_of(name):
        """What the source's object was made from; none where nobody knows."""
        command = shlex.split(sources[name]["command"])
        return includes.get(command[command.index("-o") + 1], [])

    def mark_of(name):
        """The file that is there where the source has passed as it is; none where nobody knows what it includes."""
        files = files_of(name)
        return passed / digest(sources[name], files, linter.rules) if files else None

    marks = {name: mark_of(name) for name in sorted(sources)}
    left = [name for name, mark in marks.items() if not (mark and mark.exists())]
    if fresh:
        left = part_find(left, files_of, root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = {name: said for found in pool.map(linter.findings, groups_make(left)) for name, said in found.items()}
    for name in left:
        if marks[name] and name not in findings:
            marks[name].touch()
    for mark in set(passed.iterdir()) - set(marks.values()):
        mark.unlink()
    print(*findings.values(), sep="\n", end="")
    print(f"{len(sources)} sources, {len(left)} looked at, {len(findings)} with findings")
    return 1 if findings or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
