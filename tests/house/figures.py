"""Figures of the sources: what a reviewer counts by hand. Printed, never compared: no test.

    bash tests/house/figures.sh [FOLDER]        FOLDER: another checkout to count
"""
import collections
import pathlib
import re
import statistics
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
PRODUCT = ("planner", "kernel", "spmd", "calibrate")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
FUNCTION = re.compile(r"^(?!static|typedef|struct [a-z_]+ \{|enum|union|extern|#)[a-z][\w *]*?\b(\w+)\([^;{}]*\);", re.M)
# What is added to a table when one more is made: the file of the table, and what else has to know.
PARTS = {
    "a scheduler": ("planner/schedulers/scheduler.c", "umr2_make"),
    "a rule for packages on request": ("planner/dispatch/dispatch_rule.c", "fiss_chunk"),
    "an input format": ("spmd/input/image.c", "image_npy"),
    "a core task": ("kernel/tasks/table.c", "motif_task"),
    "an operation": ("planner/model/trace.h", "OPERATION_ANSWER"),
}


def sources(*folders):
    return sorted(p for f in folders for p in (root / f).rglob("*.[ch]"))


def code_lines(text):
    return [line for line in COMMENT.sub("", text).splitlines() if line.strip()]


def functions(text):
    """Lines of each function, braces on lines of their own as clang-format puts them."""
    start, sizes = None, []
    for number, line in enumerate(text.splitlines()):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            sizes.append(number - start - 1)
            start = None
    return sizes


texts = {p: p.read_text(encoding="utf-8") for p in sources(*PRODUCT)}
tests = {p: p.read_text(encoding="utf-8") for p in sources("tests")}


def rooms():
    lines, files, notes = collections.Counter(), collections.Counter(), collections.Counter()
    for path, text in texts.items():
        room = str(path.parent.relative_to(root))
        files[room] += 1
        lines[room] += len(code_lines(text))
        notes[room] += len(text.splitlines()) - len(code_lines(text)) - text.count("\n\n")
    print(f"{'room':32}{'files':>7}{'lines of code':>15}{'of comments':>13}")
    for room in sorted(lines):
        print(f"{room:32}{files[room]:7}{lines[room]:15}{notes[room]:13}")
    print(f"{'all':32}{sum(files.values()):7}{sum(lines.values()):15}{sum(notes.values()):13}")


def sizes():
    found = sorted(s for text in texts.values() for s in functions(text))
    files = sorted(len(t.splitlines()) for t in texts.values())
    print(f"functions: {len(found)}, median {statistics.median(found):g} lines, "
          f"p90 {found[int(0.9 * len(found))]}, longest {found[-1]}")
    print(f"files: {len(files)}, p90 {files[int(0.9 * len(files))]} lines, longest {files[-1]}")


JOINED_MOST = 20  # files that are named


def prototypes():
    """Those of product headers that exactly one other product file uses; how many of them no test calls either, and
    how many of these a file of the same room uses: only these could be static. And the smallest files all of whose
    prototypes one and the same file uses: where they are of one idea, they are one file. What nobody uses is named."""
    words = {p: set(re.findall(r"\w+", COMMENT.sub("", t))) for p, t in texts.items()}
    tested = set().union(*(re.findall(r"\w+", COMMENT.sub("", t)) for t in tests.values()))
    users, untested, inner, single, unused = collections.Counter(), 0, 0, [], []
    for path, text in texts.items():
        callers, names = set(), FUNCTION.findall(COMMENT.sub("", text)) if path.suffix == ".h" else []
        for name in names:
            own = {path, path.with_suffix(".c")}
            where = {p for p, w in words.items() if name in w and p not in own}
            defined = {p for p in where if re.search(rf"^[a-z][\w *]*\b{name}\([^;]*?\)\n\{{", texts[p], re.M)}
            users[min(len(where - defined), 2)] += 1
            if len(where - defined) == 1 and name not in tested:
                untested += 1
                inner += min(where - defined).parent == path.parent
            callers |= where - defined
            here = sum(len(re.findall(rf"\b{name}\b", COMMENT.sub("", texts[p]))) for p in own | defined if p in texts)
            unused += [name] if not where - defined and here <= 2 and name not in tested else []
        if len(callers) == 1 and path.with_suffix(".c") in texts:
            single.append((len(texts[path.with_suffix(".c")].splitlines()), path.with_suffix(".c"), callers.pop()))
    total = sum(users.values())
    print(f"prototypes: {total}, with one other user in the product {users[1]} ({100 * users[1] / total:.0f} %); of "
          f"these not called by a test either {untested} ({100 * untested / total:.0f} %), and used within their room {inner} "
          f"({100 * inner / total:.0f} % of all could be static)")
    print(f"prototypes with no other user {users[0]}; used nowhere: {', '.join(unused) or 'none'}")
    print(f"files that one other file alone uses: {len(single)}; the smallest:")
    for lines, path, caller in sorted(single)[:JOINED_MOST]:
        print(f"    {path.relative_to(root)}: {lines} lines, for {caller.relative_to(root)}")


def mentions():
    mpi = {p: len(re.findall(r"\bMPI_\w+", STRING.sub("", COMMENT.sub("", t)))) for p, t in texts.items()}
    outside = {p: n for p, n in mpi.items() if n and "transport" not in p.parts}
    print(f"MPI names outside spmd/transport: {sum(outside.values())}")
    for path, count in sorted(outside.items(), key=lambda item: -item[1]):
        print(f"    {path.relative_to(root)}: {count}")
    loops = [p for p, t in texts.items() if re.search(r"\bstar_send\(", COMMENT.sub("", t)) and p.suffix == ".c"]
    print(f"loops that simulate packages (callers of star_send): {len(loops)}: "
          + ", ".join(str(p.relative_to(root)) for p in loops))


def parts():
    for what, (table, name) in PARTS.items():
        if not (root / table).exists():
            continue
        found = [p for p, t in texts.items() if re.search(rf"\b{name}\w*", COMMENT.sub("", t))]
        cmake = [p for f in PRODUCT for p in (root / f).rglob("CMakeLists.txt") if name.split("_")[0] in p.read_text()]
        print(f"files that know of {what} ({name}): {len(found)} and {min(1, len(cmake))} of CMake")


rooms()
sizes()
prototypes()
mentions()
parts()
print(f"tests: {len(tests)} C files, {sum(len(code_lines(t)) for t in tests.values())} lines of code")
