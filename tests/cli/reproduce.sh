#!/usr/bin/env bash
# The published tables, by the commands of the guide's page, are met as it says, and a number that is no longer met is told.
# usage: reproduce.sh SOURCE SCOW
set -euo pipefail
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
source=$1 scow=$2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
fail() { echo "reproduce: $*"; exit 1; }

for name in thesis rules shared; do
    figures=()
    [[ $name != thesis ]] || figures=("$made/figures")
    SCOW=$scow bash "$source/jobs/reproduce/$name.sh" "${figures[@]}" >"$made/$name.md" 2>"$made/said" || fail "$name.sh: $(cat "$made/said")"
    counts=$(tail -n 1 "$made/$name.md")
    [[ $counts =~ ^[1-9][0-9]*\ numbers ]] || fail "$name.sh ends with '$counts'"
    grep -qxF "$counts" "$source/jobs/guide/published.md" || fail "the guide does not say of $name.sh: $counts"
done

for figure in 4_1 4_2 6_1 6_2; do
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$made/figures/figure_$figure.svg"
done

# One package is as large as two.
printf '#!/bin/sh\n"%s" "$@" | sed "s/\\[0, 5000\\]/[0, 10000]/"\n' "$scow" >"$made/wrong"
chmod +x "$made/wrong"
code=0
SCOW=$made/wrong bash "$source/jobs/reproduce/rules.sh" >/dev/null 2>"$made/said" || code=$?
[[ $code == 1 ]] || fail "a wrong package ends with $code, not 1"
grep -qxF 'no longer met: Herrera et al., Table 1: TSS(5000,1000)' "$made/said" || fail "a wrong package is told as: $(cat "$made/said")"

SCOW=$made/none bash "$source/jobs/reproduce/rules.sh" >/dev/null 2>"$made/said" && fail "no scow is no failure"
grep -q "cannot start '$made/none'" "$made/said" || fail "no scow is told as: $(cat "$made/said")"
