#!/usr/bin/env python3
"""Package sizes of request-driven rules: J. Herrera et al., Loosely-coupled Loop Scheduling in Computational Grids, Table 1, and
E. Rosenvinge, Online Task Scheduling on Heterogeneous Clusters: An Experimental Study (2004), figure 3.2."""

import sys

from table import Tables, ask, profile


def sent(name, rule, tasks, *words):
    """[worker, core tasks] of every package."""
    return ask("simulate", "-p", profile(name), "-s", rule, "-X", tasks, "--packages", *words)["sent"]


def sizes(name, rule, tasks, *words):
    return [load for _, load in sent(name, rule, tasks, *words)]


def table_1(tables):
    tables.begin("Herrera et al., Table 1", "50,000 iterations, 5 nodes; as many sizes as are printed.")
    gss = [10000, 8000, 6400, 5120, 4096, 3277, 2622, 2097, 1678, 1342, 1074]
    tss = list(range(5000, 2499, -250))
    for name, rule, wanted in (("CSS(2000)", "fsc,k=2000", [2000] * 11), ("GSS(1000)", "gss,least=1000", gss),
                               ("TSS(5000,1000)", "tss,first=5000,last=1000", tss)):
        tables.row(name, wanted, sizes("equal", rule, 50000)[:len(wanted)])
    found = sizes("equal", "fiss,sigma=3", 50000)
    tables.row("FISS: sizes of the stages", [2000, 3334, 4668], [found[0], found[5], found[10]])
    printed = [2000] * 4 + [3334] * 5 + [4668]
    tables.row("FISS, package by package", printed, found[:len(printed)], expected=False, why="a 2000 is missing in print: five nodes have five")


def figure_3_2(tables):
    tables.begin("Rosenvinge, figure 3.2", "512 tasks, 4 workers; sizes in the order of sending.")
    gss = [128, 96, 72, 54, 40, 30, 23, 17, 13, 9, 7, 5, 4, 3, 2, 2] + [1] * 7
    factoring = [size for size in (64, 32, 16, 8, 4, 2, 1, 1) for _ in range(4)]
    for name, rule, wanted in (("SC", "fsc,k=128", [128] * 4), ("SS", "ss", [1] * 512), ("GSS", "gss,rounding=down", gss),
                               ("TSS", "tss", [64, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 8]), ("Factoring", "fac", factoring)):
        found = sizes("equal", rule, 512, "-n", 4)
        if name == "SS":
            wanted, found = [len(wanted), 1], [len(found), max(found)]
        tables.row(name if name != "SS" else "SS: packages, largest", wanted, found)
    found = sent("figure_3_1", "wf", 512)
    first = [next(load for worker, load in found if worker == each) for each in range(4)]
    tables.row("Weighted Factoring, first batch of workers 1 to 4", [180, 32, 20, 24], first)
    tables.missing("Monitor: two benchmark tasks, phases 1 to 5", "177 32 20 23; 73 27 12 14; ...",
                   "the task times change at every step, which no profile says; test planner-dispatch-rules feeds them to the rule and meets it")
    tables.missing("Monitor: phases 6 to 8", "4 1 1 1; 0 2 1 1; 1 2 1 1", "no eta and no rounding gives them")


def main():
    tables = Tables("Request-driven rules: what was printed, and what scow finds")
    table_1(tables)
    figure_3_2(tables)
    return tables.end()


if __name__ == "__main__":
    sys.exit(main())
