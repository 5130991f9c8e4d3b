#!/usr/bin/env python3
"""How much memory a run of very many packages takes, in its ranks and in the reports on it, and how much
of its output each package has.

    /usr/bin/python3 tests/bench/memory/trace.py [--packages N]... [BUILD]

Packages of one core task each, of a picture that is one pixel wide (BUILD: build/release). Prints a row
for each N (100,000 and 1,000,000), one for a run that was stopped when it had lasted half as long and then
gone on with, one for core tasks of unlike weights that are planned, simulated and run by these, and with h5py
one for the reports on the same packages as if `scow go` had sent them, on 64 workers, whose plan is what was
sent: its --csv has 155 lines for each. Ten minutes of a processor.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import tempfile
import time

from peaks import REPORTS, ROOT, WORKERS, cell, scow

try:
    import h5py
    import numpy
except ImportError:
    h5py = None


def plan_make(folder, packages):
    plan = {"schema": "scow-plan-1", "kernel": "mandelbrot", "scheduler": "single", "tasks": packages,
            "parameters": {"width": 1, "height": packages, "x-min": -2, "x-max": 2, "y-min": -2, "y-max": 2,
                           "iterations": 1},
            "workers": list(range(WORKERS)), "rounds": [{"repeat": packages // WORKERS, "loads": [1] * WORKERS}]}
    with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as file:
        json.dump(plan, file)


def as_sent(folder):
    """The same packages as those of a scow go, on any of 64 workers, with numbers that begin late."""
    with h5py.File(os.path.join(folder, "go.h5"), "r+") as output:
        output.attrs.create("surveyed", 1, dtype="i4")
        events = output["run/trace"][:]
        ranks = numpy.random.default_rng(1).integers(1, 65, size=int(events["package"].max()) + 1)
        worked = events["rank"] > 0
        events["rank"][worked] = ranks[events["package"][worked]]
        events["package"] += 7
        output["run/trace"][:] = events


def run(build, folder, output, *options, stopped=False):
    """Seconds."""
    start = time.monotonic()
    scow(build, folder, "run", "plan.json", "-p", "profile.json", "-q", "-o", output, *options, ranks=WORKERS + 1,
         stopped=stopped)
    return time.monotonic() - start


def profile_narrow(folder):
    """What remains of a run is planned anew: in packages of one core task, too, if it knows of no others."""
    path = pathlib.Path(folder) / "profile.json"
    profile = json.loads(path.read_text(encoding="utf-8"))
    for setting in profile["settings"]:
        setting["windows"] = setting["windows"][:1]
        setting["windows"][0]["tasks"] = [1, 1]
    path.write_text(json.dumps(profile), encoding="utf-8")


def planned_by_weight(build, folder, packages):
    """The peaks of planning and of simulating core tasks of weights that all differ."""
    dice = random.Random(1)
    with open(os.path.join(folder, "weights.txt"), "w", encoding="utf-8") as file:
        file.writelines(f"{dice.uniform(0.5, 1.5):.6f}\n" for _ in range(packages))
    return (scow(build, folder, "plan", "-p", "profile.json", "-X", packages, "--weights", "weights.txt", "-q",
                 "-o", "plan.json"),
            scow(build, folder, "simulate", "-p", "profile.json", "plan.json"))


def row_of(build, folder, output, learns=True):
    """Bytes of the output, the peaks of its ranks, and of the reports on it; costs cannot be learned from packages
    that nobody has done."""
    size = os.stat(os.path.join(folder, output)).st_blocks * 512  # it has holes
    reports = {name: scow(build, folder, "report", output, *options) if learns or name != "--profile" else None
               for name, options in REPORTS.items()}
    scow(build, folder, "report", output, "--json")
    with open(os.path.join(folder, "said"), encoding="utf-8") as said:
        used = json.load(said)["memory_bytes"]
    return size, used, reports


def trial(build, packages):
    """Rows, by name, as they come; the peaks of planning and simulating, where they were measured."""
    with tempfile.TemporaryDirectory() as folder:
        scow(build, folder, "calibrate", "-k", "mandelbrot", "--width", 1, "--height", packages, "--iterations", 1,
             "--write-behind", "no", "--budget", "2s", "-q", "-o", "profile.json", ranks=WORKERS + 1)
        plan_make(folder, packages)
        taken_s = run(build, folder, "out.h5")
        yield "", (None, None), row_of(build, folder, "out.h5")
        profile_narrow(folder)
        run(build, folder, "resumed.h5", "--until", f"{max(1, taken_s / 2):.0f}s", stopped=True)
        run(build, folder, "resumed.h5", "--resume")
        yield ", resumed", (None, None), row_of(build, folder, "resumed.h5")
        planned = planned_by_weight(build, folder, packages)
        run(build, folder, "unlike.h5")
        yield ", unlike", planned, row_of(build, folder, "unlike.h5")
        if h5py:
            shutil.move(os.path.join(folder, "out.h5"), os.path.join(folder, "go.h5"))
            # Or its memory would count as that of the reports behind it.
            child = multiprocessing.Process(target=as_sent, args=(folder,))
            child.start()
            child.join()
            _, _, reports = row_of(build, folder, "go.h5", learns=False)
            yield ", go", (None, None), (0, {}, reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--packages", type=int, action="append", help="again for more")
    options = parser.parse_args()
    print("| packages | bytes of the output a package | plan | simulate | master | worker | " +
          " | ".join(f"report {name}" for name in REPORTS) + " |\n|" + "---|" * (6 + len(REPORTS)))
    for packages in options.packages or [100000, 1000000]:
        for name, planned, (size, used, reports) in trial(options.build.resolve(), packages):
            peaks = [*planned, *(used.get(of, 0) / 1e6 for of in ("master", "rank")), *reports.values()]
            print(" | ".join([f"| {packages}{name}", cell(size / packages),
                              *(cell(peak, " MB") for peak in peaks)]) + " |", flush=True)


if __name__ == "__main__":
    main()
