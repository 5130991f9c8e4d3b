#!/usr/bin/env python3
"""How much memory the ranks of one run of very many commands take, how fast its commands are, and how
much of its results each line has.

    /usr/bin/python3 tests/bench/memory/lines.py [--lines N]... [--worker] [--go] [BUILD]

Every line is given to `true`, or, with --worker, to one `cat` a worker. Calibrates, plans and runs on two
workers, or, with --go, does all of that by `scow go`; prints a row for each N (10,000 and 1,000,000, which
is 10 minutes on two cores). All that it makes is in a temporary folder. BUILD: build/release.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORKERS = 2


def scow(build, folder, *arguments, ranks=0):
    """What it printed."""
    words = [str(build / "bin" / "scow"), *map(str, arguments)]
    if ranks:
        words = ["mpiexec.mpich", "-n", str(ranks), *words]
    environment = dict(os.environ, OMP_NUM_THREADS="1", HWLOC_PLUGINS_PATH="/nonexistent")
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def results_size(folder):
    """Bytes on disk of the output and of the files beside it."""
    return sum(path.stat().st_blocks * 512 for path in pathlib.Path(folder).rglob("out.h5*") if path.is_file())


def run(build, folder, job, goes):
    if goes:
        scow(build, folder, "go", *job, "-q", "-o", "out.h5", ranks=WORKERS + 1)
        return
    scow(build, folder, "calibrate", *job, "--budget", "10s", "-q", "-o", "profile.json", ranks=WORKERS + 1)
    scow(build, folder, "plan", "-p", "profile.json", "-i", "lines.txt", "-q", "-o", "plan.json")
    scow(build, folder, "run", "plan.json", "-i", "lines.txt", "-q", "-o", "out.h5", ranks=WORKERS + 1)


def trial(build, lines, command, goes):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "lines.txt"), "w", encoding="utf-8") as file:
            file.writelines(f"{number}\n" for number in range(lines))
        run(build, folder, ["-k", "command", *command, "-i", "lines.txt"], goes)
        return json.loads(scow(build, folder, "report", "out.h5", "--json")), results_size(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--lines", type=int, action="append", help="again for more")
    parser.add_argument("--worker", action="store_true", help="one process a worker")
    parser.add_argument("--go", action="store_true", help="scow go")
    options = parser.parse_args()
    command = ["--command", "cat", "--per", "worker"] if options.worker else ["--command", "true {}"]
    print("| lines | measured | predicted | commands a second | master | worker | bytes on disk a line |\n" +
          "|---|---|---|---|---|---|---|")
    for lines in options.lines or [10000, 1000000]:
        report, size = trial(options.build.resolve(), lines, command, options.go)
        used = report["memory_bytes"]
        print(f"| {lines} | {report['measured_s']:.1f} s | {report['predicted_s']:.1f} s | "
              f"{lines / report['measured_s']:.0f} | {used.get('master', 0) / 1e6:.1f} MB | {used['rank'] / 1e6:.1f} MB | "
              f"{size / lines:.0f} |", flush=True)


if __name__ == "__main__":
    main()
