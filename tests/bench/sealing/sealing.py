#!/usr/bin/env python3
"""What a run takes beside its makespan: starting up, the picture of its result, its input's digest,
sealing the output, and ending.

    /usr/bin/python3 tests/bench/sealing/sealing.py [--seconds S] [--repeat N] [--case NAME]...
                                                    [--scratch DIR] [--scow PROGRAM]

Runs of S seconds (10) with two workers, so that on two cores none is to spare:
  sleep     a job without an input
  source    the matched filter with the bank of 210 on a stack of as many slices as take so long
  float     the same on a stack of floats
  angles    the same with the bank of 12 orientations: more pixels in the same time
  ct        the CT stack with as large a bank as takes so long, 180 orientations at most
Of each are printed the medians of N runs (3): the makespan; the wall time of `mpiexec scow run` less
the makespan and less that of an empty MPI program with as many ranks, and that as a share of the
makespan; and what it is made of. *start* is from starting mpiexec to the first envelope, less the
empty program's until MPI has begun; *heard* until the master knows that all is done; *picture* until
the last worker has ended its part; *digest* until the input's SHA-256 is there; *sealing* while the
output is open to be sealed; *end* what follows, less the empty program's from MPI_Finalize on. The
processor seconds of picture (all workers) and digest stand behind: they say more where others use
the machine, too. The input is in the page cache. With --scow, another build's program is measured.

Needs what 'bash jobs/setup.sh --tests' installs, and
'cmake --build build/release --target scow bench-sealing-marks bench-sealing-empty'. Everything it
makes is under DIR (build/sealing); inputs are removed at the end.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = ROOT / "build" / "release" / "bin" / "scow"
BUILT = ROOT / "build" / "release" / "tests" / "bench" / "sealing"
EMPTY = ROOT / "build" / "release" / "bin" / "bench-sealing-empty"
WORKERS = 2
SIDE = 1024
sys.path.insert(0, str(ROOT / "tests" / "bench" / "prediction"))
import prediction  # noqa: E402  (its CT stack)


# ---- measuring -----------------------------------------------------------------------------------

def marks_read(folder):
    """Of each rank, the times and processor seconds of its marks."""
    ranks = []
    for rank in range(WORKERS + 1):
        lines = (folder / f"marks.{rank}").read_text().splitlines()
        ranks.append({name: (float(at), float(spent))
                      for name, at, spent in (line.split() for line in lines)})
    return ranks


def launch(folder, *command):
    """When it was started and over, and its ranks' marks."""
    preload = next(BUILT.glob("*bench-sealing-marks.so"), None)
    if preload is None:
        sys.exit("sealing.py: build the target bench-sealing-marks first")
    environment = dict(os.environ, OMP_NUM_THREADS="1", LD_PRELOAD=str(preload),
                       SCOW_MARKS=str(folder / "marks"))
    line = ["mpiexec.mpich", "-n", str(WORKERS + 1), *map(str, command)]
    for leftover in folder.glob("marks.*"):
        leftover.unlink()
    start = time.monotonic()
    done = subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)
    end = time.monotonic()
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}: {done.stderr}")
    return start, end, marks_read(folder)


def empty_s(folder):
    """Until MPI has begun, and from its end on."""
    start, end, ranks = launch(folder, EMPTY)
    return (max(rank["mpi_begun"][0] for rank in ranks) - start,
            end - min(rank["mpi_ends"][0] for rank in ranks))


def sections(folder, empty, *run):
    """Seconds of each, by name."""
    start, end, ranks = launch(folder, SCOW, "run", *run, "-q", "-o", "out.h5")
    report = json.loads(scow(folder, "report", "out.h5", "--json"))
    with h5py.File(folder / "out.h5") as file:
        first_packed_s = float(file["run/trace"][0]["end"])
    master, workers = ranks[0], ranks[1:]
    origin = master["packed"][0] - first_packed_s
    over = origin + report["measured_s"]
    closed = max(master["last_round"][0], master["part_ended"][0])
    picture = [(rank["part_ended"][1] - rank["reads_back"][1]) if "reads_back" in rank else 0
               for rank in workers]
    return {"makespan": report["measured_s"],
            "beside": end - start - report["measured_s"] - sum(empty),
            "start": origin - start - empty[0],
            "heard": master["last_round"][0] - over,
            "picture": closed - master["last_round"][0],
            "digest": master["seals"][0] - closed,
            "sealing": master["sealed"][0] - master["seals"][0],
            "end": end - master["sealed"][0] - empty[1],
            "picture, processor": sum(picture), "digest, processor": master["digest"][0]}


