#!/usr/bin/env python3
"""Rules by a counter that all workers share (scow run --dca) beside a master that is asked for each package.

    /usr/bin/python3 tests/bench/dca/dca.py [--ranks 31 63] [--rules ss gss tss fac] [--repeat 3]

Core tasks sleep 20 ms, so that 62 workers need no 62 cores, a hundred for each worker. The master takes what it takes
here, or, by its profile, half a millisecond more for a package and a tenth for an answer, as one that packs data or has
thousands of workers does. Printed are medians of the makespan that the report says, beside what the report has
predicted, and packages. Checksums of both ways must be the same. Needs a build under build/release (or
SCOW=/path/to/scow) and a quiet machine.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = pathlib.Path(os.environ.get("SCOW", ROOT / "build" / "release" / "bin" / "scow"))
TASK_S, TASKS_EACH = 0.02, 100
MASTERS = {"as it is": (0, 0), "0.6 ms a package": (5e-4, 1e-4)}


def profile_write(path, workers, envelope_s, answer_s):
    def cost(latency_s, s_per_task=0):
        return {"latency_s": latency_s, "s_per_task": s_per_task}
    window = {"tasks": [1, 100000], "envelope": cost(envelope_s), "send": cost(0), "answer": cost(answer_s),
              "workers": [{"count": workers, "receive": cost(0), "request": cost(answer_s), "compute": cost(0, TASK_S)}]}
    path.write_text(json.dumps({"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}))


def run(folder, ranks, options):
    """Makespan, what was predicted, packages and checksum."""
    output = folder / "out.h5"
    output.unlink(missing_ok=True)
    done = subprocess.run(["mpiexec.mpich", "-n", str(ranks), str(SCOW), "run", "plan.json", "-p", "profile.json", "-o",
                           str(output), "-q", *options], cwd=folder, capture_output=True, text=True, check=False)
    said = subprocess.run([str(SCOW), "report", str(output), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0 or said.returncode != 0:
        raise SystemExit(f"{done.stderr}{said.stderr}")
    report = json.loads(said.stdout)
    packages = sum(worker["packages"] for worker in report["workers"])
    return report["measured_s"], report["predicted_s"], packages, report["checksum"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=int, nargs="+", default=[31, 63])
    options.add_argument("--rules", nargs="+", default=["ss", "gss", "tss", "fac"])
    options.add_argument("--repeat", type=int, default=3)
    options = options.parse_args()
    os.environ["HWLOC_PLUGINS_PATH"] = "/nonexistent"
    print(f"{'ranks':>5}  {'master':18}{'rule':6}{'on request':>26}{'by a counter':>26}  (measured, predicted, packages)")
    for ranks in options.ranks:
        for master, (envelope_s, answer_s) in MASTERS.items():
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                profile_write(folder / "profile.json", ranks - 1, envelope_s, answer_s)
                subprocess.run([str(SCOW), "plan", "-p", "profile.json", "-X", str(TASKS_EACH * (ranks - 1)), "-s",
                                "scow-pwu", "-o", "plan.json", "-q"], cwd=folder, check=True)
                for rule in options.rules:
                    row = f"{ranks:5}  {master:18}{rule:6}"
                    sums = set()
                    for way in (["--ahead", "1"], ["--dca"]):
                        runs = [run(folder, ranks, ["-s", rule, *way]) for _ in range(options.repeat)]
                        measured_s, predicted_s, packages = (statistics.median(column) for column in list(zip(*runs))[:3])
                        sums |= {one[3] for one in runs}
                        row += f"{measured_s:10.3f}{predicted_s:9.3f}{packages:7.0f}"
                    if len(sums) != 1:
                        raise SystemExit(f"{rule}: checksums {sums}")
                    print(row, flush=True)


if __name__ == "__main__":
    main()
