#!/usr/bin/env python3
"""Manual pages are true: their examples work, and of sections 3 and 5 nothing is missing.

usage: man_examples.py SOURCE BINARIES COMPILER MPIEXEC

Every block of an EXAMPLE is a program, which is written to the file that the page names behind it, or
commands, which are executed: the plug-in of scow-plugin(3) is compiled and run, the profile of
scow-files(5) is planned with. All callbacks and members of scow.h's tables are in the one, all keys and names that sources read and
write in the other.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, binaries, compiler, mpiexec = pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:5]
pages = {path.name: path.read_text() for path in [source / "planner/command/scow.1", *(source / "jobs/package/man").glob("scow-*.?")]}
PROGRAMS = {"scow-plugin.3": "squares.c", "scow-files.5": "profile.json"}
wrong = []


def plain(roff):
    """Text without fonts and escapes."""
    text = re.sub(r"\\f[RBIP]", "", roff).replace(r"\-", "-").replace(r"\e", "\\")
    assert not re.search(r"\\[^(\"sutn]", text), "an escape that nobody here knows"
    return text


def examples(page):
    """Its blocks that are set as they are, behind the heading EXAMPLE or EXAMPLES."""
    _, *behind = re.split(r"^\.SH EXAMPLES?$", pages[page], maxsplit=1, flags=re.M)
    return [plain(block) for block in re.findall(r"^\.nf\n(.*?)^\.fi$", "".join(behind), re.M | re.S)]


def execute(page, blocks):
    """What commands print, by this build's programs; the test ends where one fails."""
    tools = {"cc": f"command '{compiler}' -Wall -Wextra -Werror", "mpiexec": f"command '{mpiexec}'", "pkg-config": f"echo '-I{source}/kernel' #"}
    script = "set -e\n" + "".join(f'{name}() {{ {call} "$@"\n}}\n' for name, call in tools.items()) + "".join(blocks)
    environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          cwd=folder, env=environment)
    if done.returncode != 0:
        sys.exit(f"{page}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def members(structure):
    """Names of a structure's members in scow.h."""
    body = re.search(rf"^struct {structure} {{$(.*?)^}};", (source / "kernel/scow.h").read_text(), re.M | re.S)[1]
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
    return set(re.findall(r"\(\*(\w+)\)", body)) | set(re.findall(r"(\w+)(?:\[\d\])?[;,]", re.sub(r"\([^;]*\)", "", body)))


def expect(page, names, what):
    """All of them are words of the page."""
    words = set(re.findall(r"[\w/]+", plain(pages[page])))
    wrong.extend(f"{page}: does not name {name}, {what}" for name in sorted(names - words))


callbacks = set(re.findall(r"\(\*(\w+)\)\(", (source / "kernel/scow.h").read_text()))
expect("scow-plugin.3", callbacks, "a callback of scow.h")
expect("scow-plugin.3", members("scow_results") - {"grid_picture"}, "a member of struct scow_results")
for name in ("profile_json.c", "plan_json.c"):
    text = (source / "planner/files" / name).read_text()
    keys = set(re.findall(r'\{"([a-z_0-9]+)",\s*FIELD_', text))
    assert len(keys) > 8
    expect("scow-files.5", keys, f"a key of {name}")
status = (source / "planner/files/status.c").read_text()
expect("scow-files.5", set(re.findall(r'\{"([a-z_0-9]+)", (?:true|false)\}', status)), "a key of status.c")
layout = (source / "spmd/layout/layout.h").read_text()
names = set(re.findall(r'#define LAYOUT_\w+ "([^"]+)"', layout))
assert len(names) > 50 and len(callbacks) > 25
expect("scow-files.5", names - {"/run", "/run/part"}, "a name of layout.h")

said = {}
for page in pages:
    blocks = examples(page)
    if not blocks:
        continue
    with tempfile.TemporaryDirectory() as folder:
        if page in PROGRAMS:
            (pathlib.Path(folder) / PROGRAMS[page]).write_text(blocks.pop(0))
        said[page] = execute(page, blocks)
        if page == "scow-plugin.3":
            said[page] += execute(page, ["scow show squares.h5\n"])
for page, words in {"scow.1": "100001: 11 9091", "scow-plugin.3": "333332833333500000", "scow-files.5": "makespan"}.items():
    if words not in said.get(page, ""):
        wrong.append(f"{page}: its examples do not print {words}: {said.get(page)}")

print(*wrong, sep="\n")
sys.exit(1 if wrong else 0)
