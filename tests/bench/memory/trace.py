#!/usr/bin/env python3
"""How much memory a run of very many packages takes, in its ranks and in the reports on it, and how much
of its output each package has.

    /usr/bin/python3 tests/bench/memory/trace.py [--packages N]... [BUILD]

Packages of one core task each, of a picture that is one pixel wide (BUILD: build/release). Prints a row
for each N (100,000 and 1,000,000); with h5py also one for the reports on the same packages as if `scow go`
had sent them, on 64 workers, whose plan is what was sent, and one as if the run had been stopped. Some
minutes, and 1.2 KB of a temporary folder for each package, most of it for --csv.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = 2
REPORTS = {"text": [], "--json": ["--json"], "--html": ["-q", "--html", "page.html"],
           "--csv": ["-q", "--csv", "events.csv"], "--chrome-trace": ["-q", "--chrome-trace", "events.json"],
           "--profile": ["-q", "--profile", "better.json"]}


def scow(build, folder, *arguments, ranks=0):
    """Its peak of memory in MB: of all ranks the greatest."""
    words = [str(build / "bin" / "scow"), *map(str, arguments)]
    if ranks:
        words = ["mpiexec.mpich", "-n", str(ranks), *words]
    environment = dict(os.environ, OMP_NUM_THREADS="1", HWLOC_PLUGINS_PATH="/nonexistent")
    with open(os.path.join(folder, "said"), "w", encoding="utf-8") as said:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(words)}: ended with {status}")
    return usage.ru_maxrss / 1e3


def plan_make(folder, packages):
    plan = {"schema": "scow-plan-1", "kernel": "mandelbrot", "scheduler": "single", "tasks": packages,
            "parameters": {"width": 1, "height": packages, "x-min": -2, "x-max": 2, "y-min": -2, "y-max": 2,
                           "iterations": 1},
            "workers": list(range(WORKERS)), "rounds": [{"repeat": packages // WORKERS, "loads": [1] * WORKERS}]}
    with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plan, file)


def as_sent(folder):
    """The same packages as those of a scow go, on any of 64 workers, with numbers that begin late."""
    with h5py.File(os.path.join(folder, "go.h5"), "r+") as output:
        output.attrs.create("surveyed", 1, dtype="i4")
        events = output["run/trace"][:]
        ranks = numpy.random.default_rng(1).integers(1, 65, size=int(events["package"].max()) + 1)
        worked = events["rank"] > 0
        events["rank"][worked] = ranks[events["package"][worked]]
        events["package"] += 7
        output["run/trace"][:] = events


def as_stopped(folder):
    with h5py.File(os.path.join(folder, "stopped.h5"), "r+") as output:
        output["run"].attrs.create("trace_cut", 1, dtype="i4")
        output.attrs.create("complete", 0, dtype="i4")


def others(build, folder):
    """Reports on runs of the same packages that left another plan, or none. Costs cannot be learned from these: who
    computes what in them nobody has done."""
    rows = {}
    for name, change in (("go", as_sent), ("stopped", as_stopped)):
        shutil.copy(os.path.join(folder, "out.h5"), os.path.join(folder, f"{name}.h5"))
        change(folder)
        rows[name] = {kind: scow(build, folder, "report", f"{name}.h5", *options) for kind, options in REPORTS.items()
                      if kind != "--profile"}
    return rows


def trial(build, packages):
    with tempfile.TemporaryDirectory() as folder:
        scow(build, folder, "calibrate", "-k", "mandelbrot", "--width", 1, "--height", packages, "--iterations", 1,
             "--write-behind", "no", "--budget", "2s", "-q", "-o", "profile.json", ranks=WORKERS + 1)
        plan_make(folder, packages)
        scow(build, folder, "run", "plan.json", "-p", "profile.json", "-q", "-o", "out.h5", ranks=WORKERS + 1)
        size = os.stat(os.path.join(folder, "out.h5")).st_blocks * 512  # it has holes
        reports = {name: scow(build, folder, "report", "out.h5", *options) for name, options in REPORTS.items()}
        scow(build, folder, "report", "out.h5", "--json")
        with open(os.path.join(folder, "said"), encoding="utf-8") as said:
            used = json.load(said)["memory_bytes"]
        more = others(build, folder) if h5py else {}
    return size / packages, used, reports, more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--packages", type=int, action="append", help="again for more")
    options = parser.parse_args()
    print("| packages | bytes of the output a package | master | worker | " +
          " | ".join(f"report {name}" for name in REPORTS) + " |\n|" + "---|" * (4 + len(REPORTS)))
    for packages in options.packages or [100000, 1000000]:
        size, used, reports, more = trial(options.build.resolve(), packages)
        print(f"| {packages} | {size:.0f} | {used.get('master', 0) / 1e6:.0f} MB | {used['rank'] / 1e6:.0f} MB | " +
              " | ".join(f"{peak:.0f} MB" for peak in reports.values()) + " |", flush=True)
        for name, peaks in more.items():
            print(f"| {packages}, {name} | | | | " + " | ".join(f"{peak:.0f} MB" for peak in peaks.values()) + " | |",
                  flush=True)


if __name__ == "__main__":
    main()
