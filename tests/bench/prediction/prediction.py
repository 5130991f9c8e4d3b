#!/usr/bin/env python3
"""How far predictions are off: calibrate, plan, run and report, each time anew, for jobs of several
kinds, and the table of it for the README.

    /usr/bin/python3 tests/bench/prediction/prediction.py [--runs N] [--budget TIME] [--case NAME]...

Needs what 'bash jobs/setup.sh --tests' installs, python3-pil, and a build under build/release. The CT
stack comes from Debian's package invesalius-examples (GPL-2, not kept); without it, that case is left
out and says so. Everything it makes is under build/prediction/; results.json has every run.
"""
import argparse
import gzip
import io
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tarfile

import h5py
import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "build" / "prediction"
SCOW = ROOT / "build" / "release" / "bin" / "scow"
RETINA = ROOT / "jobs" / "data" / "retina.png"


def retina(slices, rows, columns):
    """Slices cut from the photograph, each a little farther on."""
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


def scow(*arguments, ranks=0, threads=1):
    command = [str(SCOW), *map(str, arguments)]
    if ranks:
        command = ["mpiexec.mpich", "-n", str(ranks), *command]
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run(command, cwd=HERE, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def one_run(image, workers, threads, budget):
    for leftover in HERE.glob("out.h5*"):
        leftover.unlink()
    scow("calibrate", "-i", image, "--bank", "source", "--combine", "max", "--budget", budget, "-q",
         "-o", "profile.json", "--probes", "probes.tsv", ranks=workers + 1, threads=threads)
    scow("plan", "-p", "profile.json", "-i", image, "-o", "plan.json", "-q")
    scow("run", "plan.json", "-i", image, "-o", "out.h5", "-q", ranks=workers + 1, threads=threads)
    report = json.loads(scow("report", "out.h5", "--json"))
    keys = ("predicted_s", "measured_s", "error", "model_error", "drift", "interval")
    return {**{key: report.get(key) for key in keys}, "operations": report.get("operations"),
            "load": os.getloadavg()[0]}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--budget", default="30s")
    parser.add_argument("--case", action="append", choices=[case[0] for case in CASES])
    options = parser.parse_args()
    if not SCOW.exists():
        sys.exit(f"{SCOW} is not there: build first")
    HERE.mkdir(parents=True, exist_ok=True)
    results = {}
    print("| job | runs | predicted | error, median | worst | model error, median | worst | "
          "inside the 90 % interval | its width |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name, make, workers, threads in CASES:
        if options.case and name not in options.case:
            continue
        stack = make()
        if stack is None:
            print(f"| {name} | not to be had |", flush=True)
            continue
        with h5py.File(HERE / "input.h5", "w") as file:
            file["stack"] = stack
        results[name] = [one_run("input.h5:/stack", workers, threads, options.budget)
                         for _ in range(options.runs)]
        print(row(name, results[name]), flush=True)
        (HERE / "results.json").write_text(json.dumps(results, indent=1))
    shutil.rmtree(HERE / "ct", ignore_errors=True)
    for leftover in ("input.h5", "out.h5"):
        (HERE / leftover).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