def scow(folder, *arguments):
    done = subprocess.run([str(SCOW), *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"scow {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def case_run(folder, name, repeat, *run):
    runs = []
    for _ in range(repeat):
        empty = [statistics.median(times) for times in zip(*(empty_s(folder) for _ in range(3)))]
        for leftover in folder.glob("out.h5*"):
            leftover.unlink()
        os.sync()
        runs.append(sections(folder, empty, *run))
    for leftover in folder.glob("out.h5*"):
        leftover.unlink()
    median = {key: statistics.median(one[key] for one in runs) for key in runs[0]}
    share = statistics.median(one["beside"] / one["makespan"] for one in runs)
    parts = ("start", "heard", "picture", "digest", "sealing", "end",
             "picture, processor", "digest, processor")
    print(f"| {name} | {median['makespan']:.2f} s | {1e3 * median['beside']:.0f} ms | "
          f"{100 * share:.2f} % | "
          + " | ".join(f"{1e3 * median[part]:.0f}" for part in parts) + " |", flush=True)


# ---- jobs ----------------------------------------------------------------------------------------

def calibrated_s(folder, image, *bank):
    """The predicted makespan of that image."""
    done = subprocess.run(["mpiexec.mpich", "-n", str(WORKERS + 1), SCOW, "calibrate", "-q",
                           "--quick", "-i", image, "--combine", "max", *bank,
                           "-o", "profile.json"], cwd=folder, check=False, capture_output=True,
                          text=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
    if done.returncode != 0:
        sys.exit(f"scow calibrate: {done.stderr}")
    scow(folder, "plan", "-q", "-p", "profile.json", "-i", image, "-o", "plan.json")
    return json.loads((folder / "plan.json").read_text())["predicted"]["makespan_s"]


def slice_make(number, kind):
    """Noise that no two slices share, with ridges in it."""
    chance = np.random.default_rng(number)
    across = np.add.outer(np.arange(SIDE), np.arange(SIDE) * (number % 7))
    grey = chance.integers(0, 128, (SIDE, SIDE)) + 100 * (across % 97 < 5)
    return grey.astype(kind)


def stack_write(path, slices, kind):
    with h5py.File(path, "w") as file:
        stack = file.create_dataset("stack", (slices, SIDE, SIDE), kind)
        for number in range(slices):
            stack[number] = slice_make(number, kind)


def stack_case(folder, name, options, kind, *bank):
    """As many slices as take so long, by the plan of 12 of them."""
    image = "stack.h5:/stack"
    stack_write(folder / "stack.h5", 12, kind)
    slices = max(1, round(12 * options.seconds / calibrated_s(folder, image, *bank)))
    stack_write(folder / "stack.h5", slices, kind)
    scow(folder, "plan", "-q", "-p", "profile.json", "-i", image, "-o", "plan.json")
    case_run(folder, f"{name}: {slices} x {SIDE} x {SIDE}", options.repeat, "plan.json",
             "-i", image)
    (folder / "stack.h5").unlink()


def ct_case(folder, options):
    stack = prediction.ct()
    if stack is None:
        print("| CT | not to be had |", flush=True)
        return
    with h5py.File(folder / "ct.h5", "w") as file:
        file["stack"] = stack
    angles = 36
    bank = ("--sigma", "3", "--length", "15", "--angles")
    angles = round(angles * options.seconds /
                   calibrated_s(folder, "ct.h5:/stack", *bank, str(angles)))
    angles = max(1, min(180, angles))
    calibrated_s(folder, "ct.h5:/stack", *bank, str(angles))
    case_run(folder, f"CT, {angles} orientations", options.repeat, "plan.json",
             "-i", "ct.h5:/stack")
    (folder / "ct.h5").unlink()


def sleep_case(folder, options):
    """Core tasks of a hundredth of a second."""
    still = {"latency_s": 0, "s_per_task": 0}
    costs = {"latency_s": 1e-3, "s_per_task": 1e-2}
    window = {"tasks": [1, 1000], "envelope": {"latency_s": 1e-4, "s_per_task": 1e-6},
              "send": {"latency_s": 1e-4, "s_per_task": 1e-6},
              "workers": [{"name": "n", "count": WORKERS, "link": still, "receive": still,
                           "compute": costs, "output": still}]}
    (folder / "profile.json").write_text(json.dumps(
        {"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}))
    scow(folder, "plan", "-q", "-p", "profile.json", "-X", round(100 * WORKERS * options.seconds),
         "-o", "plan.json")
    case_run(folder, "sleep", options.repeat, "plan.json", "-p", "profile.json")


CASES = {
    "sleep": sleep_case,
    "source": lambda folder, options: stack_case(folder, "210 filters", options, "u1",
                                                 "--bank", "source"),
    "float": lambda folder, options: stack_case(folder, "210 filters, floats", options, "f4",
                                                "--bank", "source"),
    "angles": lambda folder, options: stack_case(folder, "12 orientations", options, "u1"),
    "ct": ct_case,
}


def main():
    global SCOW
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "sealing")
    parser.add_argument("--scow", type=pathlib.Path, default=SCOW)
    options = parser.parse_args()
    SCOW = options.scow.resolve()
    options.scratch.mkdir(parents=True, exist_ok=True)
    prediction.HERE.mkdir(parents=True, exist_ok=True)
    print("| job | makespan | beside it | share | start, ms | heard | picture | digest | sealing | "
          "end | picture, processor | digest, processor |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in options.case or CASES:
        CASES[name](options.scratch, options)


if __name__ == "__main__":
    main()
