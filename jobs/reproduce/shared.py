#!/usr/bin/env python3
"""Shared workstations: C. Xu and A. T. Chronopoulos, Distributed Self-Scheduling for Heterogeneous Workstation Clusters, formulas (1) to (9)
and Tables 1 and 2, and E. Rosenvinge's experiments under load. What others leave of a workstation is what `simulate --loads` simulates."""

import json
import pathlib
import sys
import tempfile

from table import Tables, ask, profile, shown


def sizes(name, rule, tasks, *words):
    return [load for _, load in ask("simulate", "-p", profile(name), "-s", rule, "-X", tasks, "--packages", *words)["sent"]]


def tss_formula(tasks, workers):
    """Of Tzen and Ni, as (1) has it: from I / 2p to 1 in whole steps."""
    first = tasks // (2 * workers)
    steps = -(-2 * tasks // (first + 1))
    step = (first - 1) // (steps - 1)
    left, made = tasks, []
    while left > 0:
        made.append(min(max(first - step * len(made), 1), left))
        left -= made[-1]
    return made


def formulas(tables):
    tables.begin("Xu and Chronopoulos, the rules", "No sizes are printed: published is what the formulas give for equal, dedicated workers.")
    for tasks, workers in ((1200, 4), (512, 4), (1000, 5)):
        wanted = tss_formula(tasks, workers)
        tables.row(f"TSS, {tasks} iterations, {workers} workstations: packages, first, second, last but one",
                   [len(wanted), wanted[0], wanted[1], wanted[-2]],
                   (lambda made: [len(made), made[0], made[1], made[-2]])(sizes("equal", "tss", tasks, "-n", workers)))
    plain, distributed = (sizes("equal", f"{rule}", 1200, "-n", 4) for rule in ("tss,step=real", "dtss"))
    tables.row("DTSS with equal powers is TSS: first five sizes", plain[:5], distributed[:5])


def stations(folder, seconds, shares=()):
    """A profile of workstations that take so many seconds for an iteration, and what others leave of them. Of those that would end together
    the first one does, by next to nothing."""
    nothing = {"latency_s": 0, "s_per_task": 0}
    workers = [{"compute": {"latency_s": 0, "s_per_task": each * (1 + 1e-13 * place)}, "receive": nothing, "link": nothing}
               for place, each in enumerate(seconds)]
    window = {"tasks": [1, 1000000], "envelope": nothing, "send": nothing, "workers": workers}
    (folder / "profile.json").write_text(json.dumps({"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}))
    (folder / "loads.tsv").write_text("".join(f"{rank}\t0\t1\t{share!r}\t1\n" for rank, share in enumerate(shares, 1)))
    return ["-p", folder / "profile.json", *(["--loads", folder / "loads.tsv"] if shares else [])]


def ends(rule, words, tasks=1200):
    """The first and the last end."""
    made = ask("simulate", "-s", rule, "-X", tasks, *words)
    return [made["earliest_end_s"], made["latest_end_s"]]


def measured(tables, folder):
    tables.begin("Xu and Chronopoulos, Tables 1 and 2",
                 "Four workstations that others use meanwhile: Q = 4, 3, 2, 1 processes in their run queues. Iterations are taken to be equal; "
                 "first and last end.")
    queues, fast = (4, 3, 2, 1), (1, 1, 1, 6)
    overheads = "their overheads are not printed, and their iterations are rows of the Mandelbrot set"
    alone = [110 / 1200] * 4
    tables.beside("Table 1, TSS, dedicated", [26, 28], ends("tss,step=real", stations(folder, alone)), overheads)
    tables.beside("Table 1, DTSS, dedicated", [26, 28], ends("dtss", stations(folder, alone)), overheads)
    tables.beside("Table 1, TSS, not dedicated", [45, 64], ends("tss,step=real", stations(folder, alone, [1 / q for q in queues])), overheads)
    known = stations(folder, [q * 110 / 1200 for q in queues])
    tables.row("Table 1, DTSS, not dedicated, run queues known: finish", 53, ends("dtss,power=real", known)[1], 0.02, relative=True)
    tables.beside("Table 1, DTSS, not dedicated: ends apart", 3, round((lambda first, last: last - first)(*ends("dtss,power=real", known)), 6),
                  "published are measured runs")
    tables.row("Table 2, Tree, dedicated: first end", 11, ends("tree,grain=1", stations(folder, [99 / 1200 / v for v in fast]))[0], 0.01,
               relative=True)
    busy = stations(folder, [99 / 1200 / v for v in fast], [1, 1, 1, 1 / 7.8])
    tables.row("Table 2, Tree, not dedicated: first and last end", [11, 86], ends("tree,grain=1", busy), 0.01, relative=True)
    tables.beside("Table 2, DTSS, dedicated", [15, 15], ends("dtss", stations(folder, [99 / 1200 / v for v in fast])), overheads)
    tables.beside("Table 2, DTSS, not dedicated, run queues known", [30, 30],
                  ends("dtss,power=real", stations(folder, [99 / 1200, 99 / 1200, 99 / 1200, 7.8 * 99 / 7200])), overheads)


def judge(tables, what, published, ours, met, why="", expected=True):
    tables.put(what, published, ours, "", met, why, expected)


def rosenvinge(tables, folder):
    """Figures 5.3 to 5.8 are curves without numbers; the text says what they show."""
    tables.begin("Rosenvinge, figures 5.3 to 5.8",
                 "Eight workers, 1,024 tasks of 1 s, alone and under the seven patterns of load of 192 s (medians of 50 seeds); makespans. The first "
                 "worker shares its computer with the master and is 0.58 times as fast (5.5 s for 9.5 s, section 6.5). phi is how many tasks a worker "
                 "has ahead; factoring sends batches, of which a worker has one.")
    words = stations(folder, [1 / 0.58] + [1] * 7)

    def takes(rule, ahead, load):
        made = ask("simulate", *words, "-s", rule, "-X", 1024, "--ahead", ahead, *load)
        return made.get("median_s", made["makespan_s"])

    lost = "Monitor shares by speeds that change before its batches are done; how often they did is lost with figure 5.1"
    reports = "how much the published tasks differed is not printed; here they do not"
    for under, load in (("alone", []), ("under load", ["--load-patterns", 192, "--seeds", 50])):
        few = [takes("ss", 3, load), takes("monitor,r=4,phi=3", 3, load), takes("fac", 1, load)]
        many = [takes("ss", 128, load), takes("monitor,r=4,phi=128", 128, load)]
        judge(tables, f"{under}, phi = 3: SS, Monitor and FAC", "equally well (within 2 %)", shown(few), max(few) <= 1.02 * min(few),
              lost if load else "", not load)
        judge(tables, f"{under}, phi = 128: SS and Monitor", "very badly (10 % more at least)", shown(many),
              all(late >= 1.1 * soon for late, soon in zip(many, few)))
        tables.beside(f"{under}, static chunking (SC), phi = 128", "near the fastest", takes_planned(words, folder, load),
                      "by phi the master's own worker becomes as fast as the others, which is not simulated")
        by_r = [takes(f"monitor,phi=2,r={r}", 1, load) for r in (4, 8, 16, 32)]
        judge(tables, f"{under}, Monitor with r = 4, 8, 16, 32", "4 is best", shown(by_r), by_r[0] <= 1.002 * min(by_r))
        most = 1.15 if load else 1.01
        judge(tables, f"{under}, Monitor with r = 4, 8, 16, 32: they differ", f"by {100 * (most - 1):.0f} %",
              f"by {100 * (max(by_r) / min(by_r) - 1):.0f} %", max(by_r) <= most * min(by_r), reports, False)


def takes_planned(words, folder, load):
    """An even share for each worker."""
    plan = ask("plan", *words, "-X", 1024, "-s", "static")
    plan["rounds"] = [{"repeat": 1, "loads": [128] * 8}]
    plan["workers"] = list(range(8))
    (folder / "plan.json").write_text(json.dumps(plan))
    made = ask("simulate", *words, folder / "plan.json", *load)
    return made.get("median_s", made["makespan_s"])


def main():
    tables = Tables("Shared workstations: what was printed, and what scow finds")
    formulas(tables)
    with tempfile.TemporaryDirectory() as folder:
        measured(tables, pathlib.Path(folder))
        rosenvinge(tables, pathlib.Path(folder))
    return tables.end()


if __name__ == "__main__":
    sys.exit(main())
