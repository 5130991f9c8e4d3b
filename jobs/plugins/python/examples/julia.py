"""A grid: the filled Julia set of z^2 + c, coloured by when points escape. A core task is a tile.

--arguments '{"height": 2400, "width": 3200, "c": [-0.8, 0.156]}'
"""
import json

import numpy as np

ITERATIONS = 300


def settings(arguments):
    return {"height": 900, "width": 1200, "c": [-0.8, 0.156]} | json.loads(arguments or "{}")


def describe(arguments):
    shape = settings(arguments)["height"], settings(arguments)["width"]
    return {"grid": {"shape": shape, "dtype": "u2", "tile": (64, 64), "picture": True}}


def start(arguments):
    return settings(arguments)


def compute(package):
    job = package.context
    step = 3.2 / job["width"]
    for task, where, tile in package.tiles():
        row, column = np.mgrid[where]
        z = (column - job["width"] / 2) * step + 1j * (job["height"] / 2 - row) * step
        inside = np.ones(tile.shape, bool)
        for _ in range(ITERATIONS):
            z[inside] = z[inside] ** 2 + complex(*job["c"])
            inside &= z.real**2 + z.imag**2 <= 4
            tile += inside
