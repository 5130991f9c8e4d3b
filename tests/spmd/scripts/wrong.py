"""A script for the plug-in python.so that goes wrong in the way that WRONG says."""
import os
import sys
import time

import numpy as np

WRONG = os.environ.get("WRONG", "")
if sys.executable != "/usr/bin/python3":
    raise RuntimeError(f"Python is {sys.executable}")
print("this must not get among the results")
GOOD = {"tasks": 40, "records": [("square", "i8"), ("name", "S6")]}
REDUCTION = {"tasks": 40, "records": [("square", "i8")], "reduction": [("sum", "f8")]}
SAID = {
    "list": [],
    "no-tasks": {"records": [("a", "f8")]},
    "tasks": GOOD | {"tasks": 0},
    "tasks-type": GOOD | {"tasks": 2.5},
    "key": GOOD | {"recods": 1},
    "no-results": {"tasks": 40},
    "dtype": GOOD | {"records": [("a", "q9")]},
    "names": GOOD | {"records": "f8"},
    "complex": GOOD | {"records": [("a", "c16")]},
    "endian": GOOD | {"records": [("a", ">f8")]},
    "measured": GOOD | {"measured": ["cube"]},
    "grid": {"grid": {"shape": (4, 4)}},
    "grid-tile": {"grid": {"shape": (4, 4), "dtype": "u1", "tile": (2, 2, 2)}},
    "grid-tasks": {"tasks": 5, "grid": {"shape": (4, 4), "dtype": "u1", "tile": (2, 2)}},
    "reduction": REDUCTION,
    "merge": REDUCTION,
    "outcome": REDUCTION,
}

# What compute returns.
COLUMNS = {
    "columns": lambda package: {},
    "few": lambda package: {"square": package.tasks[1:]},
    "one-for-all": lambda package: {"square": 7},
    "fraction": lambda package: {"square": package.tasks / 2},
    "text": lambda package: {"name": ["task"] * package.count},
    "field": lambda package: {"cube": package.tasks},
}

if WRONG == "import":
    import no_such_module
if WRONG == "syntax":
    exec(compile("a = (", __file__, "exec"))
if WRONG == "exit":
    sys.exit(3)


def describe(arguments):
    if WRONG == "describe":
        return np.linalg.inv(np.zeros((2, 2)))
    return SAID.get(WRONG, GOOD)


if WRONG == "no-describe":
    del describe


def start(arguments):
    if WRONG == "start":
        return open("no such file")


def compute(package):
    if WRONG == "raise":
        sqrt = 1 / (package.first - package.first)
    elif WRONG == "shape":
        package.records["square"] = np.zeros(package.count + 1)
    elif WRONG == "replace":
        package.records = package.records.copy()
    elif WRONG == "return":
        return package.tasks
    elif WRONG in COLUMNS:
        columns = {"square": package.tasks**2, "name": np.full(package.count, b"task")}
        return columns | COLUMNS[WRONG](package)
    elif WRONG == "keep":
        kept.append(package.records["square"])
    elif WRONG == "reject":
        package.reject(4000, "not there")
    elif WRONG == "one-stops" and package.rank == 1:
        raise KeyboardInterrupt("stopped\nby\0hand \udcff")
    elif WRONG in ("one-stops", "forever"):
        with open(f"deep.{package.rank}", "w", encoding="ascii"):
            pass
        while True:
            if WRONG == "forever":  # for seconds, which need not be busy
                time.sleep(0.005)
    package.records["square"] = package.tasks**2
    if "name" in package.records.dtype.names:
        package.records["name"] = "task"
    if package.reduction is not None:
        package.reduction["sum"] += np.inf


kept = []

if WRONG not in ("", "reduction"):

    def merge(state, part):
        if WRONG == "merge" and part["sum"] > 0:
            raise ValueError("these do not go together")

    def outcome(state):
        return 1 / 0
