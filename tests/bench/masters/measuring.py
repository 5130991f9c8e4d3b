"""Plans with several masters, measured beside what is predicted of them: of jobs that sleep."""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

NOTHING = {"latency_s": 0, "s_per_task": 0}


def profile_of(workers, link, compute, envelope=NOTHING):
    """So many workers that are alike, of a job that sleeps; each cost is a dictionary."""
    each = {"count": workers, "link": link, "receive": NOTHING, "compute": compute}
    window = {"tasks": [1, 100000], "envelope": envelope, "send": NOTHING, "workers": [each]}
    return {"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [window]}]}


def call(*words):
    """Run to the end; what fails is told."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def measure(options, work, ranks, wishes):
    """Seconds predicted of the plan with these options, and measured in each run on so many ranks."""
    plan, output, measured = work / "plan.json", work / "out.h5", []
    call(options.scow, "plan", "-p", work / "profile.json", "-X", options.tasks, *wishes, "-q", "-o", plan)
    for _ in range(options.runs):
        output.unlink(missing_ok=True)
        call(options.mpiexec, "-n", ranks, options.scow, "run", plan, "-q", "-o", output)
        measured.append(json.loads(call(options.scow, "report", output, "--json"))["measured_s"])
    return json.loads(plan.read_text())["predicted"]["makespan_s"], measured


def table_print(options, what, profile, cases):
    """A line for each case: a number, the ranks, and the options of its plan."""
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "profile.json").write_text(json.dumps(profile))
        print(f"{what}  predicted   measured (median)   error, each run")
        for number, ranks, wishes in cases:
            predicted, measured = measure(options, work, ranks, wishes)
            errors = " ".join(f"{100 * (seconds / predicted - 1):+.1f} %" for seconds in measured)
            print(f"{number:{len(what)}d}  {predicted:7.3f} s  {statistics.median(measured):7.3f} s            {errors}", flush=True)
