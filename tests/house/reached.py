#!/usr/bin/env python3
"""Which branches of the product each test alone reaches, beside what it costs: what a suite loses without it.

    cmake --preset release -B build/coverage -DBUILD_TESTING=ON -DSCOW_CASES=10 -DCMAKE_C_FLAGS=--coverage
    cmake --build build/coverage
    /usr/bin/python3 tests/house/reached.py build/coverage [--of BUILD] [--without REGEX] [-R REGEX] [-LE REGEX] [-j N]

Runs every test, one after the other's counters apart, and prints processor seconds, branches that this test alone of
all these reaches, branches that it reaches, and its name: least reached alone for a second first. --of: only tests
that another build has, as build/asan, which has fewer than the others. --without: also what tests so called reach
that none of the others does. What a test of data looks for (other numbers, the same branches) does not show here.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import struct
import sys
import tempfile

import costs

FUNCTION, ARCS = 0x01000000, 0x01A10000  # tags of libgcov's records (gcov-io.h)


def reached(path):
    """Counters of a .gcda file that are not zero, as (function, index)."""
    data = path.read_bytes()
    words = struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
    at, function = 4, None  # behind magic number, version, stamp and checksum
    while at + 1 < len(words) and words[at]:
        tag, length = words[at], words[at + 1]
        at += 2
        if length >= 1 << 31:  # of counters that are all zero only the number is kept
            continue
        if tag == FUNCTION and length:
            function = words[at]
        elif tag == ARCS:
            yield from ((function, i) for i in range(length // 8) if words[at + 2 * i] or words[at + 2 * i + 1])
        at += length // 4


def test_try(build, name, command, properties):
    """Processor seconds, exit code, name and the branches of product files."""
    with tempfile.TemporaryDirectory() as counters:
        properties = dict(properties, ENVIRONMENT=[
            *properties.get("ENVIRONMENT", []), f"GCOV_PREFIX={counters}", f"GCOV_PREFIX_STRIP={len(build.parts) - 1}"])
        processor_s, _, code, _ = costs.test_run(build, name, command, properties)
        top = pathlib.Path(counters)
        files = [p for p in top.rglob("*.gcda") if "tests" not in p.relative_to(top).parts]
        return processor_s, code, name, {(p.relative_to(top), *branch) for p in files for branch in reached(p)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--of", metavar="BUILD")
    parser.add_argument("--without", metavar="REGEX", type=re.compile)
    parser.add_argument("-R", default=".", metavar="REGEX")
    parser.add_argument("-LE", default="bench|slurm|emulated|long", metavar="REGEX")
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N")
    options = parser.parse_args()
    chosen = ["-R", options.R, "-LE", options.LE]
    names = {name for name, *_ in costs.tests_list(options.of or options.build, chosen)}
    tests = [test for test in costs.tests_list(options.build, chosen) if test[0] in names]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        done = list(pool.map(lambda test: test_try(options.build, *test), tests))
    users = collections.Counter(branch for *_, branches in done for branch in branches)
    rows = [(s, sum(users[b] == 1 for b in branches), len(branches), code, name) for s, code, name, branches in done]
    for processor_s, alone, all_of_it, code, name in sorted(rows, key=lambda row: row[1] / max(row[0], 0.01)):
        print(f"{processor_s:9.2f} {alone:6} {all_of_it:6} {name}{f'  (exit code {code})' if code else ''}")
    print(f"{sum(row[0] for row in rows):9.2f} {len(users):6} branches of {len(rows)} tests")
    if options.without:
        left = {b for _, _, name, branches in done if not options.without.search(name) for b in branches}
        gone = [s for s, _, name, _ in done if options.without.search(name)]
        print(f"{sum(gone):9.2f} {len(users) - len(left):6} of {len(gone)} tests alone")
    return 1 if any(row[3] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
