"""The most memory that a command has had, for the measurements beside this file. Modules that take much
themselves are imported after this one is used, or not at all: a child's peak is at least its parent's memory."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = 2
STOPPED = 75  # the exit status of a run that has something left to do
REPORTS = {"text": [], "--json": ["--json"], "--html": ["-q", "--html", "page.html"],
           "--csv": ["-q", "--csv", "/dev/null"], "--chrome-trace": ["-q", "--chrome-trace", "events.json"],
           "--profile": ["-q", "--profile", "better.json"]}


def scow(build, folder, *arguments, ranks=0, stopped=False):
    """Its peak of memory in MB: of all ranks the greatest. It ends as it should, which may be early."""
    words = [str(build / "bin" / "scow"), *map(str, arguments)]
    if ranks:
        words = ["mpiexec.mpich", "-n", str(ranks), *words]
    environment = dict(os.environ, OMP_NUM_THREADS="1", HWLOC_PLUGINS_PATH="/nonexistent")
    with open(os.path.join(folder, "said"), "w", encoding="utf-8") as said:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in ((0, STOPPED) if stopped else (0,)):
        sys.exit(f"{' '.join(words)}: ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_maxrss / 1e3


def cell(number, unit=""):
    return f"{number:.0f}{unit}" if number else ""
