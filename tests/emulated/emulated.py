#!/usr/bin/env python3
"""What run.sh does on one emulated cluster, and its table.

    emulated.py --scow PATH --name CLUSTER --nodes N [--work chain|filter|sleep] [--chain FILE.so] [--runs R]
                [--every RUNS] [--budget SECONDS] [--only NAME,...] [--smoke] -- MPIEXEC...
    emulated.py --table CLUSTER...          every row by itself; exit code 1 where one is off by too much
    emulated.py --brief CLUSTER...          a row for every scheduler: the table of jobs/guide/figures.md

Every fifth run of a core task begins with a calibration; 'sleep' has its costs from a profile of random ones.
Then every static scheduler's plan and every rule are run, in random order, and what the report says of each is
kept in build/emulated/results.json; one that does not apply is left out. What was measured while this machine's
own host gave more than a twentieth of the workers' core to others is measured again, whatever it took. All
runs of a job must leave one checksum, that of a run on this machine's cores. With --smoke: one run of less, and
nothing but checksums counts.

The core tasks are chains of multiplications (chain.c), or with --work filter the matched filter, which is kept
as CLUSTER-filter. A virtual machine may compute a third slower from one minute to the next where that keeps a
core's units busy, as the filter does, and no node that is emulated on it is then what was calibrated: with
the filter, a loop before and after tells the machine's pace, and a run around which it was another than around
its calibration is measured again, too, or calibrated for anew.
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "build" / "emulated"
KEPT = HERE / "results.json"
STATIC = ["scow-mp", "scow-pwu", "optimal", "umr", "static"]
RULES = ["ss", "gss", "fac", "awf-c", "monitor"]
ANY = "scow-mp"  # a plan that says which job a rule assigns
# Of the error's absolute value, over the runs of a row.
MEDIAN_MOST, P95_MOST = 0.05, 0.10
RETINA = ROOT / "jobs" / "data" / "retina.png"
# Of the photograph, a little moved each, in 112 tiles. By 210 filters without a shorter way, one takes more than 50 ms
# on the slowest node, many periods of its share: what a rest gives it at once is little beside that. Processors take
# their time to get ready for AVX-512, which shares of a millisecond would meet over and over again.
SLICES, SIDES, BLOCK, ALGORITHM, ISA = 2, (896, 1123), 125, "direct", "avx2"
# As many chains as the filter has tiles, which bring and leave as many bytes and take twice as long: 100 ms on the
# slowest node, twelve periods of its share.
CHAINS = {"tasks": 112, "links": 18000000, "bytes": 22000, "numbers": 15625}
# Of a calibration, seconds: the largest package, which 'static' assigns, must take no more than a twentieth of it or
# so. Where workers are unlike, that is the fastest one's share, and the slowest has to work on it, too.
BUDGETS = {"even": 90, "uneven": 160}
EVERY = 5  # runs
# A run's pace is its calibration's if it differs by no more, and no more of the workers' core may be stolen; so many
# times a run is tried, and so many a calibration, and a run before the next calibration.
PACE_APART, STOLEN_MOST, TRIES, CALIBRATION_TRIES = 0.05, 0.05, 9, 3


def pace_s():
    """How long multiplying small matrices takes the workers' core. What shares that core's units with this machine
    shows in such work, and hardly in any other."""
    import numpy as np  # for the long form only
    factor, taken = np.ones((96, 96), np.float32), []

    def multiply():
        os.sched_setaffinity(0, {1})  # of this thread
        product = factor
        for _ in range(40):
            began = time.thread_time()
            for _ in range(20):
                product = factor @ (product / 96)
            taken.append(time.thread_time() - began)
    thread = threading.Thread(target=multiply)
    thread.start()
    thread.join()
    return statistics.median(taken)


class Cluster:
    """Where to run, and with what."""

    def __init__(self, options):
        self.scow, self.mpiexec = options.scow, options.mpiexec
        self.ranks = options.nodes
        self.patience_s = 60 if options.smoke else 600  # ranks that hang shall not keep the nodes
        self.folder = HERE / options.kept
        self.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *words, infeasible=None):
        """What a command prints; None where it ends with that exit code."""
        words = [str(word) for word in words]
        try:
            done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=self.patience_s,
                                  env=dict(os.environ, OMP_NUM_THREADS="1"))
        except subprocess.TimeoutExpired:
            sys.exit(f"{' '.join(words)}: not done after {self.patience_s} s")
        if done.returncode == infeasible:
            return None
        if done.returncode != 0:
            sys.exit(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def alone(self, *words, infeasible=None):
        return self.call(self.scow, *words, infeasible=infeasible)

    def spread(self, *words):
        return self.call(*self.mpiexec, "-n", self.ranks, self.scow, *words)

    def here(self, *words):
        """On this machine's cores, where nothing is limited."""
        return self.call("mpiexec.mpich", "-n", 3, self.scow, *words)


