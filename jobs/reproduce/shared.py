#!/usr/bin/env python3
"""Shared workstations: C. Xu and A. T. Chronopoulos, Distributed Self-Scheduling for Heterogeneous Workstation Clusters, formulas (1) to (9)
and Tables 1 and 2, and E. Rosenvinge's experiments under load. What needs workers whose speed changes during a run is named, and left open."""

import sys

from table import Tables, ask, profile


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


def measured(tables):
    tables.begin("Xu and Chronopoulos, Tables 1 and 2", "Four workstations that others use meanwhile: Q = 4, 3, 2, 1 processes in their run queues.")
    why = "needs run queues that weigh on workers during a simulation, which is not there yet"
    tables.missing("Table 1, TSS, not dedicated: ends, finish, imbalance", "64 47 47 45; 65; 19", why)
    tables.missing("Table 1, DTSS, not dedicated", "52 49 51 51; 53; 3", why)
    tables.missing("Table 1, dedicated", "27 28 27 26 and 27 27 28 26", "their overheads are not printed")
    tables.missing("Table 2, Tree, not dedicated", "12 12 11 86; 86; 75", "Tree scheduling is not there yet")
    tables.missing("Table 2, Tree, dedicated", "11 11 11 11; 12; 0", "the same")
    tables.missing("Table 2, DTSS", "15 15 15 15 and 30 30 30 30", why)


def monitor(tables):
    tables.begin("Rosenvinge, figures 5.5 to 5.8", "Eight workers, 1,024 tasks, under seven patterns of load.")
    tables.missing("makespans of SC, SS, FAC, Monitor under static and changing load", "curves", "patterns of load are not there yet")


def main():
    tables = Tables("Shared workstations: what was printed, and what scow finds")
    for part in (formulas, measured, monitor):
        part(tables)
    return tables.end()


if __name__ == "__main__":
    sys.exit(main())
