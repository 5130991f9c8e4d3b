#!/usr/bin/env python3
"""Of the files that a check looks at, those whose turn it is.

usage: turns.py [--all] [-z] <FILES >THOSE         names from the root of the repository, one a line (-z: as of find -print0)

What passed in the folder of who changed it need not be looked at again for every later change: these are the files that
differ from the last commit or that the last ten commits changed, and of the others a twelfth in turn, by the number of
commits. All of them, where git cannot tell and with --all. Who turns is told by names, so that a new file moves no other one.
"""
import subprocess
import sys
import zlib

TURNS, RECENT = 12, 10  # parts of the files, and commits


def git_says(*words):
    """Its answer's lines; None: this is no clone."""
    run = subprocess.run(["git", *words], capture_output=True, text=True, check=False)
    return run.stdout.splitlines() if run.returncode == 0 else None


def changed_find():
    """The names of what differs and of what the last commits changed; None: git cannot tell."""
    answers = [git_says("diff", "--name-only", "HEAD"), git_says("ls-files", "--others", "--exclude-standard"),
               git_says("log", f"-{RECENT}", "--name-only", "--format=")]
    return None if None in answers else {name for answer in answers for name in answer}


def turn_find():
    """What says whether it is a name's turn; None: git cannot tell."""
    count = git_says("rev-list", "--count", "HEAD")
    return None if count is None else lambda name: zlib.crc32(name.encode()) % TURNS == int(count[0]) % TURNS


def main():
    end = "\0" if "-z" in sys.argv[1:] else "\n"
    names = [name.removeprefix("./") for name in sys.stdin.read().split(end) if name]
    changed, is_turn = changed_find(), turn_find()
    if "--all" not in sys.argv[1:] and changed is not None and is_turn is not None:
        names = [name for name in names if name in changed or is_turn(name)]
    sys.stdout.write("".join(name + end for name in names))


if __name__ == "__main__":
    main()