class Filter:
    """The matched filter, on a stack of slices cut from the photograph; in the short form the photograph itself."""
    restful = False  # takes as long at any pace of the machine

    def __init__(self, cluster, options):
        self.planned = ["-i", RETINA] if options.smoke else ["-i", "stack.h5:/stack"]
        self.run = [*self.planned, "--isa", ISA]
        self.calibrated = [*self.run, "--bank", "source", "--combine", "max", "--block", BLOCK, "--algorithm",
                           ALGORITHM]
        if not options.smoke:
            self.stack_write(cluster)

    @staticmethod
    def stack_write(cluster):
        import h5py  # these are for the long form only
        import numpy as np
        from PIL import Image
        picture = np.asarray(Image.open(RETINA))
        with h5py.File(cluster.folder / "stack.h5", "w") as file:
            file["stack"] = np.stack([picture[3 * k:, 3 * k:][:SIDES[0], :SIDES[1]] for k in range(SLICES)])


class Chain:
    """Chains of multiplications, by a plug-in."""
    restful = True

    def __init__(self, _cluster, options):
        tasks = dict(CHAINS, tasks=16, links=200000) if options.smoke else CHAINS
        self.planned = self.run = []
        self.calibrated = ["-k", options.chain, *(word for name, value in tasks.items() for word in (f"--{name}", value))]


