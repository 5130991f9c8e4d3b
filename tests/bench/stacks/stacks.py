#!/usr/bin/env python3
"""Jobs that are larger than any rank's memory, or have a million core tasks: is memory constant, and
how much of a run is neither the plan nor its packages?

    /usr/bin/python3 tests/bench/stacks/stacks.py [--gigabytes N] [--case NAME]... [--scratch DIR]

Needs what 'bash jobs/setup.sh --tests' installs, and a build under build/release; the generated stack
is a sparse file of N GB (10), its output as large again and a quarter, both under DIR (build/stacks).
Printed are: core tasks, the makespan, what came before it (from starting mpiexec to the first
envelope: an empty MPI program's own time is beside it) and after it (normalising, sealing), and the
peak memory of the largest process.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = ROOT / "build" / "release" / "bin" / "scow"
sys.path.insert(0, str(ROOT / "tests" / "bench" / "prediction"))
import prediction  # noqa: E402  (its CT stack)

RANKS = 3


def mpiexec(folder, *command):
    """Seconds, and the peak memory of the largest process in bytes."""
    line = ["mpiexec.mpich", "-n", str(RANKS), *map(str, command)]
    start = time.monotonic()
    child = subprocess.Popen(line, cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1"),
                             stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(line)}: exit code {child.returncode}")
    return time.monotonic() - start, 1024 * usage.ru_maxrss


def scow(folder, *arguments):
    done = subprocess.run([str(SCOW), *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scow {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def empty_s(folder):
    """Starting and ending ranks that only say their version."""
    return min(mpiexec(folder, SCOW, "run", "--version")[0] for _ in range(5))


def one(folder, name, kernel, image):
    for leftover in folder.glob("out.h5*"):
        leftover.unlink()
    given = ["-i", image] if image else []
    mpiexec(folder, SCOW, "calibrate", "-q", "-o", "profile.json", "--quick", *kernel, *given)
    scow(folder, "plan", "-q", "-p", "profile.json", "-o", "plan.json", *given)
    wall_s, peak = mpiexec(folder, SCOW, "run", "-q", "plan.json", "-o", "out.h5", *given)
    report = json.loads(scow(folder, "report", "out.h5", "--json"))
    before_s = wall_s - report["measured_s"] - report["finish_s"]
    size = (folder / image.split(":")[0]).stat().st_size if image else 0
    print(f"| {name} | {size / 1e9:.3g} GB | {report['tasks']} | {report['measured_s']:.2f} s | "
          f"{before_s:.2f} s ({empty_s(folder):.2f} s) | {report['finish_s']:.2f} s | "
          f"{peak / 1e6:.0f} MB |", flush=True)
    for leftover in folder.glob("out.h5*"):
        leftover.unlink()


def ct(folder, _):
    stack = prediction.ct()
    if stack is None:
        print("| CT | not to be had |", flush=True)
        return
    with h5py.File(folder / "ct.h5", "w") as file:
        file["stack"] = stack
    one(folder, "CT, 108 x 256 x 256, 16 bits", ["--combine", "max"], "ct.h5:/stack")


def generated(folder, gigabytes):
    rows = 2048
    slices = int(gigabytes * 1e9 / (4 * rows * rows))
    with h5py.File(folder / "large.h5", "w") as file:
        stack = file.create_dataset("stack", (slices, rows, rows), "f4")
        stack[0, 0, 0] = 1  # the file has its full length now, and holes for the rest
        stack[slices - 1] = np.random.default_rng(1).random((rows, rows), "f4")
    one(folder, f"generated, {slices} x {rows} x {rows}, float", ["--combine", "max", "--block", 512],
        "large.h5:/stack")
    (folder / "large.h5").unlink()


def lines(folder, _):
    (folder / "lines.txt").write_text("".join(f"{k}\n" for k in range(1000000)))
    one(folder, "a million lines through cat", ["-k", "command", "--command", "cat", "--per", "worker"],
        "lines.txt")


def rows(folder, _):
    one(folder, "a million rows of Mandelbrot's set",
        ["-k", "mandelbrot", "--height", 1000000, "--width", 64, "--iterations", 1000], None)


CASES = {"ct": ct, "generated": generated, "lines": lines, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--gigabytes", type=float, default=10)
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "stacks")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    prediction.HERE.mkdir(parents=True, exist_ok=True)
    print("| job | input | core tasks | makespan | before (an empty program) | after | largest process |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name in options.case or CASES:
        CASES[name](options.scratch, options.gigabytes)


if __name__ == "__main__":
    main()
