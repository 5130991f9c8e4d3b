#!/usr/bin/env python3
"""What a master gains that computes: the same job on the same cores with a master that only sends and with one
that computes, too, one after the other in turn. Three ranks on two cores are two workers, and a master that leaves
them its share of both; two ranks are a worker and a master with a core each.

Core tasks are motif search, which has no memory to speak of, and cost the same.

usage: computing.py SCOW MPIEXEC [--ranks 3] [--runs 5] [--grain 10000000]
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


SEQUENCES, LETTERS, LENGTH = 7, 40, 8


def sequences_write(path):
    """Random ones, the same every time."""
    chance = random.Random(1)
    path.write_text("".join(f">{k}\n{''.join(chance.choices('acgt', k=LETTERS))}\n" for k in range(SEQUENCES)))


def options_read():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scow")
    parser.add_argument("mpiexec")
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--grain", type=int, default=10_000_000, help="of a core task: tuples of positions")
    return parser.parse_args()


def call(*words, **more):
    """Run to the end; what fails is told."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def makespan_of(scow, output):
    """Measured seconds of a run."""
    return json.loads(call(scow, "report", output, "--json"))["measured_s"]


def main():
    """Calibrate once, plan twice, run in turn, and tell medians."""
    options = options_read()
    task = ["-k", "motif", "--length", LENGTH, "--search", "brute-force", "--grain", options.grain]
    ranks = [options.mpiexec, "-n", options.ranks, options.scow]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        given = ["-i", work / "sequences.fa"]
        sequences_write(given[1])
        call(*ranks, "calibrate", *task, *given, "--master-computes", "--budget", "20s", "-q", "-o", work / "profile.json")
        plans = {"only sends": [], "computes": ["--master-computes"]}
        times = {kind: [] for kind in plans}
        for kind, asked in plans.items():
            call(options.scow, "plan", "-p", work / "profile.json", *given, *(asked or ["--masters", "1"]), "-q", "-o",
                 work / f"{kind}.json")
        for turn in range(options.runs):
            for kind in plans:
                output = work / f"{kind}{turn}.h5"
                call(*ranks, "run", work / f"{kind}.json", *given, "-q", "-o", output)
                times[kind].append(makespan_of(options.scow, output))
        for kind, asked in plans.items():
            plan = json.loads((work / f"{kind}.json").read_text())
            own = plan.get("master", {}).get("tasks", 0)
            print(f"{kind:10s}  {own:5.0f} core tasks by the master, predicted {plan['predicted']['makespan_s']:.3f} s, "
                  f"median of {options.runs} runs {statistics.median(times[kind]):.3f} s")
        gain = 1 - statistics.median(times["computes"]) / statistics.median(times["only sends"])
        print(f"a master that computes saves {100 * gain:.1f} %")


if __name__ == "__main__":
    main()
