#!/usr/bin/env python3
"""Rules by a counter that all workers share (scow run --dca) beside a master that is asked for each package.

    /usr/bin/python3 tests/bench/dca/dca.py [--ranks 31 63] [--rules ss gss] [--each 50] [--repeat 3] [--most 330]

Core tasks sleep 20 ms, so that 62 workers need no 62 cores, fifty of them for each worker. The master takes what it takes
here, or, by its profile, half a millisecond more for a package and a tenth for an answer, as one that packs data or has
thousands of workers does. Printed are rows of the guide's table (jobs/guide/figures.md): packages by a master and by the
counter, and medians of the makespan that the report says, with what the report has predicted in brackets. Every row is
run once, then all of them again: no other time begins that would not end within --most seconds, and how often there
were is said. Checksums of both ways must be the same. Needs a build under build/release (or SCOW=/path/to/scow) and a
quiet machine, of which two cores have it done in some five minutes: most of it is the start of ranks.
"""
import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = pathlib.Path(os.environ.get("SCOW", ROOT / "build" / "release" / "bin" / "scow"))
TASK_S = 0.02
MASTERS = {"what it takes here": (0, 0), "0.6 ms more": (5e-4, 1e-4)}
WAYS = {"on request": ["--ahead", "1"], "by the counter": ["--dca"]}


def profile_write(path, workers, envelope_s, answer_s):
    def cost(latency_s, s_per_task=0):
        return {"latency_s": latency_s, "s_per_task": s_per_task}
    window = {"tasks": [1, 100000], "envelope": cost(envelope_s), "send": cost(0), "answer": cost(answer_s),
              "workers": [{"count": workers, "receive": cost(0), "request": cost(answer_s), "compute": cost(0, TASK_S)}]}
    path.write_text(json.dumps({"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}))


def folder_make(root, ranks, master, each):
    """Its profile and plan."""
    folder = root / f"{ranks} {master}"
    folder.mkdir()
    profile_write(folder / "profile.json", ranks - 1, *MASTERS[master])
    subprocess.run([str(SCOW), "plan", "-p", "profile.json", "-X", str(each * (ranks - 1)), "-s", "scow-pwu", "-o",
                    "plan.json", "-q"], cwd=folder, check=True)
    return folder


def run(folder, ranks, rule, way):
    """Makespan, what was predicted, packages and checksum."""
    output = folder / "out.h5"
    output.unlink(missing_ok=True)
    done = subprocess.run(["mpiexec.mpich", "-n", str(ranks), str(SCOW), "run", "plan.json", "-p", "profile.json", "-o",
                           str(output), "-q", "-s", rule, *WAYS[way]], cwd=folder, capture_output=True, text=True, check=False)
    said = subprocess.run([str(SCOW), "report", str(output), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or said.returncode != 0:
        raise SystemExit(f"{done.stderr}{said.stderr}")
    report = json.loads(said.stdout)
    packages = sum(worker["packages"] for worker in report["workers"])
    return report["measured_s"], report["predicted_s"], packages, report["checksum"]


def row_print(row, runs):
    """`runs`: of each way."""
    sums = {one[3] for way in runs.values() for one in way}
    if len(sums) != 1:
        raise SystemExit(f"{row}: checksums {sums}")
    ranks, master, rule = row
    middle = {way: [statistics.median(column) for column in list(zip(*ones))[:3]] for way, ones in runs.items()}
    packages = ", ".join(dict.fromkeys(f"{found[2]:,.0f}" for found in middle.values()))
    times = " | ".join(f"{found[0]:.3f} ({found[1]:.3f})" for found in middle.values())
    print(f"| {ranks} | {master} | `{rule}` | {packages} | {times} |", flush=True)


def all_run(options, root):
    """Runs of every row and way."""
    rows = list(itertools.product(options.ranks, MASTERS, options.rules))
    folders = {(ranks, master): folder_make(root, ranks, master, options.each)
               for ranks, master in itertools.product(options.ranks, MASTERS)}
    runs = {row: {way: [] for way in WAYS} for row in rows}
    start = time.monotonic()
    for turn in range(options.repeat):
        turn_start = time.monotonic()
        for (ranks, master, rule), way in itertools.product(rows, WAYS):
            runs[ranks, master, rule][way].append(run(folders[ranks, master], ranks, rule, way))
        now = time.monotonic()
        print(f"{turn + 1} of {options.repeat}, {now - start:.0f} s", flush=True)
        if now - start + (now - turn_start) > options.most:
            break
    return runs


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=int, nargs="+", default=[31, 63])
    options.add_argument("--rules", nargs="+", default=["ss", "gss"])
    options.add_argument("--each", type=int, default=50)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--most", type=float, default=330)
    options = options.parse_args()
    os.environ["HWLOC_PLUGINS_PATH"] = "/nonexistent"
    with tempfile.TemporaryDirectory() as name:
        runs = all_run(options, pathlib.Path(name))
    print("| ranks | a package takes the master | rule | packages | " + " | ".join(WAYS) + " |\n|---|---|---|---|---|---|")
    for row, ways in runs.items():
        row_print(row, ways)


if __name__ == "__main__":
    main()
