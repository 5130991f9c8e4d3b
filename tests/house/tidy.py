#!/usr/bin/env python3
"""Every source of the product passes clang-tidy with .clang-tidy, as the build compiles it.

usage: tidy.py BUILD [--deep]

A source that has passed is looked at again only when something has changed: itself, what it
includes (as ninja knows from its last build; with other generators all are looked at), how it is
compiled, or the rules. Other versions than 14 have other checks. In the suite the static analyser
follows 2,000 steps of a function, which takes a twentieth of the time; with --deep as many as it
does by itself, 225,000.
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

ROOMS = ("calibrate", "kernel", "planner", "spmd")
SKIPPED = 77
# Assertions tell the analyser what cannot be, so they are there whatever the build does.
OPTIONS = ["--quiet", "--extra-arg=-UNDEBUG"]
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
    return hashlib.sha256(path.read_bytes()).digest()


def digest(entry, files, rules):
    """Of all that a verdict depends on."""
    whole = hashlib.sha256(rules + entry["command"].encode())
    for path in files:
        whole.update(str(path).encode() + file_digest(path))
    return whole.hexdigest()


def main():
    build, root = pathlib.Path(sys.argv[1]).resolve(), os.getcwd()
    linter, version = linter_find()
    options = OPTIONS + ([] if "--deep" in sys.argv[2:] else SHALLOW)
    rules = version + pathlib.Path(".clang-tidy").read_bytes() + " ".join(options).encode()
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    includes = includes_find(build)

    def look(entry):
        """What clang-tidy says of a source; None where nothing has changed since it passed."""
        command = shlex.split(entry["command"])
        files = includes.get(command[command.index("-o") + 1])
        mark = passed / digest(entry, files, rules) if files else None
        if mark and mark.exists():
            return mark, None
        # One source at a time: several in one process disturb each other's analysis.
        run = subprocess.run([linter, *options, "-p", str(build), entry["file"]],
                             capture_output=True, text=True, check=False)
        if run.returncode == 0:
            if mark:
                mark.touch()
            return mark, ""
        return mark, run.stdout or run.stderr

    sources = sources_find(build, root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(look, (sources[name] for name in sorted(sources))))
    for mark in set(passed.iterdir()) - {mark for mark, _ in verdicts}:
        mark.unlink()
    findings = [said for _, said in verdicts if said]
    print(*findings, sep="\n", end="")
    looked = sum(said is not None for _, said in verdicts)
    print(f"{len(sources)} sources, {looked} looked at, {len(findings)} with findings")
    return 1 if findings or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
