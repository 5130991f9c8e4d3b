"""Files call each other one way only: a reader can begin with the lowest. A circle that is one idea is allowed here, and
says why in its text.

    python3 tests/house/circles.py [FOLDER]        FOLDER: another checkout to look at
"""
import collections
import graphlib
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
# What occupies the waiting master is itself waited for (spmd/master/master_waiting.c).
ALLOWED = [{"spmd/master/master_waiting.c", "spmd/master/master_collecting.c", "spmd/master/master_ports.c"}]
UNREAD = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)
PROTOTYPE = re.compile(r"^(?!static|typedef|enum|union|extern|#)[a-z][\w *]*?\b(\w+)\([^;{}]*\);", re.M)
DEFINITION = re.compile(r"^(static )?[a-z][\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)

sources = {}
for folder in ("planner", "kernel", "spmd", "calibrate"):
    for path in (root / folder).rglob("*.[ch]"):
        sources[str(path.relative_to(root))] = UNREAD.sub("", path.read_text(encoding="utf-8"))
declared = {name for path, text in sources.items() if path.endswith(".h") for name in PROTOTYPE.findall(text)}
defined, own = collections.defaultdict(set), collections.defaultdict(set)
for path, text in sources.items():
    for static, name in DEFINITION.findall(text) if path.endswith(".c") else ():
        own[path].add(name)
        if not static and name in declared:
            defined[name].add(path)


def calls():
    """Which file uses which functions of which other one. A function that several files define, as a program's own form
    of it, leads nowhere."""
    found = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, text in sources.items():
        for name in set(re.findall(r"\w+", text)) & set(defined) - own[path] if path.endswith(".c") else ():
            if len(defined[name]) == 1:
                found[path][next(iter(defined[name]))].add(name)
    return found


edges = calls()
together = {path: ", ".join(sorted(circle)) for circle in ALLOWED for path in circle}
graph = collections.defaultdict(set)
for path, targets in edges.items():
    graph[together.get(path, path)] |= {together.get(t, t) for t in targets} - {together.get(path, path)}
if len(edges) < 300 or not all(path in sources for path in together):
    sys.exit(f"{root}: {len(edges)} files that call others are too few, or a circle that is allowed is not there")
try:
    graphlib.TopologicalSorter(graph).prepare()
except graphlib.CycleError as error:
    circle = error.args[1][::-1]
    for caller, called in zip(circle, circle[1:]):
        names = edges[caller][called] if called in edges.get(caller, ()) else "?"
        print(f"{caller} -> {called}: {', '.join(sorted(names))}")
    sys.exit("these files call each other in a circle: move what is shared below both")
print(f"{len(edges)} files call others, in no circle that is not explained")
