#!/usr/bin/env python3
"""What the waiting master costs its workers where there are as many of them as cores.

    /usr/bin/python3 tests/bench/waiting/waiting.py [--repeat N]

Three runs take turns, with the same core tasks (motif search: no memory to speak of) and packages:
one worker fewer than cores, so that the master has a core to itself; as many as cores; and the same
with the master stopped while the workers compute, which a fixed plan allows, for it is sent ahead.
Printed are the medians of the compute time of a core task, of the master's processor time while the
workers compute, and of how long a worker, ready to run, waits for a core meanwhile, as the kernel's
scheduler counts it: that is what others take from it, whatever the machine's speed does. Cores that share a physical one are slower together, whoever waits: the second
comparison is free of that. Needs a build under build/release and two cores that nobody else uses.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCOW = ROOT / "build" / "release" / "bin" / "scow"
SEQUENCES, LETTERS, LENGTH, GRAIN = 7, 40, 8, 10_000_000
STEP_S = 0.2


def sequences_write(path):
    chance = random.Random(1)
    path.write_text("".join(f">{k}\n{''.join(chance.choices('acgt', k=LETTERS))}\n"
                            for k in range(SEQUENCES)))


def plan_write(path, workers, tasks):
    """Five packages for each worker, of core tasks of one cost."""
    load = tasks // (5 * workers)
    plan = {"schema": "scow-plan-1", "kernel": "motif", "scheduler": "by hand",
            "parameters": {"length": LENGTH, "grain": GRAIN, "sequences": SEQUENCES,
                           "search": "brute-force", "ship": "indices"},
            "tasks": tasks, "workers": list(range(workers)),
            "rounds": [{"repeat": 5, "loads": [load] * workers},
                       {"repeat": 1, "loads": [tasks - 5 * load * workers] + [0] * (workers - 1)}]}
    if tasks == 5 * load * workers:
        del plan["rounds"][1]
    path.write_text(json.dumps(plan))


def ranks_find():
    """Processes of the run by rank; what they have started themselves is younger."""
    ranks = {}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if not folder.name.isdigit() or not (folder / "comm").read_text().startswith("scow"):
                continue
            variables = dict(item.split("=", 1) for item in (folder / "environ").read_text()
                             .split("\0") if "=" in item)
            if variables.get("SCOW_BENCH") == str(os.getpid()) and "PMI_RANK" in variables:
                rank, process = int(variables["PMI_RANK"]), int(folder.name)
                ranks[rank] = min(process, ranks.get(rank, process))
        except OSError:
            continue
    return ranks


def schedule_s(process):
    """Seconds that it has run, and that it was ready and waited for a core; None: it is gone."""
    try:
        words = pathlib.Path(f"/proc/{process}/schedstat").read_text().split()
    except OSError:
        return None
    return int(words[0]) * 1e-9, int(words[1]) * 1e-9


def watch(run, size, stop):
    """While all workers compute, and the master is stopped if asked for: its share of a core, and
    the part of the time for which a worker waits for one."""
    ranks = {}
    while run.poll() is None and len(ranks) < size:
        time.sleep(STEP_S)
        ranks = ranks_find()
    time.sleep(2 * STEP_S)
    if stop:
        os.kill(ranks[0], signal.SIGSTOP)
    taken = waited = passed = 0
    before = {rank: schedule_s(process) for rank, process in ranks.items()}
    then = time.monotonic()
    while True:
        time.sleep(STEP_S)
        now = {rank: schedule_s(process) for rank, process in ranks.items()}
        at = time.monotonic()
        if any(now[rank] is None or rank and now[rank][0] - before[rank][0] < 0.15 * (at - then)
               for rank in ranks):
            break
        taken += now[0][0] - before[0][0]
        waited += statistics.mean(now[rank][1] - before[rank][1] for rank in ranks if rank)
        passed += at - then
        before, then = now, at
    if stop:
        os.kill(ranks[0], signal.SIGCONT)
    return (taken / passed, waited / passed) if passed > 0 else (0, 0)


def run_measured(folder, workers, tasks, stop=False):
    """Seconds of computing a core task, the master's share of a core, a worker's waiting for one."""
    plan, output = folder / f"plan{workers}.json", folder / "out.h5"
    plan_write(plan, workers, tasks)
    output.unlink(missing_ok=True)
    environment = dict(os.environ, OMP_NUM_THREADS="1", SCOW_BENCH=str(os.getpid()))
    run = subprocess.Popen(["mpiexec.mpich", "-n", str(workers + 1), SCOW, "run", plan, "-q",
                            "-i", folder / "sequences.fasta", "-o", output],
                           env=environment, stdout=subprocess.DEVNULL)
    shares = watch(run, workers + 1, stop)
    if run.wait() != 0:
        raise SystemExit("a run failed")
    report = json.loads(subprocess.run([SCOW, "report", output, "--json"], check=True,
                                       capture_output=True).stdout)
    return report["operations"]["compute"]["measured_s"] / tasks, *shares


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7, help="runs of each kind (7)")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        raise SystemExit("waiting.py: needs two cores")
    all_tasks = -(-(LETTERS - LENGTH + 1) ** SEQUENCES // GRAIN)
    kinds = {"a core to spare": (cores - 1, False), "as many workers as cores": (cores, False),
             "the same, master stopped": (cores, True)}
    compute = {kind: [] for kind in kinds}
    shares = {kind: [] for kind in kinds}
    waits = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sequences_write(folder / "sequences.fasta")
        for _ in range(options.repeat):
            for kind, (workers, stop) in kinds.items():
                seconds, share, wait = run_measured(folder, workers, all_tasks, stop)
                compute[kind].append(seconds)
                shares[kind].append(share)
                waits[kind].append(wait)
    print(f"{'':28}{'compute/task':>14}{'least':>12}{'master':>10}{'worker waits':>14}")
    for kind in kinds:
        print(f"{kind:28}{1e3 * statistics.median(compute[kind]):11.4f} ms"
              f"{1e3 * min(compute[kind]):9.4f} ms{100 * statistics.median(shares[kind]):8.2f} %"
              f"{100 * statistics.median(waits[kind]):12.2f} %")
    spare, full, stopped = (statistics.median(compute[kind]) for kind in kinds)
    print(f"over a core to spare {100 * (full / spare - 1):+.2f} %, "
          f"over a master that is stopped {100 * (full / stopped - 1):+.2f} %")


if __name__ == "__main__":
    main()
