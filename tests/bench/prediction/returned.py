#!/usr/bin/python3
"""How far predictions of runs are off whose results return to the master, and of runs by other operating models: `sleep` imitates clusters of
known costs on the real executor, ports that are idle and ports that hold everybody up, a master that is slow to write, workers that differ.

    /usr/bin/python3 tests/bench/prediction/returned.py [--runs 10] [--case NAME] [--bin build/release/bin]

For each cluster: the plan's prediction, the median of so many runs, the median and the largest of their relative errors, and what results
and their writing came to beside what was predicted. Exit code 1: a median error is above 3 %.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
MOST = 0.03

# Name, when results return, tasks, seconds and seconds a task of the master's envelope, its writing, then of workers: how many, link, compute, result.
CASES = {
    "idle port": ("package", 600, (2e-3, 0), (1e-3, 0), [(3, (2e-3, 1e-4), (5e-3, 1e-2), (2e-3, 1e-4))]),
    "busy port": ("package", 600, (1e-3, 0), (1e-3, 0), [(4, (2e-3, 1e-4), (5e-3, 1e-2), (2e-3, 2.5e-3))]),
    "slow writing": ("package", 600, (1e-3, 0), (5e-3, 2e-3), [(3, (2e-3, 1e-4), (5e-3, 1e-2), (2e-3, 1e-4))]),
    "large results": ("package", 400, (2e-3, 0), (1e-3, 1e-4), [(3, (2e-3, 1e-3), (5e-3, 2e-2), (2e-2, 2e-3))]),
    "unlike workers": ("package", 600, (2e-3, 0), (1e-3, 1e-4), [(2, (2e-3, 1e-4), (5e-3, 1e-2), (3e-3, 2e-4)),
                                                                (2, (5e-3, 5e-4), (5e-3, 2.5e-2), (1e-2, 1e-3))]),
    "at the end": ("end", 600, (2e-3, 0), (1e-3, 1e-4), [(3, (2e-3, 1e-4), (5e-3, 1e-2), (5e-2, 1e-3))]),
    "large, at the end": ("end", 400, (2e-3, 0), (1e-2, 1e-3), [(3, (2e-3, 1e-3), (5e-3, 2e-2), (2e-2, 4e-3))]),
}

MODELS = "single-port", "multi-port", "receive-in-parallel", "send-in-parallel", "work-in-parallel", "no-parallelism"
# By every model, without results and with them: transfers and results that hold up each other, where the model has them do so.
CASES |= {model: ("none", 300, (1e-3, 0), (0, 0), [(2, (4e-3, 2e-3), (5e-3, 8e-3), (0, 0)), (1, (2e-3, 4e-3), (5e-3, 1.2e-2), (0, 0))])
          for model in MODELS}
CASES |= {f"{model}, results": ("package", 300, (1e-3, 0), (1e-3, 0), [(2, (4e-3, 2e-3), (5e-3, 8e-3), (4e-3, 2e-3)),
                                                                       (1, (2e-3, 4e-3), (5e-3, 1.2e-2), (2e-3, 1e-3))])
          for model in MODELS}


def cost(pair):
    return {"latency_s": pair[0], "s_per_task": pair[1]}


def profile_of(case):
    results, tasks, envelope, collect, workers = case
    window = {"tasks": [1, tasks], "envelope": cost(envelope), "send": cost((0, 0)), "collect": cost(collect),
              "workers": [{"count": count, "link": cost(link), "receive": cost((0, 0)), "compute": cost(compute), "result": cost(result)}
                          for count, link, compute, result in workers]}
    return {"schema": "scow-profile-1", "kernel": "sleep", "parameters": {"results": results} if results != "none" else {}, "settings": [{"windows": [window]}]}


def scow(binaries, *arguments, ranks=0):
    command = [str(binaries / "scow"), *arguments]
    if ranks:
        command = ["mpiexec.mpich", "-n", str(ranks)] + command
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def one_run(binaries, ranks):
    pathlib.Path("out.h5").unlink(missing_ok=True)
    scow(binaries, "run", "plan.json", "-p", "profile.json", "-o", "out.h5", "-q", ranks=ranks)
    return json.loads(scow(binaries, "report", "out.h5", "--json"))


def beside(reports, name):
    if name not in reports[0]["operations"]:
        return f"no {name}"
    measured = statistics.median(report["operations"][name]["measured_s"] for report in reports)
    return f"{name} {reports[0]['operations'][name]['predicted_s']:.3f} s, {measured:.3f} s"


def measure(binaries, name, runs):
    case = CASES[name]
    pathlib.Path("profile.json").write_text(json.dumps(profile_of(case)), encoding="utf-8")
    model = name.removesuffix(", results")
    scow(binaries, "plan", "-p", "profile.json", "-X", str(case[1]), "-o", "plan.json", *(("--model", model) if model in MODELS else ()))
    ranks = 1 + sum(workers[0] for workers in case[4])
    reports = [one_run(binaries, ranks) for _ in range(runs)]
    errors = [report["measured_s"] / report["predicted_s"] - 1 for report in reports]
    median = statistics.median(abs(error) for error in errors)
    print(f"{name}: predicted {reports[0]['predicted_s']:.3f} s, measured {statistics.median(r['measured_s'] for r in reports):.3f} s, "
          f"off by {100 * median:.2f} % in the median of {runs}, at most {100 * max(map(abs, errors)):.2f} %; "
          f"{beside(reports, 'result')}; {beside(reports, 'collect')}", flush=True)
    return median


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--case", choices=CASES)
    options.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    options = options.parse_args()
    binaries = options.bin.resolve()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        medians = [measure(binaries, name, options.runs) for name in ([options.case] if options.case else CASES)]
    return max(medians) > MOST


if __name__ == "__main__":
    sys.exit(main())
