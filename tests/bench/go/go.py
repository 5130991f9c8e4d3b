#!/usr/bin/env python3
"""What measuring while working costs: jobs of a minute by scow go, beside calibrating, planning and running
them, with the calibration left out.

    python3 tests/bench/go/go.py [--runs N] [--seconds S] [--case NAME]...

Needs a build under build/release. Commands sleep, so that what is measured is no processor's. Everything it
makes is under build/go-bench/. Prints a row for each job: medians of the runs, what scow go took beside the
plan, and how far its prediction was off.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "build" / "go-bench"
SCOW = ROOT / "build" / "release" / "bin" / "scow"
LAUNCHER = "mpiexec.mpich"
WORKERS = 2
# The program of each job, and how many of its lines take a second of one worker.
CASES = {
    "equal lines": ("sleep 0.05", "task", 20),
    "a heavy end": ("if [ {} -gt @HEAVY@ ]; then sleep 0.5; else sleep 0.025; fi", "task", 13.8),
    "loads once a worker": ("./worker.sh", "worker", 100),
}


def run(*words):
    """What the command said; ends the benchmark where it fails."""
    done = subprocess.run([str(word) for word in words], cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def figures(said):
    """Makespan and what was predicted of it."""
    measured = float(re.search(r"core tasks in ([0-9.]+) s", said)[1])
    predicted = re.search(r"predicted ([0-9.]+) s", said)
    return measured, float(predicted[1]) if predicted else float("nan")


def one_case(name, runs, seconds):
    command, per, rate = CASES[name]
    lines = int(WORKERS * seconds * rate)
    (HERE / "lines").write_text("".join(f"{k}\n" for k in range(1, lines + 1)))
    script = HERE / "worker.sh"
    script.write_text("#!/bin/bash\nsleep 2.5\nwhile read -r line; do sleep 0.01; echo $line; done\n")
    script.chmod(0o755)
    task = ("-k", "command", "--command", command.replace("@HEAVY@", str(lines - lines // 20)), "--per", per, "-i", "lines")
    ranks = (LAUNCHER, "-n", WORKERS + 1, SCOW)
    run(*ranks, "calibrate", *task, "-q", "-o", "profile.json")
    run(SCOW, "plan", "-p", "profile.json", "-i", "lines", "-q", "-o", "plan.json")
    planned, going, errors = [], [], []
    for k in range(runs):
        planned.append(figures(run(*ranks, "run", "plan.json", "-i", "lines", "-q", "-o", f"planned{k}.h5"))[0])
        measured, predicted = figures(run(*ranks, "go", *task, "-q", "--no-page", "-o", f"go{k}.h5"))
        going.append(measured)
        errors.append(abs(measured / predicted - 1))
    plan_s, go_s = statistics.median(planned), statistics.median(going)
    print(f"| {name} | {lines} | {plan_s:.2f} s | {go_s:.2f} s | {100 * (go_s / plan_s - 1):+.1f} % | "
          f"{100 * statistics.median(errors):.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=60, help="about what a job takes")
    parser.add_argument("--case", action="append", choices=CASES, help="only this one")
    arguments = parser.parse_args()
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir(parents=True)
    print("| job | lines | planned | scow go | more | its prediction off by |\n|---|---|---|---|---|---|")
    for name in arguments.case or CASES:
        one_case(name, arguments.runs, arguments.seconds)
        for file in HERE.glob("*.h5*"):
            file.unlink()


if __name__ == "__main__":
    main()
