#!/usr/bin/env python3
"""Predicted and simulated makespans on simulated clusters, as a table in Markdown.

    table.py PROGRAM DIRECTORY [--only NAME,...] [CLUSTER]...

PROGRAM is the library simgrid-cluster, files go to DIRECTORY, clusters are those of platform_list.py
(default: those with one master). --only takes some schedulers and rules. Exit code 1 where a makespan is off by more
than 1 % (a scheduler's) or 3 % (a rule's), where they end in another order than predicted, or where
SCOW-MP in a setting of the thesis takes 1 % more or less than the thesis says.
"""
import argparse
import pathlib
import subprocess
import sys

import platform_list

BOUNDS = {'plan': 0.01, 'rule': 0.03}
HERE = pathlib.Path(__file__).parent


def simulated(program, directory, cluster, only):
    """Rows of kind, name, predicted and simulated seconds."""
    command = ['bash', str(HERE / 'simulate.sh'), program, cluster, directory]
    only = only or platform_list.CLUSTERS[cluster].only
    command += ['--only', only] if only else []
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f'{cluster}: the simulation ended with {done.returncode}')
    *lines, end = done.stdout.splitlines() or ['']
    if end != 'end':
        sys.exit(f'{cluster}: the simulation did not come to its end: ranks may wait for each other')
    rows = [line.split('\t') for line in lines]
    if len({row[5] for row in rows}) != 1:
        sys.exit(f'{cluster}: checksums differ')
    return [(row[0], row[1], float(row[2]), float(row[3])) for row in rows]


def apart(a, b):
    """By how much predictions must differ for their order to be one: by more than they may be off."""
    return max(BOUNDS[a[0]], BOUNDS[b[0]])


def inversions(rows):
    """Pairs that came in another order than predicted."""
    rows = sorted(rows, key=lambda row: row[2])
    return [(a[1], b[1]) for at, a in enumerate(rows) for b in rows[at + 1:]
            if b[2] > a[2] * (1 + apart(a, b)) and b[3] < a[3]]


def error_of(row):
    """Of the simulated makespan, relative to the predicted one."""
    return row[3] / row[2] - 1


def worst(rows, kind):
    """'name +0.00 %' of the largest error, and whether all are within bounds."""
    rows = [row for row in rows if row[0] == kind]
    if not rows:
        return '-', True
    row = max(rows, key=lambda row: abs(error_of(row)))
    return f'{row[1]} {100 * error_of(row):+.2f} %', abs(error_of(row)) <= BOUNDS[kind]


def cluster_show(name, rows):
    """One line of the summary; is all as wanted?"""
    best = min((row for row in rows if row[0] == 'plan'), key=lambda row: row[2])
    plans, plans_good = worst(rows, 'plan')
    rules, rules_good = worst(rows, 'rule')
    wrong = inversions(rows)
    order = 'as predicted' if not wrong else '; '.join(f'{b} before {a}' for a, b in wrong)
    print(f'| {name} | {platform_list.CLUSTERS[name].workers + 1} | {best[1]} | {best[2]:.3f} s |'
          f' {best[3]:.3f} s | {plans} | {rules} | {order} |', flush=True)
    return plans_good and rules_good and not wrong


def thesis_show(results):
    """SCOW-MP in the settings of the thesis, against its own figures; is all as wanted?"""
    good, lines = True, []
    for name, rows in results.items():
        published = platform_list.CLUSTERS[name].published
        for row in rows:
            if published and row[1] == 'scow-mp':
                error = row[3] / published - 1
                good = good and abs(error) <= BOUNDS['plan']
                lines.append(f'| {name} | {published:.3f} s | {row[2]:.3f} s | {row[3]:.3f} s |'
                             f' {100 * error:+.2f} % |')
    if lines:
        print('\n| Table 6-1 | thesis | predicted | simulated | error |\n|---|---|---|---|---|')
        print('\n'.join(lines))
    return good


def details_show(results):
    """All makespans, a table for every cluster."""
    for name, rows in results.items():
        print(f'\n**{name}**\n\n| | predicted | simulated | error |\n|---|---|---|---|')
        for row in rows:
            print(f'| {row[1]} | {row[2]:.4f} s | {row[3]:.4f} s | {100 * error_of(row):+.3f} % |')


def main():
    """Simulate and print; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('directory')
    usual = [name for name, cluster in platform_list.CLUSTERS.items() if not cluster.only]
    parser.add_argument('clusters', nargs='*', default=usual)
    parser.add_argument('--only', help='schedulers and rules')
    wanted = parser.parse_intermixed_args()
    print('| cluster | hosts | best plan | predicted | simulated | largest error of a plan |'
          ' of a rule | order |\n|---|---|---|---|---|---|---|---|', flush=True)
    results, good = {}, True
    for name in wanted.clusters:
        results[name] = simulated(wanted.program, wanted.directory, name, wanted.only)
        good = cluster_show(name, results[name]) and good
    good = thesis_show(results) and good
    details_show(results)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
