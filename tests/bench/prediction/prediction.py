#!/usr/bin/env python3
"""How far predictions are off: calibrate, plan, run and report, each time anew, for jobs of several
kinds, and the table of it for jobs/guide/figures.md.

    /usr/bin/python3 tests/bench/prediction/prediction.py [--runs N] [--budget TIME] [--case NAME]...

Needs what 'bash jobs/setup.sh --tests' installs, python3-pil, and a build under build/release. The CT
stack comes from Debian's package invesalius-examples (GPL-2, not kept); without it, that case is left
out and says so. Commands sleep, so that what is measured is no processor's. Everything it makes is under
build/prediction/; results.json has every run.
"""
import argparse
import gzip
import io
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tarfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "build" / "prediction"
SCOW = ROOT / "build" / "release" / "bin" / "scow"
RETINA = ROOT / "jobs" / "data" / "retina.png"


def retina(slices, rows, columns):
    """Slices cut from the photograph, each a little farther on."""
    from PIL import Image  # which commands do without
    picture = np.asarray(Image.open(RETINA))
    room = (picture.shape[0] - rows, picture.shape[1] - columns)
    return np.stack([picture[(room[0] and k % room[0]):, (room[1] and k % room[1]):]
                     [:rows, :columns] for k in range(slices)])


def ct():
    """108 x 256 x 256, 16 bits, from 0 on; None where the package cannot be had."""
    folder = HERE / "ct"
    archive = next(folder.glob("**/Cranium.inv3"), None)
    if not archive:
        folder.mkdir(exist_ok=True)
        subprocess.run(["apt-get", "download", "-q", "invesalius-examples"], cwd=folder,
                       capture_output=True, check=False)
        for package in folder.glob("*.deb"):
            subprocess.run(["dpkg", "-x", package.name, "."], cwd=folder, check=True)
        archive = next(folder.glob("**/Cranium.inv3*"), None)
    if not archive:
        return None
    data = archive.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        name = next(n for n in tar.getnames() if n.endswith("matrix.dat"))
        raw = np.frombuffer(tar.extractfile(name).read(), "<i2").reshape(108, 256, 256)
    return (raw.astype(np.int32) - raw.min()).astype(np.uint16)


def wider(stack, kind):
    return (stack.astype(np.uint16) * 257 if kind == "16-bit" else stack.astype(np.float32) / 255)


STACK = (12, 1411, 1397)
# Name, what it filters, workers, threads of each.
CASES = [
    ("retina", lambda: retina(1, 1411, 1411), 2, 1),
    ("stack, 1 worker", lambda: retina(*STACK), 1, 1),
    ("stack, 2 workers", lambda: retina(*STACK), 2, 1),
    ("stack, 3 workers", lambda: retina(*STACK), 3, 1),
    ("stack, 1 worker of 2 threads", lambda: retina(*STACK), 1, 2),
    ("stack, 2 workers of 2 threads", lambda: retina(*STACK), 2, 2),
    ("stack, 16-bit", lambda: wider(retina(*STACK), "16-bit"), 2, 1),
    ("stack, float", lambda: wider(retina(*STACK), "float"), 2, 1),
    ("CT, 16-bit", ct, 2, 1),
]


# Loads for a while, and then answers lines, each after a while of its own.
ANSWERS = """import sys, time
time.sleep(float(sys.argv[1]))
for line in sys.stdin:
    time.sleep(float(sys.argv[2]))
    print(line, end="", flush=True)
"""
# Name, lines, how programs are started, seconds that one loads, seconds a line; two workers of one thread.
COMMANDS = [
    ("commands, 2.5 s to load per worker", 1000, "worker", 2.5, 0.007),
    ("commands, 4 s to load per package", 1000, "package", 4, 0.005),
]
# Name, lines, from which line on they are heavy, seconds of the others and of these.
SORTED = [
    ("commands, heavy lines together", 400, 361, 0.02, 0.4),
]
# By weights: name, the core task, how plans know its weights, lines (0: the core task needs no input), their
# mean in seconds and the deviation of its logarithm, the calibration's budget in place of --budget (None: that).
# The Mandelbrot set takes about nine seconds a run on a quiet machine: six or seven runs a minute.
WEIGHED = [
    ("commands by weight, log-normal", ("-k", "command", "--command", "sh -c {}"),
     ("--weights-column", "2"), 200, 0.1, 1, None),
    ("Mandelbrot set by weight", ("-k", "mandelbrot", "--width", "2400", "--height", "2400", "--iterations", "10000",
                                  "--x-min", "-0.8", "--x-max", "-0.7", "--y-min", "0", "--y-max", "0.3"),
     ("--weights", "task"), 0, 0, 0, "3s"),
]
# Done by scow go, whose first packages are the probes: name, lines, the command of a line, seconds that its
# program loads; 0: a process for each line.
GO = [
    ("scow go, equal lines", 600, "sleep 0.05", 0),
    ("scow go, heavy lines together", 400, "if [ {} -ge 361 ]; then sleep 0.4; else sleep 0.02; fi", 0),
    ("scow go, 2.5 s to load per worker", 2000, None, 2.5),
]
# The same by weights: name, how go knows them, lines, their mean in seconds, deviation of its logarithm.
GO_WEIGHED = [
    ("scow go by weight, log-normal", ("--weights-column", "2"), 200, 0.1, 1),
]
ALL = CASES + COMMANDS + SORTED + WEIGHED + GO + GO_WEIGHED


def scow(*arguments, ranks=0, threads=1):
    command = [str(SCOW), *map(str, arguments)]
    if ranks:
        command = ["mpiexec.mpich", "-n", str(ranks), *command]
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


FILTER = ("--bank", "source", "--combine", "max")


