"""For bench-python: as little work as can be; --arguments says of which kind.

Run by itself, without scow, it prints the same table for the same computations in plain numpy.
"""
import sys
import time
from types import SimpleNamespace

import numpy

TASKS = 10000
RECORDS = {"tasks": TASKS, "records": [("value", "f8")]}


def describe(arguments):
    return {
        "records": RECORDS,
        "loop": RECORDS,
        "tiles": {"grid": {"shape": (TASKS, 16), "dtype": "f4", "tile": (1, 16)}},
        "reduce": {"tasks": TASKS, "reduction": [("sum", "f8")]},
    }[arguments]


def compute(package):
    if package.arguments == "records":
        package.records["value"] = package.first
    elif package.arguments == "loop":
        for task in package.tasks:
            package.records["value"][task - package.first] = task
    elif package.arguments == "tiles":
        for task, where, tile in package.tiles():
            tile[...] = task
    else:
        package.reduction["sum"] += package.count


def merge(state, part):
    state["sum"] += part["sum"]


def plain(work, count):
    """A package as a program without scow would have it."""
    grid = numpy.zeros((count, 16), "f4")
    return SimpleNamespace(
        arguments=work,
        first=0,
        count=count,
        tasks=numpy.arange(count),
        records=numpy.zeros(count, RECORDS["records"]),
        reduction=numpy.zeros((), [("sum", "f8")]),
        tiles=lambda: ((task, None, grid[task]) for task in range(count)),
    )


def least_us(work, count):
    package, least, until = plain(work, count), 1e9, time.perf_counter() + 0.5
    while time.perf_counter() < until:
        start = time.perf_counter()
        compute(package)
        least = min(least, time.perf_counter() - start)
    return 1e6 * least


if __name__ == "__main__":
    sizes = [1, 10, 100, 1000, 10000]
    print("us      " + "".join(f" {size:11}" for size in sizes) + "   core task")
    for name in sys.argv[1:] or ["records", "loop", "tiles", "reduce"]:
        row = [least_us(name, size) for size in sizes]
        print(f"{name:8}", *(f"{us:11.2f}" for us in row), f"{(row[-1] - row[-2]) / 9000:11.3f}")
