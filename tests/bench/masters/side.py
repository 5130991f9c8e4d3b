#!/usr/bin/env python3
"""Masters side by side, measured beside what is predicted of them: eight workers that sleep what a profile says, and
a master that takes a quarter of what a worker takes for each core task, so that one feeds four of them.

usage: side.py SCOW MPIEXEC [--masters 1 2 3] [--workers 8] [--tasks 400] [--runs 5]
"""
import argparse

import measuring


def options_read():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scow")
    parser.add_argument("mpiexec")
    parser.add_argument("--masters", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--runs", type=int, default=5)
    return parser.parse_args()


def main():
    """A line for each number of masters, with a slow master."""
    options = options_read()
    profile = measuring.profile_of(options.workers + max(options.masters), {"latency_s": 1e-4, "s_per_task": 0},
                                   {"latency_s": 1e-2, "s_per_task": 2e-2}, {"latency_s": 5e-3, "s_per_task": 5e-3})
    cases = [(masters, options.workers + masters, ["-n", options.workers + masters - 1, "--masters", masters])
             for masters in options.masters]
    measuring.table_print(options, "masters", profile, cases)


if __name__ == "__main__":
    main()