def reported():
    """What the report of the run says, and how busy the machine is."""
    report = json.loads(scow("report", "out.h5", "--json"))
    keys = ("predicted_s", "measured_s", "error", "model_error", "drift", "interval")
    return {**{key: report.get(key) for key in keys}, "operations": report.get("operations"),
            "load": os.getloadavg()[0]}


def outputs_remove():
    for leftover in HERE.glob("out*"):
        leftover.unlink()


def one_run(source, task, workers, threads, budget, weights=()):
    outputs_remove()
    given = ("-i", source) if source else ()
    scow("calibrate", *given, *task, *weights, "--budget", budget, "-q",
         "-o", "profile.json", "--probes", "probes.tsv", ranks=workers + 1, threads=threads)
    scow("plan", "-p", "profile.json", *given, *weights, "-o", "plan.json", "-q")
    scow("run", "plan.json", *given, "-o", "out.h5", "-q", ranks=workers + 1, threads=threads)
    return reported()


def go_run(task):
    outputs_remove()
    said = scow("go", "-i", "lines", *task, "-q", "--no-page", "-o", "out.h5", ranks=3)
    run = reported()
    told_s = float(re.search(r"predicted ([0-9.]+) s", said)[1])  # before what was planned anew
    return {**run, "predicted_s": told_s, "error": run["measured_s"] / told_s - 1}


def percent(values, choose):
    return f"{100 * choose(values):.1f} %"


def row(name, runs):
    errors = [abs(run["error"]) for run in runs]
    models = [abs(run["model_error"]) for run in runs]
    inside = sum(run["interval"][0] <= run["measured_s"] <= run["interval"][1] for run in runs)
    predicted = statistics.median(run["predicted_s"] for run in runs)
    width = statistics.median((run["interval"][1] - run["interval"][0]) / run["predicted_s"]
                              for run in runs)
    return (f"| {name} | {len(runs)} | {predicted:.3g} s | {percent(errors, statistics.median)} | "
            f"{percent(errors, max)} | {percent(models, statistics.median)} | "
            f"{percent(models, max)} | {100 * inside / len(runs):.0f} % | {100 * width:.0f} % |")


def filters(make, workers, threads, options):
    """All runs of a case; None where its input cannot be had."""
    stack = make()
    if stack is None:
        return None
    with h5py.File(HERE / "input.h5", "w") as file:
        file["stack"] = stack
    return [one_run("input.h5:/stack", FILTER, workers, threads, options.budget)
            for _ in range(options.runs)]


def commands(lines, per, load, each, options):
    (HERE / "lines").write_text("".join(f"{k}\n" for k in range(lines)))
    (HERE / "answers.py").write_text(ANSWERS)
    task = ("-k", "command", "--per", per, "--command",
            f"{sys.executable} {HERE / 'answers.py'} {load} {each}")
    return [one_run("lines", task, 2, 1, options.budget) for _ in range(options.runs)]


def sorted_lines(lines, heavy, light_s, heavy_s, options):
    (HERE / "lines").write_text("".join(f"{k + 1}\n" for k in range(lines)))
    task = ("-k", "command", "--command",
            f"if [ {{}} -ge {heavy} ]; then sleep {heavy_s}; else sleep {light_s}; fi")
    return [one_run("lines", task, 2, 1, options.budget) for _ in range(options.runs)]


def sleeps_write(lines, mean_s, deviation):
    drawn = random.Random(1)
    seconds = [mean_s * drawn.lognormvariate(-deviation ** 2 / 2, deviation) for _ in range(lines)]
    (HERE / "lines").write_text("".join(f"sleep {s:.4f}\n" for s in seconds))


def weighed(task, weights, lines, mean_s, deviation, budget, options):
    sleeps_write(lines, mean_s, deviation)
    return [one_run("lines" if lines else None, task, 2, 1, budget or options.budget, weights)
            for _ in range(options.runs)]


def going(lines, command, load, options):
    (HERE / "lines").write_text("".join(f"{k + 1}\n" for k in range(lines)))
    (HERE / "answers.py").write_text(ANSWERS)
    answers = f"{sys.executable} {HERE / 'answers.py'} {load} 0.01"
    per = ("--per", "worker") if load > 0 else ()
    return [go_run(("-k", "command", *per, "--command", command or answers))
            for _ in range(options.runs)]


def going_weighed(weights, lines, mean_s, deviation, options):
    sleeps_write(lines, mean_s, deviation)
    return [go_run(("-k", "command", "--command", "sh -c {}", *weights))
            for _ in range(options.runs)]


def function_of(case):
    for cases, function in ((CASES, filters), (COMMANDS, commands), (SORTED, sorted_lines),
                            (WEIGHED, weighed), (GO_WEIGHED, going_weighed)):
        if case in cases:
            return function
    return going


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--case", action="append",
                        choices=[case[0] for case in ALL])
    options = parser.parse_args()
    if not SCOW.exists():
        sys.exit(f"{SCOW} is not there: build first")
    HERE.mkdir(parents=True, exist_ok=True)
    results = {}
    print("| job | runs | predicted | error, median | worst | model error, median | worst | "
          "inside the 90 % interval | its width |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for case in ALL:
        name = case[0]
        if options.case and name not in options.case:
            continue
        results[name] = function_of(case)(*case[1:], options)
        if results[name] is None:
            print(f"| {name} | not to be had |", flush=True)
            continue
        print(row(name, results[name]), flush=True)
        (HERE / "results.json").write_text(json.dumps(results, indent=1))
    shutil.rmtree(HERE / "ct", ignore_errors=True)
    for leftover in ("input.h5", "out.h5", "lines", "answers.py"):
        (HERE / leftover).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
