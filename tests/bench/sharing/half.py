#!/usr/bin/env python3
"""How far predictions are off on a core of which somebody else takes half: without knowing it, and by what
'scow sense' has seen.

    /usr/bin/python3 tests/bench/sharing/half.py [--runs 10] [--core N] [--wrap "nice -n -19"]

One worker, bound to a core, is calibrated there alone. Then 'scow load' works on the same core, 'scow sense'
looks at it for a while, and the same job is run again and again; printed are the medians of the errors of
the plan that knows nothing (whose profile was measured alone), of the one by --load, and of that one if what
the worker had of its core in the run, by its own count, had been forecast. The master has the other cores.
Needs a build under build/release and two cores; where others use them, too, what they take changes from look
to run, and the last of the three says how much of an error is the forecast's; --wrap puts all that is
measured behind a command that keeps others away.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BIN = ROOT / "build" / "release" / "bin"
# Some two to four seconds of one core.
SEQUENCES, LETTERS, LENGTH, GRAIN = 7, 34, 8, 2_000_000
LOOKS = 10


def words(options, core, *command):
    return [*shlex.split(options.wrap), "taskset", "-c", str(core), *map(str, command)]


def scow(*command, cwd):
    done = subprocess.run([BIN / "scow", *map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scow {' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def ranks(options, cwd, *command):
    """The master on the other core, the worker on its own."""
    program = [BIN / "scow", *command]
    launched = ["mpiexec.mpich", "-n", "1", *words(options, options.other, *program),
                ":", "-n", "1", *words(options, options.core, *program)]
    done = subprocess.run(launched, cwd=cwd, capture_output=True, text=True, check=False,
                          env=dict(os.environ, OMP_NUM_THREADS="1"))
    if done.returncode != 0:
        sys.exit(f"scow {' '.join(map(str, command))}: {done.stderr.strip()}")


def plan(cwd, name, *more):
    scow("plan", "-p", "profile.json", "-i", "sequences.fa", "--tail", "none", "-q", "-o", name, *more, cwd=cwd)
    return json.loads((cwd / name).read_text())["predicted"]["makespan_s"]


def run(options, cwd, number):
    """What it took, and what the worker had of its core."""
    ranks(options, cwd, "run", "plan.json", "-i", "sequences.fa", "-q", "-o", f"{number}.h5")
    report = json.loads(scow("report", f"{number}.h5", "--json", cwd=cwd))
    return report["measured_s"], report["workers"][0].get("availability")


def measure(options, cwd):
    chance = random.Random(1)
    (cwd / "sequences.fa").write_text("".join(f">{k}\n{''.join(chance.choices('acgt', k=LETTERS))}\n"
                                              for k in range(SEQUENCES)))
    ranks(options, cwd, "calibrate", "-k", "motif", "-i", "sequences.fa", "--length", str(LENGTH), "--grain",
          str(GRAIN), "--budget", "5s", "-q", "-o", "profile.json")
    profile = json.loads((cwd / "profile.json").read_text())
    worker = profile["settings"][0]["windows"][-1]["workers"][0]
    alone = plan(cwd, "plan.json")
    most = 60 + LOOKS + options.runs * 4 * alone
    load = subprocess.Popen(words(options, options.core, BIN / "scow-load", "--pattern", "high-low", "--seconds",
                                  2 * most, "--cpu", options.core), stdout=subprocess.DEVNULL)
    try:
        time.sleep(1)
        subprocess.run(words(options, options.core, BIN / "scow-sense", "-o", cwd / "load.tsv", "--every", "1s",
                             "--count", LOOKS, "--node", worker.get("name", "n1")), check=True)
        known = plan(cwd, "known.json", "--load", "load.tsv")
        runs = [run(options, cwd, number) for number in range(options.runs)]
    finally:
        load.terminate()
        load.wait()
    share = json.loads((cwd / "known.json").read_text())["shared"][0]["share"]
    return {"availability": worker.get("availability"), "alone_s": alone, "known_s": known, "runs": runs,
            "forecast": share * worker.get("availability", 1)}


def row_print(name, errors):
    print(f"{name}: {100 * statistics.median(errors):+.1f} % in the median of {len(errors)}, "
          f"from {100 * min(errors):+.1f} to {100 * max(errors):+.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="of the worker (the last)")
    parser.add_argument("--wrap", default="", help="a command that all that is measured is put behind")
    options = parser.parse_args()
    options.other = min(os.sched_getaffinity(0) - {options.core}, default=options.core)
    with tempfile.TemporaryDirectory() as folder:
        made = measure(options, pathlib.Path(folder))
    for name, predicted in (("not knowing it", made["alone_s"]), ("by what was seen", made["known_s"])):
        row_print(f"{name}: {predicted:.2f} s predicted",
                  [measured / predicted - 1 for measured, _ in made["runs"]])
    row_print("by what the worker had", [measured / made["known_s"] * share / made["forecast"] - 1
                                         for measured, share in made["runs"] if share])
    had = [share for _, share in made["runs"] if share]
    print(f"of its core the worker had {made['availability']} when it was calibrated, "
          f"{statistics.median(had):.3f} in the median of its runs; {made['forecast']:.3f} was forecast")


if __name__ == "__main__":
    main()
