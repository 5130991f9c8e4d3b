#!/usr/bin/env bash
# The same job in each way that needs no cluster: 300 commands that sleep 0.1 s, three workers, so that no way
# takes less than 10 s. Prints for each the makespan as the runs say it, of all parts (of chunks nobody says one), and
# what it took from the command to its end, starts included. Fails where a way comes to another checksum.
# usage: ways.sh SCOW MPIEXEC
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
seq 1 300 >lines.txt
"$mpiexec" -n 4 "$scow" calibrate -k command --command 'sleep 0.1; echo {}' -i lines.txt -o profile.json --quiet -q
"$scow" plan -p profile.json -i lines.txt -o plan.json -q

one() { "$mpiexec" -n 4 "$scow" run plan.json -i lines.txt -o one.h5 -q; }
# Stopped twice, and gone on with.
chain() {
    local part
    for part in 1 2 3; do
        timeout --signal=TERM --preserve-status "$((part < 3 ? 4 : 60))" \
            "$mpiexec" -n 4 "$scow" run plan.json -i lines.txt -o chain.h5 -q --resume || [[ $part -lt 3 ]]
    done
}
serve() { "$scow" serve plan.json -i lines.txt -o serve.h5 -q --submit local -n 3; }
chunks() { "$scow" serve plan.json -i lines.txt -o chunks.h5 -q --per-chunk -s gss,least=5 -n 3 --submit local; }

printf "%-10s%12s%12s\n" way makespan "in all"
for way in one chain serve chunks; do
    start=$(date +%s.%N)
    $way >"$way.said" 2>&1 || {
        cat "$way.said"
        exit 1
    }
    end=$(date +%s.%N)
    makespan=$("$scow" report "$way.h5" --json |
        /usr/bin/python3 -c 'import json, sys
report = json.load(sys.stdin)
print(sum(part["measured_s"] or 0 for part in report.get("parts", [])) or report["measured_s"])')
    [[ $way != chunks ]] || makespan=-
    awk -v w="$way" -v m="$makespan" -v s="$start" -v e="$end" \
        'BEGIN {printf "%-10s%10s s%10.2f s\n", w, m == "-" ? m : sprintf("%.2f", m), e - s}'
    sum=$(sed -n 's/^checksum *//p' "$way.said" | tail -n 1)
    [[ $sum == "${expected:=$sum}" ]] || {
        echo "$way: another checksum"
        exit 1
    }
done
