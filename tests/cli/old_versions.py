"""Files that earlier versions have written are read from now on: profiles, plans, outputs, and one that
stopped before its end is gone on with.

    old_versions.py FOLDER_OF_SCOW MPIEXEC          the files: tests/cli/versions/, made by its make.sh
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

scow = os.path.join(os.path.realpath(sys.argv[1]), "scow")
mpiexec = sys.argv[2]
versions = pathlib.Path(__file__).resolve().parent / "versions"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def report_check():
    """What was measured then is what is read now; what is new since may stand beside it."""
    now = json.loads(run(scow, "report", "picture.h5", "--json"))
    then = json.loads(pathlib.Path("picture.report.json").read_text())
    for key in "measured_s", "predicted_s", "model_error", "checksum", "tasks_done":
        assert now[key] == then[key], key
    assert now["tasks_done"] == 24 and now["measured_s"] > 0


def profiles_check():
    for name in "picture", "lines":
        input = ["-i", "lines.txt"] if name == "lines" else []
        made = run(scow, "plan", "-p", f"{name}.profile.json", *input, "--json")
        assert json.loads(made)["predicted"]["makespan_s"] > 0
        tasks = json.loads(pathlib.Path(f"{name}.plan.json").read_text())["tasks"]
        assert f"\ncore tasks  {tasks}\n" in run(scow, "show", f"{name}.plan.json")


def outputs_check():
    lines = pathlib.Path("lines.txt").read_text()
    for name in "picture.h5", "lines.h5":
        run(scow, "show", name, "--check")
    assert run(scow, "show", "lines.h5", "--output") == lines
    run(mpiexec, "-n", "3", scow, "run", "part.plan.json", "-i", "lines.txt", "-o", "part.h5", "-q", "--resume",
        "--isa", "generic")
    run(scow, "show", "part.h5", "--check")
    assert run(scow, "show", "part.h5", "--output") == lines


def main():
    folders = sorted(path for path in versions.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        with tempfile.TemporaryDirectory() as directory:
            shutil.copytree(folder, directory, dirs_exist_ok=True)
            os.chdir(directory)
            report_check()
            profiles_check()
            outputs_check()
            os.chdir("/")
        print(f"{folder.name}: read, and gone on with")


main()
