#!/usr/bin/env python3
"""What planning and simulating cost by the number of core tasks: seconds of a processor, MB, and the size of the plan, for profiles made
here whose packages are small, differ by 6 %, start late, or lie in regions. Prints a table; nothing is asserted.

    python3 tests/bench/planner/numbers.py build/release/bin/scow [--tasks 1e6 1e12] [--limit SECONDS]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

FIT = {"stderr_latency_s": 1e-7, "correlation": -0.5, "deviation": 0.02, "drift": 0.01, "drift_own": 0.01, "r2": 0.99, "n": 40}
RULES = ["ss", "fsc", "gss", "tss", "fiss", "fac", "wf", "dtss", "dfss", "dfiss", "dtfss", "tree", "monitor", "awf-b", "awf-c", "awf-d", "awf-e", "af"]
SCHEDULERS = ["scow-mp", "scow-pwu", "periodic", "umr", "umr2", "umr-scow", "mi", "single", "static", "optimal",
              "scow-mu", "apples"]


def fitted(latency_s, s_per_task):
    return {"latency_s": latency_s, "s_per_task": s_per_task, **FIT, "stderr": 0.01 * s_per_task}


def worker(count, s_per_task, start_s):
    described = {"count": count, "link": fitted(1e-7, 1e-9), "receive": fitted(1e-7, 1e-9), "compute": fitted(1e-5, s_per_task),
                 "output": {"latency_s": 0, "s_per_task": 0}, "request": {"latency_s": 1e-6, "s_per_task": 0}}
    if start_s > 0:
        described["start"] = {"latency_s": start_s}
    return described


def profile(least, greatest, workers, spread, regions):
    setting = {"windows": [{"tasks": [least, greatest], "envelope": fitted(1e-7, 1e-8), "send": fitted(2e-7, 1e-8),
                            "workers": [worker(*each) for each in workers]}]}
    if spread > 0:
        setting["spread"] = [{"tasks": 1, "deviation": spread}]
        if greatest > 1:
            setting["spread"].append({"tasks": min(greatest, 1000), "deviation": 0.9 * spread})
    if regions > 0:
        costs = [0.5 + (k * 7919 % regions) / regions for k in range(regions)]
        setting["map"] = {"tasks": 1000 * regions, "sampled": 10 * regions, "error": 0.01, "unseen": 0.01,
                          "regions": [{"tasks": 1000, "cost": cost * regions / sum(costs)} for cost in costs]}
    return {"schema": "scow-profile-1", "kernel": "sleep", "settings": [setting]}


ALIKE = [(8, 1e-4, 0)]
UNLIKE = [(2, 1e-4, 3), (3, 1.7e-4, 0), (3, 3.1e-4, 7)]
PROFILES = {
    "[1, 1]": profile(1, 1, ALIKE, 0.06, 0),
    "[1, 2]": profile(1, 2, ALIKE, 0.06, 0),
    "[1, 64]": profile(1, 64, ALIKE, 0.06, 0),
    "[1, 2^50]": profile(1, 2**50, ALIKE, 0.06, 0),
    "[1, 2], equal": profile(1, 2, ALIKE, 0, 0),
    "[1, 2], unlike, starts": profile(1, 2, UNLIKE, 0.06, 0),
    "[1, 2], 40 regions": profile(1, 2, UNLIKE, 0.06, 40),
    "[1, 2], 1000 workers": profile(1, 2, [(500, 1e-1, 0), (500, 2e-1, 0)], 0.06, 0),
}


def measure(command, limit_s):
    """Seconds of a processor and MB at most, or None where the limit was passed or it failed."""
    with open(os.devnull, "w", encoding="utf-8") as null:
        process = subprocess.Popen(["prlimit", f"--cpu={limit_s}", *command], stdout=null, stderr=subprocess.PIPE)
        told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 and process.returncode > 0:
        return None, told.strip()
    if process.returncode < 0:
        return None, f"beyond {limit_s} s"
    return (usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), ""


def cell(result):
    found, told = result
    return f"{found[0]:.2f} s, {found[1]:.0f} MB" if found else told[:60]


def worst(results):
    failed = [result for result in results if result[0] is None]
    if failed:
        return failed[0]
    return max(result[0][0] for result in results), max(result[0][1] for result in results)


def commands(scow, path, plan, page, tasks):
    job = ["-p", path, "-X", str(tasks)]
    return [
        ("plan", [[scow, "plan", *job, "-o", plan, "--html", page]]),
        ("simulate it", [[scow, "simulate", "-p", path, plan]]),
        ("with noise", [[scow, "simulate", "-p", path, plan, "--noise", "0.1", "--seeds", "20"]]),
        ("`--tail none`", [[scow, "plan", *job, "--tail", "none"]]),
        ("`--compare`", [[scow, "plan", *job, "--compare"]]),
        ("`--sweep`", [[scow, "plan", *job, "--sweep"]]),
        ("worst `-s` scheduler", [[scow, "plan", *job, "-s", name, "--tail", "none"] for name in SCHEDULERS]),
        ("worst rule", [[scow, "simulate", *job, "-s", rule] for rule in RULES]),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scow")
    parser.add_argument("--tasks", type=float, nargs="+", default=[1e6, 1e12])
    parser.add_argument("--limit", type=int, default=20, help="seconds of a processor that a command may take")
    parser.add_argument("--profiles", nargs="+", default=list(PROFILES))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        plan, page = os.path.join(directory, "plan.json"), os.path.join(directory, "page.html")
        names = [name for name, _ in commands("", "", "", "", 1)]
        print("| profile | core tasks |", " | ".join(names), "| plan, page |")
        print("|" + "---|" * (len(names) + 3))
        for name in options.profiles:
            path = os.path.join(directory, "profile.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(PROFILES[name], file)
            for tasks in options.tasks:
                cells = []
                for _, lines in commands(options.scow, path, plan, page, int(tasks)):
                    results = [measure(line, options.limit) for line in lines]
                    made = [found for found, _ in results if found]
                    failed = [told for found, told in results if not found and told.startswith("beyond")]
                    cells.append(failed[0] if failed else
                                 f"{max(found[0] for found in made):.2f} s, {max(found[1] for found in made):.0f} MB" if made
                                 else results[0][1][:60])
                sizes = ", ".join(f"{os.path.getsize(file) / 1e3:.0f} kB" if os.path.exists(file) else "none" for file in (plan, page))
                print(f"| `{name}` | {tasks:.0e} | " + " | ".join(cells) + f" | {sizes} |")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
