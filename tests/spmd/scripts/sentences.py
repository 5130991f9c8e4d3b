#!/usr/bin/env python3
"""What the plug-in's own Python says of a script that goes wrong: sentences.py PLUGIN SCRIPT <ROWS

A row is STEP|WRONG|SENTENCE: describing, or computing a package, with that WRONG in the environment ends with an
exception whose explanation has that sentence. One interpreter says them all, which a run for each would take long to.
"""
import importlib.util
import os
import sys

PLUGIN, SCRIPT = sys.argv[1:]
TASKS = 40


def module(name):
    """A text of the plug-in's as the module as which it compiles it."""
    spec = importlib.util.spec_from_file_location(f"scow_{name}", f"{PLUGIN}/{name}.py")
    made = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


description = module("description")
description.TYPES.update(zip(("u1", "u2", "u4", "u8", "i4", "i8", "f4", "f8", "S"), range(1, 10)))
plugin = module("plugin")
plugin._reject = None  # of the plug-in, which is not reached


def describe():
    description._modules.clear()  # the script is another one for each WRONG
    return plugin.describe(SCRIPT, None, -1, -1, 0, False)


def compute():
    job = plugin.Job(describe()[0])
    package = job.package(bytearray(job.said.records.itemsize * TASKS), bytearray(), bytearray(), b"", b"")
    job.run(package, 0, TASKS, 1)


def said(step):
    try:
        step()
    except BaseException as error:
        return plugin.explain(error, SCRIPT)
    return "nothing"


rows = [row.rstrip("\n").split("|", 2) for row in sys.stdin]
failed = 0
for name, wrong, sentence in rows:
    os.environ["WRONG"] = wrong
    explained = said({"describe": describe, "compute": compute}[name])
    if sentence not in explained:
        print(f"{name}, {wrong}: {explained}", file=sys.stderr)
        failed += 1
os.environ["WRONG"] = ""
good = said(compute)
if good != "nothing" or not rows:
    print(f"{len(rows)} rows; nothing wrong: {good}", file=sys.stderr)
    failed += 1
sys.exit(failed > 0)
