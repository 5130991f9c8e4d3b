"""Records and a reduction: how does an epidemic run for parameters that are not well known?

Every core task draws an infection and a recovery rate and integrates the SIR model (Runge-Kutta of
order four, a step a day). --arguments '{"tasks": 100000, "days": 365, "seed": 7}'
"""
import json

import numpy as np
from numpy.random import Generator, Philox


def settings(arguments):
    return {"tasks": 100000, "days": 365, "seed": 1} | json.loads(arguments or "{}")


def describe(arguments):
    return {
        "tasks": settings(arguments)["tasks"],
        "records": [("beta", "f8"), ("gamma", "f8"), ("peak", "f8"), ("day", "i4"), ("ever", "f8")],
        "reduction": [("outbreaks", "i8"), ("worst", "f8")],
    }


def start(arguments):
    return settings(arguments)


def change(s, i, beta, gamma):
    infected, recovered = beta * s * i, gamma * i
    return -infected, infected - recovered


def compute(package):
    # A stream of random numbers for each core task, whatever package it is in.
    seed, days = package.context["seed"], package.context["days"]
    streams = [Generator(Philox(key=[seed, task])) for task in package.tasks]
    drawn = [stream.uniform([0.1, 0.05], [0.6, 0.25]) for stream in streams]
    beta, gamma = np.array(drawn).T.copy()
    s, i = np.full(package.count, 0.999), np.full(package.count, 0.001)
    peak, day = i.copy(), np.zeros(package.count, "i4")
    for today in range(1, days + 1):
        ds1, di1 = change(s, i, beta, gamma)
        ds2, di2 = change(s + ds1 / 2, i + di1 / 2, beta, gamma)
        ds3, di3 = change(s + ds2 / 2, i + di2 / 2, beta, gamma)
        ds4, di4 = change(s + ds3, i + di3, beta, gamma)
        s = s + (ds1 + 2 * ds2 + 2 * ds3 + ds4) / 6
        i = i + (di1 + 2 * di2 + 2 * di3 + di4) / 6
        day[i > peak] = today
        peak = np.maximum(peak, i)
    records, reduction = package.records, package.reduction
    records["beta"], records["gamma"] = beta, gamma
    records["peak"], records["day"], records["ever"] = peak, day, 1 - s
    reduction["outbreaks"] += np.count_nonzero(peak > 0.01)
    reduction["worst"] = max(reduction["worst"], peak.max())


def merge(state, part):
    state["outbreaks"] += part["outbreaks"]
    state["worst"] = max(state["worst"], part["worst"])