class Sleep:
    """Random costs: workers up to four times as fast as others, links that are busy for a third."""
    restful = True

    def __init__(self, cluster, options):
        dice = random.Random(7)
        crew, count = [], cluster.ranks - 1
        target_s = 0.3 if options.smoke else 1.5

        def cost(latency_ms, rate_us=(0, 0)):
            return {"latency_s": dice.uniform(*latency_ms) * 1e-3,
                    "s_per_task": dice.uniform(*rate_us) * 1e-6}

        for _ in range(count):
            crew.append({"receive": cost((0.2, 1)), "output": cost((0.2, 1)),
                         "compute": {"latency_s": dice.uniform(1, 3) * 1e-3,
                                     "s_per_task": 1e-3 * math.exp(dice.uniform(0, math.log(4)))}})
        tasks = int(0.9 * target_s * sum(1 / w["compute"]["s_per_task"] for w in crew))
        link_us = 1e6 * 0.35 * target_s / tasks
        for worker in crew:
            worker["link"] = cost((1, 3), (0.5 * link_us, 1.5 * link_us))
        window = {"tasks": [1, 4 * -(-tasks // count)], "workers": crew,
                  "envelope": cost((0.1, 0.3), (0.1 * link_us, 0.2 * link_us)), "send": cost((0.1, 0.2))}
        profile = {"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}
        (cluster.folder / "profile.json").write_text(json.dumps(profile))
        self.planned, self.run = ["-X", tasks], []
        self.calibrated = None  # the profile is there


WORKS = {"filter": Filter, "chain": Chain, "sleep": Sleep}


def calibrate(cluster, job, budget_s):
    cluster.spread("calibrate", *job.calibrated, "--quick", "--budget", f"{budget_s}s", "-q", "--probes",
                   "probes.tsv", "-o", "profile.json")


class Trial:
    """A cluster and a job, and what its host was like around the calibration."""

    def __init__(self, cluster, job, options):
        self.cluster, self.job, self.options = cluster, job, options
        self.paced = not job.restful and not options.smoke
        self.pace = 1
        self.repeated = self.restless = 0

    def around(self, work, *arguments):
        """What that returns, the paces before and after it, and the share of the workers' core that was stolen."""
        before = pace_s() if self.paced else self.pace
        start_s, stolen_before_s = time.monotonic(), stolen_s("cpu1")
        made = work(*arguments)
        stolen = (stolen_s("cpu1") - stolen_before_s) / (time.monotonic() - start_s)
        return made, [before, pace_s() if self.paced else self.pace], stolen

    def paced_alike(self, paces):
        """Was the host as it was for the calibration?"""
        return max(abs(pace / self.pace - 1) for pace in paces) <= PACE_APART

    def counts(self, paces, stolen):
        """And was it there?"""
        return self.options.smoke or (self.paced_alike(paces) and stolen <= STOLEN_MOST)

    def calibrate(self):
        """Until that counts, or often enough."""
        if not self.job.calibrated:
            return
        budget_s = 2 if self.options.smoke else self.options.budget or BUDGETS[self.options.name]
        for _ in range(CALIBRATION_TRIES):
            _, paces, stolen = self.around(calibrate, self.cluster, self.job, budget_s)
            self.pace = statistics.mean(paces)
            if self.counts(paces, stolen):
                return
            self.repeated_tell("calibration", paces, stolen)

    def repeated_tell(self, what, paces, stolen):
        self.repeated += 1
        print(f"{self.options.kept}, {what}: at {' and '.join(f'{pace / self.pace:.2f}' for pace in paces)} times the "
              f"pace of the calibration, {100 * stolen:.0f} % stolen", file=sys.stderr, flush=True)

    def run(self, name):
        """Until that counts, calibrating anew now and then where the pace is another; None: it does not apply."""
        for attempt in range(TRIES):
            run, paces, stolen = self.around(one_run, self.cluster, self.job, name)
            if run is None or self.counts(paces, stolen):
                break
            self.repeated_tell(name, paces, stolen)
            if attempt + 1 == TRIES:
                self.restless += 1
                break
            outputs_remove(self.cluster)
            if attempt % CALIBRATION_TRIES + 1 == CALIBRATION_TRIES and not self.paced_alike(paces):
                self.calibrate()
        return run and {"stolen": stolen, **run}


def outputs_remove(cluster):
    for leftover in cluster.folder.glob("*.h5"):
        if leftover.name != "stack.h5":
            leftover.unlink()


def one_run(cluster, job, name):
    """By a static scheduler's plan or a rule: what the report says; None: it does not apply."""
    plan, out = f"{name}-plan.json", f"{name}.h5"
    wanted = name if name in STATIC else ANY
    if cluster.alone("plan", "-p", "profile.json", *job.planned, "-s", wanted, "-q", "-o", plan,
                     infeasible=3) is None:
        return None
    cluster.spread("run", plan, *job.run, "-p", "profile.json", "-o", out, "-q",
                   *([] if name in STATIC else ["-s", name]))
    report = json.loads(cluster.alone("report", out, "--json"))
    figures = json.loads(cluster.alone("report", "--compare", out, "--json"))["runs"][0]
    return {"name": name, "predicted_s": report["predicted_s"], "measured_s": report["measured_s"],
            "error": report["error"], "model_error": report["model_error"],
            "over_ideal": figures["over_ideal"], "packages": figures["packages"],
            "checksum": report["checksum"]}


def stolen_s(core):
    """Processor time that this core was ready to use, and the machine's host gave to others."""
    for line in pathlib.Path("/proc/stat").read_text().splitlines():
        words = line.split()
        if words[0] == core:
            return int(words[8]) / os.sysconf("SC_CLK_TCK")
    return 0


def checksum_here(cluster, job):
    """Of the same job where nothing is emulated: assigned to two workers, whoever was planned for."""
    cluster.alone("plan", "-p", "profile.json", *job.planned, "-s", ANY, "-q", "-o", "here.json")
    cluster.here("run", "here.json", *job.run, "-p", "profile.json", "-o", "here.h5", "-q", "-s", "gss")
    return json.loads(cluster.alone("report", "here.h5", "--json"))["checksum"]


def measure(options):
    cluster = Cluster(options)
    job = WORKS[options.work](cluster, options)
    names = ["scow-mp", "fac"] if options.smoke else STATIC + RULES
    names = [name for name in names if not options.only or name in options.only.split(",")]
    trial = Trial(cluster, job, options)
    runs, sums = [], set()
    for repeat in range(1 if options.smoke else options.runs):
        outputs_remove(cluster)
        if repeat % options.every == 0:
            trial.calibrate()
        order = random.Random(repeat).sample(names, len(names))
        for name in order:
            run = trial.run(name)
            if run is None:
                print(f"{options.kept}, run {repeat + 1}, {name}: does not apply", file=sys.stderr, flush=True)
                continue
            runs.append({"repeat": repeat, **run})
            sums.add(run["checksum"])
            print(f"{options.kept}, run {repeat + 1}, {name}: predicted {run['predicted_s'] or 0:.3f} s, "
                  f"measured {run['measured_s']:.3f} s", file=sys.stderr, flush=True)
        if not options.smoke:
            keep(options.kept, runs)
    print(f"{options.kept}: {trial.repeated} calibrations and runs repeated, {trial.restless} runs kept that should "
          "have been", file=sys.stderr)
    sums.add(checksum_here(cluster, job))
    if len(sums) != 1:
        sys.exit(f"{options.kept}: checksums differ: {', '.join(sorted(sums))}")


def keep(name, runs):
    results = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    results[name] = runs
    KEPT.write_text(json.dumps(results, indent=1))


def percentile(values, share):
    """The least value that at least that share does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered) - 1e-9) - 1)]


def rows_of(results, cluster, name):
    """What was kept of a scheduler or rule, where it was predicted."""
    return [r for r in results.get(cluster, []) if r["name"] == name and r["error"] is not None]


def errors_of(rows):
    """The median of their absolute values, and what 95 % of them are within."""
    errors = [abs(row["error"]) for row in rows]
    return statistics.median(errors), percentile(errors, 0.95)


def brief(names):
    """The guide's (jobs/guide/figures.md)."""
    results = json.loads(KEPT.read_text())
    print("| scheduler |" + "".join(f" {name} | error | T/ideal |" for name in names))
    print("|---|" + "---|---|---|" * len(names))
    for name in STATIC + RULES:
        cells = []
        for cluster in names:
            rows = rows_of(results, cluster, name)
            if not rows:
                cells += ["", "", ""]
                continue
            predicted, measured, over = (statistics.median(row[key] for row in rows)
                                         for key in ("predicted_s", "measured_s", "over_ideal"))
            median, p95 = errors_of(rows)
            cells += [f"{predicted:.2f}, {measured:.2f} s", f"{100 * median:.1f} % ({100 * p95:.1f} %)", f"{over:.3f}"]
        print(f"| `{name}` | " + " | ".join(cells) + " |")


def table(names):
    """Is every row within what it may be?"""
    results = json.loads(KEPT.read_text())
    good = True
    print("| cluster | scheduler | runs | predicted | measured | error: median | 95 % within | T/ideal |\n"
          "|---|---|---|---|---|---|---|---|")
    for cluster in names:
        for name in STATIC + RULES:
            mine = rows_of(results, cluster, name)
            if not mine:
                continue
            median, p95 = errors_of(mine)
            off = median > MEDIAN_MOST or p95 > P95_MOST
            good = good and not off

            def middle(key):
                return statistics.median(r[key] for r in mine)
            print(f"| {cluster} | `{name}` | {len(mine)} | {middle('predicted_s'):.2f} s | "
                  f"{middle('measured_s'):.2f} s | {100 * median:.1f} % | {100 * p95:.1f} %"
                  f"{' (too much)' if off else ''} | {middle('over_ideal'):.3f} |")
        every = [r for r in results[cluster] if r["error"] is not None]
        median, p95 = errors_of(every)
        print(f"| {cluster} | all | {len(every)} | | | {100 * median:.1f} % | {100 * p95:.1f} % | |")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--scow")
    parser.add_argument("--name")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--work", choices=WORKS, default="chain")
    parser.add_argument("--chain", type=pathlib.Path, metavar="FILE.so", help="chain.c, compiled")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="of a calibration")
    parser.add_argument("--every", type=int, default=EVERY, metavar="RUNS", help="calibrate before every so many")
    parser.add_argument("--only", default="", help="NAME,...: these schedulers and rules")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--table", nargs="+", metavar="CLUSTER")
    parser.add_argument("--brief", nargs="+", metavar="CLUSTER")
    parser.add_argument("mpiexec", nargs="*")
    options = parser.parse_args()
    if options.brief:
        brief(options.brief)
        return
    if options.table:
        sys.exit(not table(options.table))
    options.kept = options.name + ("-filter" if options.work == "filter" else "")
    measure(options)


if __name__ == "__main__":
    main()
