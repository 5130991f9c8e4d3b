#!/usr/bin/env python3
"""page.py BIN FIXTURES [MPIEXEC]: pages are well-formed, ask nothing of any other place, show what
comes from users as text, and have the numbers of --json. Without MPIEXEC, a plan's page alone.
tests/browser/run.sh looks at them in a browser."""

import csv
import html.parser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

VOID = {"meta", "img", "br", "input", "link", "hr"}
# The chart library's banner, and the name of SVG: neither is asked for.
ADDRESSES = {"https://github.com/leeoniya/uPlot", "http://www.w3.org/2000/svg"}
# As a path it ends a script element, and then begins an image's.
HOSTILE = "<", "script><img src=x onerror=alert(1)>&amp;\"'.png"


class Page(html.parser.HTMLParser):
    """Every element is closed in order; what lies in script elements is kept."""

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts, self.names, self.title = [], [], [], ""
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        for name, value in attrs:
            assert name not in ("src",) and not name.startswith("on"), (tag, name)
            assert name != "href" or value.startswith("#"), (tag, value)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> where it does not belong"

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        if self.open and self.open[-1] == "title":
            self.title += data


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def page_read(path):
    """The page, and its data."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    assert text.startswith("<!doctype html>") and "{{" not in text
    assert page.names.count("main") == 1 and "img" not in page.names, page.names
    assert set(re.findall(r"https?://[^\s\"'`)<]+", text)) <= ADDRESSES
    data, library, script = page.scripts
    assert "uPlot" in library and "innerHTML" not in script and "eval(" not in script
    return page, json.loads(data)


def strips_check(scow):
    """A grid in strips: its plan, and no more."""
    run(scow, "plan", "--strips", "-p", "grid.json", "--iterations", "500", "-q", "--html", "strips.html", "-o", "strips.json")
    page, data = page_read("strips.html")
    assert page.title.strip() == "jacobi"
    with open("strips.json", encoding="utf-8") as file:
        assert data == {"strips": json.load(file)}


def plan_check(scow):
    run(scow, "plan", "-p", "sure.json", "-X", "300", "-q", "--html", "plan.html", "-o", "plan.json")
    page, data = page_read("plan.html")
    assert page.title.strip() == "sleep"
    with open("plan.json", encoding="utf-8") as file:
        assert data["plan"] == json.load(file)
    sweep = json.loads(run(scow, "plan", "-p", "sure.json", "-X", "300", "--sweep", "--json"))
    assert data["sweep"] == sweep
    assert "pareto" not in data
    assert data["pairs"] == json.loads(run(scow, "plan", "-p", "sure.json", "--pairs", "--json"))
    assert data["plan"]["choice"]["workers"] > 0
    columns = data["events"]["predicted"]
    end_s = max(start + length for start, length in zip(columns["start_ns"], columns["length_ns"])) / 1e9
    assert abs(end_s / data["plan"]["predicted"]["makespan_s"] - 1) < 1e-6


def pareto_check(scow):
    """The compromises are those of the table, whatever else is asked for."""
    run(scow, "plan", "-p", "priced.json", "-X", "100", "--pareto", "--budget", "150", "-q", "--html", "pareto.html")
    pareto = json.loads(run(scow, "plan", "-p", "priced.json", "-X", "100", "--pareto", "--budget", "150", "--json"))
    _, data = page_read("pareto.html")
    assert data["pareto"] == pareto
    assert [(row["charge"], row["knee"], row["chosen"]) for row in pareto["rows"]] == [(200, True, False), (100, False, True)]
    assert data["plan"]["predicted"]["charge"] == 100


def masters_check(scow):
    """A plan of several masters is on its page, with nothing that is about one."""
    run(scow, "plan", "-p", "sure.json", "-X", "300", "-n", "11", "--masters", "3", "-q", "--html", "masters.html", "-o",
        "masters.json")
    _, data = page_read("masters.html")
    with open("masters.json", encoding="utf-8") as file:
        assert data["plan"] == json.load(file)
    assert [star.get("master", 0) for star in data["plan"]["stars"]] == [0, 4, 8]
    assert not {"events", "sweep", "schedulers"} & data.keys()


def levels_check(scow):
    """A page of a search's first level says what is expected of the others."""
    with open("sure.json", encoding="utf-8") as file:
        profile = json.load(file)
    profile["settings"][0]["levels"] = [{"tasks": 10, "compute": 1, "next": 2.5}, {"tasks": 25, "compute": 2, "next": 3}]
    with open("levels.json", "w", encoding="utf-8") as file:
        json.dump(profile, file)
    run(scow, "plan", "-p", "levels.json", "-X", "10", "-q", "--html", "levels.html")
    _, data = page_read("levels.html")
    levels = data["plan"]["levels"]
    assert [level["tasks"] for level in levels] == [10, 25] and data["plan"]["more_levels"]
    predicted = data["plan"]["predicted"]
    steady_s = predicted.get("without_variation_s", predicted["makespan_s"])  # levels are by mean costs
    assert levels[0]["makespan_s"] == steady_s < levels[1]["makespan_s"]


