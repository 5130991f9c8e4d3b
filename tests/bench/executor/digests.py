#!/usr/bin/python3
"""What one build's runs take beside another's, in turn: 30,000 packages of a single small core task, where what is written
beside results weighs most, and 268 MB in packages of 2 MB.
usage: digests.py BIN BIN: folders with scow and scow-run of the two builds, in memory (/dev/shm)"""
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

JOBS = {"30,000 small": (16, 30000, 10, 1, 15), "268 MB": (8192, 8192, 20, 64, 7)}


def processor_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(folder):
    if os.path.exists("out.h5"):
        os.unlink("out.h5")
    before = processor_s()
    said = subprocess.run(["mpiexec.mpich", "-n", "2", os.path.join(folder, "scow"), "run", "plan.json", "-o", "out.h5", "-q"],
                          check=True, stdout=subprocess.PIPE).stdout.decode()
    return float(re.search(r"in ([0-9.]+) s", said).group(1)), processor_s() - before


def main():
    for name, (width, height, iterations, load, times) in JOBS.items():
        with open("plan.json", "w", encoding="ascii") as file:
            file.write(f'{{"schema": "scow-plan-1", "kernel": "mandelbrot", "parameters": {{"width": {width}, '
                       f'"height": {height}, "iterations": {iterations}}}, "scheduler": "by hand", "tasks": {height}, '
                       f'"workers": [0], "rounds": [{{"repeat": {height // load}, "loads": [{load}]}}]}}')
        taken = {folder: [] for folder in sys.argv[1:3]}
        for k in range(times):
            for folder in sys.argv[1:3][::1 if k % 2 else -1]:
                taken[folder].append(measure(folder))
        for folder, both in taken.items():
            made, used = (statistics.median(each) for each in zip(*both))
            print(f"{name}: {folder}: makespan {made:.3f} s, processor {used:.3f} s, medians of {times}")


if len(sys.argv) != 3:
    sys.exit(print(__doc__) if {"-h", "--help"} & set(sys.argv) else __doc__)
sys.argv[1:3] = [os.path.abspath(folder) for folder in sys.argv[1:3]]
os.environ["OMP_NUM_THREADS"] = "1"
with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
    os.chdir(directory)
    main()
