"""Levels: for which two parameters is something greatest? Searched in finer and finer cells.

A core task is the middle of a cell of the unit square. A level's best cells are each divided into
nine, which are the next level. --arguments '{"side": 30, "keep": 10, "levels": 8}'
"""
import json

import numpy as np


def settings(arguments):
    return {"side": 30, "keep": 10, "levels": 8} | json.loads(arguments or "{}")


def describe(arguments):
    side = settings(arguments)["side"]
    middles = (np.arange(side) + 0.5) / side
    x, y = np.meshgrid(middles, middles)
    return {
        "tasks": side * side,
        "given": (x.ravel(), y.ravel(), 1 / side),
        "records": [("x", "f8"), ("y", "f8"), ("height", "f8")],
        "reduction": [("height", "f8"), ("x", "f8"), ("y", "f8")],
        "emits": True,
    }


def height_at(x, y):
    return np.sin(9 * x) * np.cos(7 * y) + np.exp(-200 * ((x - 0.87) ** 2 + (y - 0.88) ** 2))


def compute(package):
    x, y = (all_of[package.tasks] for all_of in package.given[:2])
    height = height_at(x, y)
    package.records["x"], package.records["y"], package.records["height"] = x, y, height
    for task, one in zip(package.tasks, height):
        package.emit(task, one.tobytes())
    best = height.argmax()
    merge(package.reduction, np.array((height[best], x[best], y[best]), package.reduction.dtype))


def reset(state):
    state["height"] = -np.inf


def merge(state, part):
    if part.item() > state.item():
        state[...] = part


def next_level(level):
    keep, levels = (settings(level.arguments)[name] for name in ("keep", "levels"))
    if level.number == levels:
        return None
    x, y, width = level.given
    heights = np.frombuffer(b"".join(level.emitted))
    best = np.argsort(-heights, kind="stable")[:keep]
    dx, dy = np.meshgrid(*[np.array([-1, 0, 1]) * width / 3] * 2)
    x, y = (x[best, None] + dx.ravel()).ravel(), (y[best, None] + dy.ravel()).ravel()
    return {"tasks": len(x), "given": (x, y, width / 3)}
