#!/usr/bin/python3
"""Outputs with flipped bytes, in data and in HDF5's structures, at seeded places: whoever reads them does not crash; what
is confirmed (show --check: 0) or gone on with (run --resume: 0) holds the numbers that were written.
usage: flipped.py SCOW MPIEXEC COUNT [SEED]: COUNT outputs, every third damaged one of them gone on with, all from 100 on"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

if len(sys.argv) < 4:
    sys.exit(print(__doc__) if {"-h", "--help"} & set(sys.argv) else __doc__)
scow, mpiexec, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
COMMAND = '{"command": "echo {}; echo {} >&2", "per": "task", "retries": 0, "keep": 8, "jobs": 1, "grace": 1, "most-output": 1000}'
JOBS = [("mandelbrot", '{"width": 60, "height": 24, "iterations": 50}', 24, []),
        ("command", COMMAND, 24, ["-i", "lines"]),
        ("motif", '{"length": 4, "sequences": 3, "positions": 6, "grain": 9, "search": "brute-force"}', 24, ["-i", "dna"])]
ENDINGS = ["", ".results.1"]


def call(*words):
    process = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return process.returncode, process.stdout.decode(errors="replace")


def run(name, more):
    return call(mpiexec, "-n", "2", scow, "run", name + ".json", "-o", name + ".h5", "-q", *more)


def begin(name, parameters, tasks, more):
    with open(name + ".json", "w", encoding="utf-8") as file:
        file.write(f'{{"schema": "scow-plan-1", "kernel": "{name}", "parameters": {parameters}, "scheduler": "by hand", '
                   f'"tasks": {tasks}, "workers": [0], "rounds": [{{"repeat": {tasks // 4}, "loads": [4]}}]}}')
    code, said = run(name, more)
    if code != 0:
        sys.exit(f"flipped: {name}: exit code {code}: {said}")
    for ending in ENDINGS:
        if os.path.exists(name + ".h5" + ending):
            shutil.copy(name + ".h5" + ending, name + ".kept" + ending)


def numbers(name):
    """What people read out of it: grid, picture, records but for what was measured, emitted bytes, outcome."""
    with h5py.File(name + ".h5", "r") as file:
        found = [file[where][()].tobytes() for where in ("response", "normalized", "ledger") if where in file]
        if "result" in file:
            records = file["result"][()]
            found += [records[field].tobytes() for field in records.dtype.names if field in ("exit", "stdout", "stderr")]
        if "run/result" in file:
            found.append(bytes(file["run/result"][()]).rstrip(b"\0"))
        if "emitted" in file:
            with open(name + ".h5.results.1", "rb") as emitted:
                whole = emitted.read()
            for row in file["emitted"][()]:
                found.append(b"".join(sorted(whole[row["place"]:row["place"] + row["size"]].splitlines())))
        return found, file.attrs["checksum"]


def structures(name):
    """Places that belong to no data set."""
    taken = np.zeros(os.path.getsize(name + ".h5"), bool)

    def take(_, item):
        if isinstance(item, h5py.Dataset) and item.id.get_offset() is not None:
            taken[item.id.get_offset():item.id.get_offset() + item.id.get_storage_size()] = True
    with h5py.File(name + ".h5", "r") as file:
        file.visititems(take)
    return np.flatnonzero(~taken)


def data(name):
    """Places of results, by name of their data set."""
    with h5py.File(name + ".h5", "r") as file:
        return {where: range(file[where].id.get_offset(), file[where].id.get_offset() + file[where].id.get_storage_size())
                for where in ("response", "normalized", "result", "emitted", "ledger", "digests", "partial", "run/result", "run/cuts")
                if where in file}


def places(chance, kind, name, where, bare):
    several = range(chance.randint(1, 4))
    if kind == 0:
        return [int(chance.choice(bare)) for _ in several], "structures"
    if kind == 1:
        return [chance.randrange(os.path.getsize(name + ".h5")) for _ in several], "anywhere"
    what = chance.choice(sorted(where))
    return [chance.choice(where[what]) for _ in several], what


def flip(path, at, chance):
    with open(path, "r+b") as file:
        for place in at:
            file.seek(place)
            byte = file.read(1)[0] ^ (1 << chance.randrange(8))
            file.seek(place)
            file.write(bytes([byte]))


def spoil_results(name, chance):
    path = name + ".h5.results.1"
    how = chance.choice(["lost", "cut", "flipped"])
    if how == "lost":
        os.unlink(path)
    elif how == "cut":
        os.truncate(path, chance.randrange(os.path.getsize(path)))
    else:
        flip(path, [chance.randrange(os.path.getsize(path))], chance)
    return how


def main():
    with open("lines", "w", encoding="ascii") as file:
        file.writelines(f"line {k}\n" for k in range(24))
    with open("dna", "w", encoding="ascii") as file:
        file.writelines(f">{k}\n{''.join(random.Random(k).choices('ACGT', k=9))}\n" for k in range(3))
    for job in JOBS:
        begin(*job)
    written = {job[0]: (numbers(job[0]), structures(job[0]), data(job[0])) for job in JOBS}
    tally = {0: 0, 4: 0, 75: 0}
    for which in range(count):
        chance = random.Random(f"{seed} {which}")
        name, _, _, more = JOBS[which % len(JOBS)]
        wanted, bare, where = written[name]
        for ending in ENDINGS:
            if os.path.exists(name + ".kept" + ending):
                shutil.copy(name + ".kept" + ending, name + ".h5" + ending)
        kind = chance.randrange(4)
        if kind == 3 and name == "command":
            what, at = "results " + spoil_results(name, chance), []
        else:
            at, what = places(chance, min(kind, 2), name, where, bare)
            flip(name + ".h5", at, chance)
        label = f"seed {seed}, {which}: {name}, {what} {at}"
        code, said = call(scow, "show", name + ".h5", "--check")
        if code not in (0, 1, 4, 75):
            sys.exit(f"flipped: {label}: --check ends with {code}: {said}")
        if code == 0 and numbers(name) != wanted:
            sys.exit(f"flipped: {label}: confirmed, though its numbers differ")
        tally[code] = tally.get(code, 0) + 1
        if code != 4 and (which % 3 == 0 or count >= 100):
            code, said = run(name, more + ["--resume"])
            # Where HDF5 can write nothing into what is damaged, the run says so, and nothing is confirmed afterwards.
            unwritten = code == 1 and "could not be written" in said and call(scow, "show", name + ".h5", "--check")[0] != 0
            if code not in (0, 4) and not unwritten:
                sys.exit(f"flipped: {label}: --resume ends with {code}: {said}")
            if code == 0 and numbers(name) != wanted:
                sys.exit(f"flipped: {label}: gone on with, though its numbers differ: {said}")
    print(f"flipped: seed {seed}: {count} outputs: " + ", ".join(f"{n} with {code}" for code, n in sorted(tally.items())))


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    os.environ["OMP_NUM_THREADS"] = "1"
    # HDF5 leaves pieces where it finds its structures damaged.
    with open("leaks", "w", encoding="ascii") as suppressions:
        suppressions.write("leak:libhdf5\n")
    os.environ["LSAN_OPTIONS"] = f"suppressions={directory}/leaks:print_suppressions=0"
    main()
