#!/usr/bin/env python3
"""Masters side by side, measured beside what is predicted of them: eight workers that sleep what a profile says, and
a master that takes a quarter of what a worker takes for each core task, so that one feeds four of them.

usage: side.py SCOW MPIEXEC [--masters 1 2 3] [--workers 8] [--tasks 400] [--runs 5]
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
    """A slow master, and workers that are alike."""
    each = {"count": workers, "link": {"latency_s": 1e-4, "s_per_task": 0}, "receive": NOTHING,
            "compute": {"latency_s": 1e-2, "s_per_task": 2e-2}}
    window = {"tasks": [1, 1000], "envelope": {"latency_s": 5e-3, "s_per_task": 5e-3}, "send": NOTHING, "workers": [each]}
    return {"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}


def options_read():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scow")
    parser.add_argument("mpiexec")
    parser.add_argument("--masters", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    return parser.parse_args()


def call(*words):
    """Run to the end; what fails is told."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def measure(options, work, masters):
    """Seconds predicted, and measured in each run."""
    plan, measured = work / f"plan{masters}.json", []
    ranks = options.workers + masters
    call(options.scow, "plan", "-p", work / "profile.json", "-X", options.tasks, "-n", ranks - 1, "--masters", masters,
         "-q", "-o", plan)
    for turn in range(options.runs):
        output = work / f"{masters}-{turn}.h5"
        call(options.mpiexec, "-n", ranks, options.scow, "run", plan, "-q", "-o", output)
        measured.append(json.loads(call(options.scow, "report", output, "--json"))["measured_s"])
    return json.loads(plan.read_text())["predicted"]["makespan_s"], measured


def main():
    """A line for each number of masters."""
    options = options_read()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "profile.json").write_text(json.dumps(profile_of(options.workers + max(options.masters))))
        print("masters  predicted   measured (median)   error, each run")
        for masters in options.masters:
            predicted, measured = measure(options, work, masters)
            errors = " ".join(f"{100 * (seconds / predicted - 1):+.1f} %" for seconds in measured)
            print(f"{masters:7d}  {predicted:7.3f} s  {statistics.median(measured):7.3f} s            {errors}", flush=True)


if __name__ == "__main__":
    main()
