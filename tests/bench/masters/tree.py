#!/usr/bin/env python3
"""A tree of masters, measured beside what is predicted of it: workers that sleep what a profile says, and packages
whose latency on the one port is what takes time, under one master and in groups.

usage: tree.py SCOW MPIEXEC [--groups 0 2 3 4] [--ranks 15] [--tasks 150] [--runs 3]
"""
import argparse

import measuring


def options_read():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scow")
    parser.add_argument("mpiexec")
    parser.add_argument("--groups", type=int, nargs="+", default=[0, 2, 3, 4], help="0: one master")
    parser.add_argument("--ranks", type=int, default=15, help="beside rank 0")
    parser.add_argument("--tasks", type=int, default=150)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args()


def main():
    """A line for each number of groups, with a port that needs a while for each package."""
    options = options_read()
    profile = measuring.profile_of(options.ranks, {"latency_s": 1e-1, "s_per_task": 1e-4},
                                   {"latency_s": 1e-2, "s_per_task": 5e-2})
    cases = [(groups, options.ranks + 1, ["--tree", groups] if groups > 0 else ["--masters", 1])
             for groups in options.groups]
    measuring.table_print(options, "groups", profile, cases)


if __name__ == "__main__":
    main()
