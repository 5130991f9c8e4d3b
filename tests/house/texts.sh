#!/usr/bin/env bash
# What the texts refer to is there: files, pictures, and headings of pages. The README stays a front door.
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - README.md jobs/guide/*.md jobs/data/README.md jobs/plugins/python/README.md jobs/package/CHANGELOG.md \
    {planner,kernel,spmd,calibrate,tests,jobs}/README.md spmd/*/README.md .github/*.md <<'END'
import pathlib, re, sys

def headings(page):
    """The places of a page that a link can lead to, as GitHub names them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    found = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}

wrong = []
for page in map(pathlib.Path, sys.argv[1:]):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if "://" in link:
            continue
        name, _, place = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists():
            wrong.append(f"{page}: no file {name}")
        elif place and place not in headings(target):
            wrong.append(f"{page}: {target} has no heading #{place}")
lines = len(pathlib.Path("README.md").read_text().splitlines())
if lines > 150:
    wrong.append(f"README.md: {lines} lines, where 150 are a front door's: the rest belongs into jobs/guide/")
for page in pathlib.Path("jobs/guide").glob("*.md"):
    if page.name not in pathlib.Path("jobs/guide/README.md").read_text():
        wrong.append(f"jobs/guide/README.md: does not name {page.name}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
END
