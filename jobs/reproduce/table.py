"""What the scripts beside this share: asking the planner, and a table of what was published and what it finds."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROFILES = HERE / "profiles"


def planner():
    """The scow to ask: $SCOW, one that was built here, or the installed one."""
    built = sorted(HERE.parent.parent.glob("build/*/bin/scow"), key=lambda path: path.stat().st_mtime, reverse=True)
    return os.environ.get("SCOW") or (str(built[0]) if built else "scow")


def ask(*words):
    """What scow answers in JSON."""
    try:
        done = subprocess.run([planner(), *map(str, words), "--json"], capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"cannot start '{planner()}': {error.strerror}; build it (cmake --workflow --preset planner-only) or set SCOW")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def profile(name):
    return PROFILES / f"{name}.json"


def plan(name, tasks, scheduler, *words):
    return ask("plan", "-p", profile(name), "-X", tasks, "-s", scheduler, *words)


def makespan(made):
    return made["predicted"]["makespan_s"]


def shown(value):
    if isinstance(value, (list, tuple)):
        return " ".join(map(shown, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Tables:
    """Markdown, section by section. A row that is expected to be met and is not makes the script fail."""

    def __init__(self, title):
        self.broken, self.met, self.unmet, self.open = [], 0, 0, 0
        self.section = ""
        print(f"# {title}")

    def begin(self, section, text=""):
        self.section = section
        print(f"\n## {section}\n" + (f"{text}\n" if text else ""))
        print("| what | published | ours | difference | met | why |\n|---|---|---|---|---|---|")

    def row(self, what, published, ours, within=0.0, relative=False, why="", expected=True):
        """Numbers or sequences of them that are met when no difference is larger than `within`."""
        left, right = (list(value) if isinstance(value, (list, tuple)) else [value] for value in (published, ours))
        scale = [abs(value) if relative and value else 1 for value in left]
        apart = [(b - a) / s for a, b, s in zip(left, right, scale)]
        met = len(left) == len(right) and all(abs(each) <= within for each in apart)
        worst = max(apart, key=abs) if apart else 0
        said = "0" if abs(worst) < 1e-12 else f"{100 * worst:+.2g} %" if relative else f"{worst:+.3g}"
        if len(left) != len(right):
            said = f"{len(right)} numbers for {len(left)}"
        self.put(what, shown(published), shown(ours), said, met, why, expected)

    def put(self, what, published, ours, said, met, why, expected):
        self.met += met
        self.unmet += not met
        if expected and not met:
            self.broken.append(f"{self.section}: {what}")
        print(f"| {what} | {published} | {ours} | {said} | {'yes' if met else 'no'} | {why} |")

    def beside(self, what, published, ours, why):
        """Numbers of which it is not known whether they should be equal; they count neither way."""
        self.open += 1
        print(f"| {what} | {shown(published)} | {shown(ours)} | | not stated | {why} |")

    def missing(self, what, published, why):
        """What cannot be reproduced from here; it counts neither way."""
        self.open += 1
        print(f"| {what} | {published} | | | not here | {why} |")

    def end(self):
        """The sum, and the exit code."""
        print(f"\n{self.met} numbers or sequences met, {self.unmet} not, {self.open} not to be had from here.")
        for what in self.broken:
            print(f"no longer met: {what}", file=sys.stderr)
        return 1 if self.broken else 0
