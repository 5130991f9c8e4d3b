"""trial.py PROFILE MAKESPAN SCOW: the Python module, as it is installed, says what the command says."""

import gc
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

import scow_plan

PROFILE, MAKESPAN, SCOW = sys.argv[1], float(sys.argv[2]), sys.argv[3]


def refused(kind, words, call, *arguments, **named):
    """The call raises that, with these words."""
    try:
        call(*arguments, **named)
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"{words}: not refused")


def command(*words):
    return subprocess.run([SCOW, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def plans(profile):
    plan = profile.plan(1000)
    assert plan.makespan_s == MAKESPAN, plan.makespan_s
    assert json.loads(plan.text()) == json.loads(command("plan", "-p", PROFILE, "-X", "1000", "--json"))
    least, most = plan.interval_s
    assert least < plan.makespan_s < most
    assert plan.lower_bound_s <= plan.makespan_s and plan.gap >= 0 and 0 < plan.busy_share <= 1
    packages = list(plan.packages())
    assert len(packages) == len(plan) and sum(package.tasks for package in packages) == plan.tasks == 1000
    assert packages[0].first == 0 and {package.rank for package in packages} <= set(range(1, plan.workers_needed + 1))
    assert packages[-1].round == plan.rounds - 1
    assert plan.walltime_s(0.001) >= plan.walltime_s(0.1) > plan.makespan_s
    assert "#SBATCH --time=" in plan.batch_lines() and "#PBS" in plan.batch_lines("pbs")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.json"
        plan.write(path)
        assert scow_plan.Plan.read(path).text() == plan.text()
        assert command("simulate", "-p", PROFILE, str(path)).startswith("makespan ")
    assert scow_plan.Plan.parse(json.loads(plan.text())).makespan_s == plan.makespan_s
    assert profile.plan(1000, set={}).text() == plan.text()
    many = scow_plan.Profile.read(PROFILE).plan(2_000_000, scheduler="scow-mp", workers=200)
    assert many.scheduler == "scow-mp" and many.tail is None
    assert sum(package.tasks for package in many.packages()) == 2_000_000 and len(many) > 4096, len(many)


def studies(profile):
    compared = profile.compare(1000)["plans"]
    assert min(plan["makespan_s"] for plan in compared) == compared[0]["makespan_s"]
    assert profile.sweep(1000)["schema"] == "scow-sweep-1"
    plan = profile.plan(1000, tail="none")
    assert abs(profile.simulate(plan).makespan_s / plan.without_variation_s - 1) < 1e-12
    noisy = profile.simulate(plan, noise=0.1, seeds=20, seed=7)
    assert noisy == profile.simulate(plan, noise=0.1, seeds=20, seed=7)
    assert noisy.least_s <= noisy.median_s <= noisy.p95_s <= noisy.greatest_s
    assert profile.simulate(rule="gss,least=2", tasks=1000).packages > 3


def costs(profile):
    priced = json.loads(profile.text())
    for setting in priced["settings"]:
        for window in setting["windows"]:
            for worker in window["workers"]:
                worker["price_s"], worker["watts"] = 2, 50
    priced = scow_plan.Profile.parse(priced)
    cheap = priced.plan(1000, objective="cost")
    assert cheap.objective == "cost" and cheap.charge > 0 and cheap.turnaround_s is None
    assert abs(cheap.energy_j / cheap.charge - 25) < 1e-9, (cheap.energy_j, cheap.charge)
    assert priced.plan(1000, objective="cost", price="energy").charge >= cheap.energy_j * (1 - 1e-9)
    rows = priced.pareto(1000)["rows"]
    assert rows[-1]["charge"] <= cheap.charge * (1 + 1e-9) and sum(row["knee"] for row in rows) == 1
    with open("waits.tsv", "w", encoding="utf-8") as file:
        file.write("100\t3600\t60\n")
    assert priced.plan(1000, waits="waits.tsv").turnaround_s > 60
    assert profile.plan(1000).charge is None and profile.plan(1000).objective is None
    refused(scow_plan.Usage, "no rank has a price", profile.plan, 1000, objective="cost")
    refused(scow_plan.Infeasible, "no plan is within the budget", priced.plan, 1000, budget=1e-9)
    refused(scow_plan.Mismatch, "/nowhere", priced.plan, 1000, waits="/nowhere")
    assert "cost" in scow_plan.objectives()


def errors(profile):
    refused(scow_plan.Usage, "tasks must be from 1", profile.plan, 0)
    refused(scow_plan.Usage, "did you mean 'optimal'", profile.plan, 10, scheduler="optimall")
    refused(scow_plan.Infeasible, "no plan meets the deadline", profile.plan, 1000, deadline_s=1e-6)
    refused(scow_plan.Mismatch, "/nowhere", scow_plan.Profile.read, "/nowhere")
    refused(scow_plan.Mismatch, "mine: ", scow_plan.Profile.parse, "[]", name="mine")
    refused(scow_plan.Usage, "give a plan, a rule", profile.simulate)
    refused(scow_plan.PlanError, "'slurm' or 'pbs'", profile.plan(10).batch_lines, "lsf")
    refused(TypeError, "tasks", profile.plan, "many")
    refused(TypeError, "surprise", profile.plan, 10, surprise=1)


def threads(profile):
    texts = [None] * 4

    def work(k):
        texts[k] = [profile.plan(100 + 10 * n).text() for n in range(5)]

    workers = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(text == texts[0] for text in texts)


def main():
    profile = scow_plan.Profile.read(PROFILE)
    assert profile.workers > 0 and profile.settings > 0 and len(profile.sha256) == 64
    assert scow_plan.Profile.parse(profile.text()).kernel == profile.kernel
    assert {"scow-mp", "optimal"} <= set(scow_plan.schedulers()) and "gss" in scow_plan.rules()
    assert command("--version").startswith(f"scow {scow_plan.version()}\n")
    plans(profile)
    studies(profile)
    costs(profile)
    errors(profile)
    threads(profile)
    del profile
    gc.collect()


main()