def run_make(scow, mpiexec, image):
    run(scow, "plan", "-p", "matched.json", "-i", image, "-s", "static", "-q", "-o", "plan.json")
    run(mpiexec, "-n", "3", scow, "run", "plan.json", "-i", image, "-o", "out.h5", "-q")


def events_check(data):
    """The chart's events are those of the comma-separated values."""
    with open("out.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in "measured", "predicted":
        columns = data["events"][name]
        mine = [row for row in rows if row["trace"] == name]
        assert len(mine) > 0 and all(len(column) == len(mine) for column in columns.values())
        for k, row in enumerate(mine):
            assert data["events"]["operations"][columns["operation"][k]] == row["operation"]
            assert (row["cause"] != "") == (columns["cause"][k] >= 0) == (row["operation"] == "idle")
            assert [columns[key][k] for key in ("rank", "round", "package", "first", "tasks")] == [
                int(row[key]) for key in ("rank", "round", "package", "first", "tasks")]
            assert abs(columns["start_ns"][k] - 1e9 * float(row["start_s"])) <= 1


def run_check(scow, mpiexec):
    os.mkdir(HOSTILE[0])
    image = "/".join(HOSTILE)
    shutil.copy("grey.png", image)
    run_make(scow, mpiexec, image)
    run(scow, "report", "out.h5", "-q", "--html", "report.html", "--csv", "out.csv")
    page, data = page_read("report.html")
    assert page.title.strip() == image, page.title
    report = json.loads(run(scow, "report", "out.h5", "--json"))
    assert data["report"] == report and report["input"] == image
    assert shlex.split(report["command_line"]) == ["mpiexec", "-n", "3", "scow", "run", "plan.json", "-i", image, "-o",
                                                   "out.h5", "-q"], report["command_line"]
    assert re.fullmatch("[0-9a-f]{64}", report["input_sha256"])
    pictures = data["pictures"]["pictures"]
    assert len(pictures) == 1 and data["pictures"]["note"] is None
    assert all(pictures[0][key].startswith("data:image/png;base64,iVBOR") for key in ("input", "result"))
    events_check(data)
    with open(image, "ab") as file:
        file.write(b"\n")
    run(scow, "report", "out.h5", "-q", "--html", "changed.html")
    pictures = page_read("changed.html")[1]["pictures"]
    assert pictures["note"] and pictures["pictures"][0]["input"] is None
    run(scow, "report", "--compare", "out.h5", "out.h5", "-q", "--html", "runs.html")
    assert [one["report"] for one in page_read("runs.html")[1]["runs"]] == [report, report]


def probes_check(data, path):
    """The page's probes are those of the table."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    probes = data["probes"]
    assert probes["timings"] == probes["drawn"] == len(rows) > 0
    for key in "setting", "rank", "cold", "waited", "tasks":
        assert probes[key] == [int(row[key]) for row in rows]
    assert [probes["operations"][k] for k in probes["operation"]] == [row["operation"] for row in rows]
    for mine, row in zip(probes["length_ns"], rows):
        assert abs(mine - 1e9 * float(row["seconds"])) <= 1


def calibration_check(scow, mpiexec):
    """One setting: without a word about it, a busy store would bring a second one that writes behind computing."""
    run(mpiexec, "-n", "3", scow, "calibrate", "-k", "mandelbrot", "--width", "100", "--height", "200", "--budget", "1s",
        "--write-behind", "no", "-q", "-o", "measured.json", "--probes", "probes.tsv", "--html", "calibration.html")
    page, data = page_read("calibration.html")
    assert page.title.strip() == "mandelbrot"
    with open("measured.json", encoding="utf-8") as file:
        assert data["profile"] == json.load(file)
    assert data["setting"] == 0 and data["told"].strip()
    probes_check(data, "probes.tsv")
    run(scow, "plan", "-p", "measured.json", "-q", "-o", "rows.json")
    run(mpiexec, "-n", "3", scow, "run", "rows.json", "-o", "rows.h5", "-q")
    run(scow, "report", "rows.h5", "-q", "--html", "rows.html", "--probes", "probes.tsv")
    assert page_read("rows.html")[1]["probes"] == data["probes"]


def main():
    scow = os.path.join(os.path.realpath(sys.argv[1]), "scow")
    fixtures = os.path.realpath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(fixtures, folder, dirs_exist_ok=True)
        os.chdir(folder)
        plan_check(scow)
        strips_check(scow)
        pareto_check(scow)
        masters_check(scow)
        levels_check(scow)
        if len(sys.argv) > 3:
            run_check(scow, sys.argv[3])
            calibration_check(scow, sys.argv[3])
        os.chdir("/")


main()
