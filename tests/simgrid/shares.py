#!/usr/bin/env python3
"""Calibration on a cluster of unlike workers times packages as large as a plan gives the fastest one.

    shares.py PROGRAM DIRECTORY CLUSTER

PROGRAM is the library simgrid-cluster, files go to DIRECTORY, CLUSTER is one of platform_list.py.
"""
import json
import pathlib
import subprocess
import sys

import platform_list

program, directory, name = sys.argv[1:]
cluster = platform_list.CLUSTERS[name]
profile = pathlib.Path(directory) / f'{name}-profile.json'
subprocess.run(['bash', str(pathlib.Path(__file__).parent / 'simulate.sh'), program, name, directory,
                '--only', 'static', '--profile', str(profile)], check=True, stdout=subprocess.DEVNULL)
speeds = [speed for speed, _, _ in cluster.hosts()]
share = cluster.tasks * max(speeds) / sum(speeds)
largest = max(window['tasks'][1] for window in json.loads(profile.read_text())['settings'][0]['windows'])
print(f'{name}: of {cluster.tasks} tasks the fastest worker is due {share:.0f}, the even share is '
      f'{cluster.tasks / len(speeds):.0f}, the largest package {largest}')
sys.exit(not share <= largest <= 1.2 * share)
