#!/usr/bin/env python3
"""A tree of masters, measured beside what is predicted of it: workers that sleep what a profile says, and packages
whose latency on the one port is what takes time, under one master and in groups.

usage: tree.py SCOW MPIEXEC [--groups 0 2 3 4] [--ranks 15] [--tasks 150] [--runs 3]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

NOTHING = {"latency_s": 0, "s_per_task": 0}


def profile_of(workers):
    """A port that needs a while for each package, and workers that are alike."""
    each = {"count": workers, "link": {"latency_s": 1e-1, "s_per_task": 1e-4}, "receive": NOTHING,
            "compute": {"latency_s": 1e-2, "s_per_task": 5e-2}}
    window = {"tasks": [1, 100000], "envelope": NOTHING, "send": NOTHING, "workers": [each]}
    return {"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}


def options_read():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scow")
    parser.add_argument("mpiexec")
    parser.add_argument("--groups", type=int, nargs="+", default=[0, 2, 3, 4], help="0: one master")
    parser.add_argument("--ranks", type=int, default=15, help="beside rank 0")
    parser.add_argument("--tasks", type=int, default=150)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def call(*words):
    """Run to the end; what fails is told."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def measure(options, work, groups):
    """Seconds predicted, and measured in each run."""
    plan, measured = work / f"plan{groups}.json", []
    tree = ["--tree", groups] if groups > 0 else []
    call(options.scow, "plan", "-p", work / "profile.json", "-X", options.tasks, *tree, "-q", "-o", plan)
    for turn in range(options.runs):
        output = work / f"{groups}-{turn}.h5"
        call(options.mpiexec, "-n", options.ranks + 1, options.scow, "run", plan, "-q", "-o", output)
        measured.append(json.loads(call(options.scow, "report", output, "--json"))["measured_s"])
    return json.loads(plan.read_text())["predicted"]["makespan_s"], measured


def main():
    """A line for each number of groups."""
    options = options_read()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "profile.json").write_text(json.dumps(profile_of(options.ranks)))
        print("groups  predicted   measured (median)   error, each run")
        for groups in options.groups:
            predicted, measured = measure(options, work, groups)
            errors = " ".join(f"{100 * (seconds / predicted - 1):+.1f} %" for seconds in measured)
            print(f"{groups:6d}  {predicted:7.3f} s  {statistics.median(measured):7.3f} s            {errors}", flush=True)


if __name__ == "__main__":
    main()
