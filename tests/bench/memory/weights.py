#!/usr/bin/env python3
"""How much memory core tasks of weights that all differ take in every command and rank.

    /usr/bin/python3 tests/bench/memory/weights.py [--tasks N]... [--each TASKS] [BUILD]

Core tasks that do nothing (`sleep`), in packages of --each (10) core tasks on two workers, by weights drawn anew; BUILD:
build/release. They are planned, simulated by the plan and by a rule with the weights beside it, run by both, and reported. Prints a table
for each N (1,000,000), which takes some ten minutes on a busy machine. All that it makes is in a temporary folder.
"""
import argparse
import json
import os
import pathlib
import random
import tempfile

from peaks import REPORTS, ROOT, WORKERS, cell, scow

COSTS = {"envelope": {"latency_s": 5e-6, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0}}
WORKER = {"count": WORKERS, "link": {"latency_s": 5e-6, "s_per_task": 1e-8},
          "receive": {"latency_s": 1e-5, "s_per_task": 0}, "compute": {"latency_s": 1e-6, "s_per_task": 1e-7},
          "output": {"latency_s": 1e-6, "s_per_task": 0}}


def job_make(folder, tasks, each):
    """A profile, whose packages have so many core tasks, and a file of weights."""
    window = {"tasks": [each, each], "workers": [WORKER], **COSTS}
    profile = {"schema": "scow-profile-1", "kernel": "sleep", "parameters": {"tasks": tasks},
               "settings": [{"windows": [window]}]}
    pathlib.Path(folder, "profile.json").write_text(json.dumps(profile), encoding="utf-8")
    dice = random.Random(1)
    with open(os.path.join(folder, "weights.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{dice.uniform(0.5, 1.5):.6f}\n" for _ in range(tasks))


def ranks_of(build, folder, output, *options):
    """The peaks of the master and of a worker in a run."""
    scow(build, folder, "run", "plan.json", "-p", "profile.json", "-q", "-o", output, *options, ranks=WORKERS + 1)
    scow(build, folder, "report", output, "--json")
    with open(os.path.join(folder, "said"), encoding="utf-8") as said:
        used = json.load(said)["memory_bytes"]
    return used["master"] / 1e6, used["rank"] / 1e6


def trial(build, tasks, each):
    """By name, as they come: peaks in MB, and bytes of files."""
    weights = ["--weights", "weights.txt"]
    with tempfile.TemporaryDirectory() as folder:
        job_make(folder, tasks, each)
        yield "plan", scow(build, folder, "plan", "-p", "profile.json", *weights, "-q", "-o", "plan.json")
        yield "its file", os.stat(os.path.join(folder, "plan.json")).st_size / 1e6
        yield "simulate", scow(build, folder, "simulate", "-p", "profile.json", "plan.json")
        yield "simulate a rule", scow(build, folder, "simulate", "-p", "profile.json", "-X", tasks, "-s", "fac", *weights)
        master, worker = ranks_of(build, folder, "out.h5")
        yield "master", master
        yield "worker", worker
        yield "output", os.stat(os.path.join(folder, "out.h5")).st_blocks * 512 / 1e6
        for name, options in REPORTS.items():
            if name != "--profile":
                yield f"report {name}", scow(build, folder, "report", "out.h5", *options)
        master, worker = ranks_of(build, folder, "rule.h5", "-s", "fac", *weights)
        yield "master by a rule", master
        yield "worker by a rule", worker


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--tasks", type=int, action="append", help="again for more")
    parser.add_argument("--each", type=int, default=10)
    options = parser.parse_args()
    for tasks in options.tasks or [1000000]:
        print(f"| {tasks} weights, {-(-tasks // options.each)} packages | |\n|---|---|")
        for name, value in trial(options.build.resolve(), tasks, options.each):
            print(f"| {name} | {cell(value, ' MB')} |", flush=True)


if __name__ == "__main__":
    main()
