#!/usr/bin/env python3
"""What each test costs, in seconds of a processor, whatever else the machine does meanwhile.

    /usr/bin/python3 tests/house/costs.py build/release [-R REGEX] [-LE REGEX] [-j N]

Prints processor seconds (user and system, children that were waited for included), seconds on the clock and the
test's name, dearest first, and the sum; what fails is named. For CTest's own COST, and to see what a change of the
suite saves: seconds on the clock tell neither on a machine that others use, too.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
import time


def tests_list(build, options):
    text = subprocess.run(["ctest", "--show-only=json-v1", *options], cwd=build, capture_output=True, text=True, check=True).stdout
    for test in json.loads(text)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "command" in test and not properties.get("DISABLED"):
            yield test["name"], test["command"], properties


def test_run(build, name, command, properties):
    environment = dict(os.environ, **dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", [])))
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=properties.get("WORKING_DIRECTORY", build), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, process.returncode, name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("-R", default=".", metavar="REGEX")
    parser.add_argument("-LE", default="bench|slurm|emulated|long", metavar="REGEX")
    parser.add_argument("-j", type=int, default=os.cpu_count(), metavar="N")
    options = parser.parse_args()
    tests = list(tests_list(options.build, ["-R", options.R, "-LE", options.LE]))
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        done = sorted(pool.map(lambda test: test_run(options.build, *test), tests), reverse=True)
    for processor_s, wall_s, code, name in done:
        print(f"{processor_s:9.2f} {wall_s:9.2f} {name}{f'  (exit code {code})' if code else ''}")
    print(f"{sum(d[0] for d in done):9.2f} {'':9} sum of {len(done)}")
    return 1 if any(d[2] for d in done) else 0


if __name__ == "__main__":
    sys.exit(main())
