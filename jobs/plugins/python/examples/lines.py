"""A file's lines, for python-lines.so: each is a series of measurements, taken at 0, 1, 2, ...

Fits a straight line through every series. A line that is no series is rejected, and the others go on.
"""
import numpy as np


def describe(arguments):
    return {"records": [("slope", "f8"), ("offset", "f8"), ("residual", "f8"), ("points", "i4")]}


def compute(package):
    for record, task, line in zip(package.records, package.tasks, package.lines):
        try:
            y = np.array(line.split(), float)
            slope, offset = np.polyfit(np.arange(len(y)), y, 1)
        except (ValueError, TypeError, np.linalg.LinAlgError) as error:
            package.reject(task, error)
            continue
        residual = np.sqrt(np.mean((y - slope * np.arange(len(y)) - offset) ** 2))
        record["slope"], record["offset"] = slope, offset
        record["residual"], record["points"] = residual, len(y)
