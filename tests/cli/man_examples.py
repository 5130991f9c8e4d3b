#!/usr/bin/env python3
"""The manual pages of sections 3 and 5 are true: their examples work, and nothing is missing.

usage: man_examples.py SOURCE BINARIES COMPILER MPIEXEC

The plug-in of scow-plugin(3) is compiled and run, the profile of scow-files(5) is planned with. All
callbacks and members of scow.h's tables are in the one, all keys and names that sources read and
write in the other.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

source, binaries, compiler, mpiexec = pathlib.Path(sys.argv[1]), *sys.argv[2:5]
pages = {page: (source / "jobs/package/man" / page).read_text() for page in ("scow-plugin.3", "scow-files.5")}
wrong = []


def plain(roff):
    """Text without fonts and escapes."""
    text = re.sub(r"\\f[RBIP]", "", roff).replace(r"\-", "-").replace(r"\e", "\\")
    assert not re.search(r"\\[^(\"sutn]", text), "an escape that nobody here knows"
    return text


def examples(page):
    """Its blocks that are set as they are, behind the heading EXAMPLE."""
    return [plain(block) for block in re.findall(r"^\.nf\n(.*?)^\.fi$", page.split(".SH EXAMPLE")[1], re.M | re.S)]


def run(*command, **options):
    """What it prints; the test ends where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
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

with tempfile.TemporaryDirectory() as folder:
    environment = os.environ | {"PATH": f"{binaries}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    program, _ = examples(pages["scow-plugin.3"])
    (pathlib.Path(folder) / "squares.c").write_text(program)
    run(compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{source}/kernel", "squares.c",
        "-o", "squares.so", cwd=folder)
    run(mpiexec, "-n", "3", "scow", "go", "-k", "./squares.so", "-o", "squares.h5", cwd=folder, env=environment)
    said = run("scow", "show", "squares.h5", cwd=folder, env=environment)
    if "333332833333500000" not in said:
        wrong.append(f"scow-plugin.3: the example's sum is wrong: {said}")
    profile, _ = examples(pages["scow-files.5"])
    (pathlib.Path(folder) / "profile.json").write_text(profile)
    said = run("scow", "plan", "-p", "profile.json", "-X", "1000", cwd=folder, env=environment)
    if not re.search(r"makespan", said):
        wrong.append(f"scow-files.5: the example's plan: {said}")

print(*wrong, sep="\n")
sys.exit(1 if wrong else 0)
