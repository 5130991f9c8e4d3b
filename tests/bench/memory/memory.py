#!/usr/bin/env python3
"""How much memory plans ask for, of what their runs then use: calibrate, plan, run and report, each
time anew, for small jobs of every kind of core task, whose sizes are drawn.

    /usr/bin/python3 tests/bench/memory/memory.py [--trials N] [--seed S] [--task NAME]... [BUILD]

Prints a row for each core task: asked over used, and how many runs used more than was asked for.
Needs a build with its tests under BUILD (build/release) and takes some three seconds a trial on two
cores; all that it makes is in a temporary folder. Asked is what --sbatch of the plan says; used what
the report of the run says, of a node that is full.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = 2


def mandelbrot(dice):
    return ["-k", "mandelbrot", "--width", dice.choice((100, 400, 1000, 2000, 3000)), "--height",
            dice.randint(200, 3000), "--iterations", dice.choice((20, 100, 300))], None


def matched_filter(dice):
    return ["-k", "matched-filter", "--bank", dice.choice(("source", "chaudhuri")), "--blocks",
            dice.choice((32, 64, 128))], ROOT / "jobs" / "data" / "retina.png"


def motif(dice):
    lines = []
    for number in range(dice.randint(4, 6)):
        lines += [f">{number}", "".join(dice.choice("ACGT") for _ in range(dice.randint(12, 20)))]
    return ["-k", "motif", "--length", "6", "--grain", dice.choice((4, 16, 64))], "\n".join(lines) + "\n"


def command(dice):
    lines = "".join(f"{number}\n" for number in range(dice.randint(40, 120)))
    megabytes = dice.choice((0, 8, 30, 90))
    program = (f"{sys.executable} -S -c \"x = b'x' * ({megabytes} * 10**6)\" {{}}" if megabytes
               else "true {}")
    return ["-k", "command", "--command", program], lines


TASKS = {"mandelbrot": mandelbrot, "matched-filter": matched_filter, "motif": motif, "command": command}


def scow(build, folder, *arguments, ranks=0):
    words = [str(build / "bin" / "scow"), *map(str, arguments)]
    if ranks:
        words = ["mpiexec.mpich", "-n", str(ranks), *words]
    environment = dict(os.environ, OMP_NUM_THREADS="1", HWLOC_PLUGINS_PATH="/nonexistent")
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    return done.stdout


def trial(build, name, dice):
    options, given = TASKS[name](dice)
    with tempfile.TemporaryDirectory() as folder:
        source = []
        if isinstance(given, str):
            (pathlib.Path(folder) / "input").write_text(given)
            given = "input"
        if given:
            source = ["-i", given]
        scow(build, folder, "calibrate", *options, *source, "--budget", "1s", "-q", "-o", "p.json",
             ranks=WORKERS + 1)
        scow(build, folder, "plan", "-p", "p.json", *source, "-q", "-o", "plan.json")
        scow(build, folder, "run", "plan.json", *source, "-q", "-o", "out.h5", ranks=WORKERS + 1)
        report = json.loads(scow(build, folder, "report", "out.h5", "--json"))
    return report["requested"]["memory_bytes"], report["used"]["memory_bytes"], options


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--trials", type=int, default=100, help="of all core tasks together (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--task", action="append", choices=TASKS, help="only this one; again for more")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each trial")
    options = parser.parse_args()
    dice = random.Random(options.seed)
    names = options.task or list(TASKS)
    asked = {name: [] for name in names}
    for number in range(options.trials):
        name = names[number % len(names)]
        requested, used, words = trial(options.build.resolve(), name, dice)
        asked[name].append(requested / used)
        if options.verbose:
            print(f"{name}: {requested / 1e6:.0f} MB of {used / 1e6:.0f}: {requested / used:.3f}",
                  *words[2:], flush=True)
    print(f"seed {options.seed}; two workers; memory of a node, asked over used\n\n"
          "| core task | jobs | least | median | most | used more than asked |\n|---|---|---|---|---|---|")
    for name, ratios in [*asked.items(), ("all", sum(asked.values(), []))]:
        if ratios:
            print(f"| {name} | {len(ratios)} | {min(ratios):.2f} | {statistics.median(ratios):.2f} | "
                  f"{max(ratios):.2f} | {sum(ratio < 1 for ratio in ratios)} |")


if __name__ == "__main__":
    main()
