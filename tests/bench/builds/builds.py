#!/usr/bin/env python3
"""Whether another build of scow is faster: packages of a single core task handed out, and the start of
commands and of a run, by both in turns.

    /usr/bin/python3 tests/bench/builds/builds.py [--runs N] [--packages N] OTHER [BUILD]

OTHER and BUILD (build/release) are directories with bin/scow and bin/scow-planner: those of an earlier
commit and of this one, say, made by 'git worktree add DIRECTORY COMMIT' and the same preset. The core tasks
are rows of eight pixels (`mandelbrot`), a package each; a master and two workers on MPI. Prints for each
case the medians of N runs (8): seconds from start to end and of all processors, with what this build takes
over what the other does. A minute with 30,000 packages.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = 2
# As many as are too short to be measured alone.
COMMANDS = 20


def plan_write(path, packages):
    path.write_text(json.dumps({
        "schema": "scow-plan-1", "kernel": "mandelbrot", "scheduler": "single", "tasks": packages,
        "parameters": {"width": 8, "height": packages, "iterations": 10}, "workers": list(range(WORKERS)),
        "rounds": [{"repeat": packages // WORKERS, "loads": [1] * WORKERS}]}), encoding="utf-8")


def processors_s():
    """Of all processes that have been started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(folder, words, times=1):
    """Seconds from start to end and of all processors, each time."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive")
    worked_s, start_s = processors_s(), time.monotonic()
    for _ in range(times):
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}\n{done.stderr}")
    return (time.monotonic() - start_s) / times, (processors_s() - worked_s) / times


def planned(folder, build, plan):
    (folder / "out.h5").unlink(missing_ok=True)
    return timed(folder, ["mpiexec.mpich", "-n", str(WORKERS + 1), build / "bin" / "scow", "run", plan, "-q", "-o",
                          "out.h5"])


def cases(packages):
    """By name: what measures a build."""
    return {
        f"{packages} packages of a core task": lambda folder, build: planned(folder, build, "many.json"),
        f"{WORKERS} packages: the start of a run": lambda folder, build: planned(folder, build, "few.json"),
        "scow --version": lambda folder, build: timed(folder, [build / "bin" / "scow", "--version"], COMMANDS),
        "scow-planner simulate --help": lambda folder, build: timed(
            folder, [build / "bin" / "scow-planner", "simulate", "--help"], COMMANDS),
    }


def compared(folder, measure, builds, runs):
    """For each build the medians of its times; one more run of each comes before, for what is then in memory."""
    times = {build: [] for build in builds}
    for k in range(runs + 1):
        for build in builds if k % 2 else reversed(builds):
            one = measure(folder, build)
            if k > 0:
                times[build].append(one)
    return [[statistics.median(column) for column in zip(*times[build])] for build in builds]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--packages", type=int, default=30000, help=f"a multiple of {WORKERS}")
    options = parser.parse_args()
    builds = [options.other.resolve(), options.build.resolve()]
    if builds[0] == builds[1]:
        sys.exit("OTHER and BUILD are the same directory")
    print("| | other | this | over | processors, other | this | over |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        plan_write(folder / "many.json", options.packages)
        plan_write(folder / "few.json", WORKERS)
        for name, measure in cases(options.packages).items():
            other, this = compared(folder, measure, builds, options.runs)
            columns = [f"{a:.3f} s | {b:.3f} s | {b / a:.2f}" for a, b in zip(other, this)]
            print(f"| {name} | {' | '.join(columns)} |", flush=True)


if __name__ == "__main__":
    main()
