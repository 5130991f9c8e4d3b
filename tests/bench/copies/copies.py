#!/usr/bin/env python3
"""What a worker costs that is stopped in the middle of a run, with copies of overdue packages and without.

    /usr/bin/python3 tests/bench/copies/copies.py [--workers 8] [--repeat 3] [--patience 20] [--latency 0.002]

Core tasks sleep, so that eight workers need no eight cores. A plan (one package for each worker), the same watched, and
rules on request, where a package costs its worker --latency seconds beside its core tasks: each undisturbed, with the
worker of rank 2 stopped (SIGSTOP) at half of that time, and the same with --no-copies, where it is waited for until
--patience is over. Printed are medians of the makespan that the report says, and of the time until the command ends.
Needs a build under build/release (or SCOW=/path/to/scow) and a quiet machine.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = pathlib.Path(os.environ.get("SCOW", ROOT / "build" / "release" / "bin" / "scow"))
TASK_S, TASKS_EACH = 0.01, 600
CASES = (("plan", []), ("plan, --replan 10%", ["--replan", "10%"]), ("fac", ["-s", "fac"]), ("tss", ["-s", "tss"]))


def profile_write(path, workers, latency_s):
    nothing = {"latency_s": 0, "s_per_task": 0}
    window = {"tasks": [1, 100000], "envelope": {"latency_s": 1e-3, "s_per_task": 0}, "send": nothing,
              "workers": [{"count": workers, "receive": nothing,
                           "compute": {"latency_s": latency_s, "s_per_task": TASK_S}}]}
    path.write_text(json.dumps({"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}))


def rank_find(output, rank):
    """The process of that rank."""
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "comm").read_text().startswith("scow") and \
                    str(output) in (folder / "cmdline").read_text() and \
                    f"PMI_RANK={rank}" in (folder / "environ").read_text().split("\0"):
                return int(folder.name)
        except OSError:
            continue
    return None


def stop_later(output, at_s):
    while not pathlib.Path(str(output)).exists():
        time.sleep(0.01)
    time.sleep(at_s)
    process = rank_find(output, 2)
    if process:
        os.kill(process, signal.SIGSTOP)


def run(folder, workers, options, stop_s=None):
    """Makespan by the report, and seconds until the command has ended."""
    output = folder / "out.h5"
    output.unlink(missing_ok=True)
    hosts = ",".join(f"h{k}" for k in range(workers + 1))
    command = ["mpiexec.mpich", "-disable-auto-cleanup", "-launcher", "fork", "-hosts", hosts, "-n", str(workers + 1),
               str(SCOW), "run", "plan.json", "-p", "profile.json", "-o", str(output), "-q", *options]
    begin_s = time.monotonic()
    stopper = threading.Thread(target=stop_later, args=(output, stop_s)) if stop_s else None
    if stopper:
        stopper.start()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall_s = time.monotonic() - begin_s
    if stopper:
        stopper.join()
    said = subprocess.run([str(SCOW), "report", str(output), "--json"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(f"{done.stderr}{said.stderr}")
    report = json.loads(said.stdout)
    if report["tasks_done"] != report["tasks"] or not report["complete"]:
        raise SystemExit(f"not all is done: {done.stderr}")
    return report["measured_s"], wall_s


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--workers", type=int, default=8)
    options.add_argument("--repeat", type=int, default=3)
    options.add_argument("--patience", type=float, default=20)
    options.add_argument("--latency", type=float, default=0.002)
    options = options.parse_args()
    os.environ["HWLOC_PLUGINS_PATH"] = "/nonexistent"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        profile_write(folder / "profile.json", options.workers, options.latency)
        subprocess.run([str(SCOW), "plan", "-p", "profile.json", "-X", str(TASKS_EACH * options.workers), "-s", "scow-pwu",
                        "-o", "plan.json", "-q"], cwd=folder, check=True)
        patience = ["--patience", str(options.patience)]
        print(f"{'':20} {'undisturbed':>12} {'stopped':>18} {'--no-copies':>18}   (makespan, until it ends)")
        for label, case in CASES:
            usual, copied, waited = [], [], []
            for _ in range(options.repeat):
                usual.append(run(folder, options.workers, case))
                half_s = usual[-1][0] / 2
                copied.append(run(folder, options.workers, case + patience, half_s))
                waited.append(run(folder, options.workers, case + patience + ["--no-copies"], half_s))
            middle = [[statistics.median(column) for column in zip(*rows)] for rows in (usual, copied, waited)]
            base_s = middle[0][0]
            print(f"{label:20} {base_s:10.2f} s " +
                  " ".join(f"{span:8.2f} {100 * (span / base_s - 1):+5.0f} % {wall:6.1f}" for span, wall in middle[1:]),
                  flush=True)


if __name__ == "__main__":
    main()
