#!/usr/bin/env bash
# Two in a hundred workers are killed at a random moment of a run, with 20 seeds: no run begins again, all
# have the results of one that nobody disturbed, and take little longer. Fifty local workers sleep through
# 4,000 core tasks of 0.05 s, one of them is killed. Prints a line a seed, and the most that any took longer.
# usage: killed.sh SCOW [SEEDS]
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
scow=$1 seeds=${2:-20}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
cat >profile.json <<END
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
 "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 1e-4, "s_per_task": 0},
 "workers": [{"count": 50, "receive": {"latency_s": 0, "s_per_task": 0},
              "compute": {"latency_s": 0, "s_per_task": 0.05}}]}]}]}
END
"$scow" plan -p profile.json -X 4000 -o plan.json -q

# serve NAME: in the background, with fifty workers that are all there.
serve() {
    : >"$1.said" # which may be looked at before the master has begun
    "$scow" serve plan.json -o "$1.h5" --submit local -n 50 >"$1.said" 2>&1 &
    master=$!
    while [ "$(grep -c joins "$1.said" || true)" -lt 50 ]; do sleep 0.05; done
}
say() { sed -n "s/^$2 *//p" "$1.said"; }
took() { sed -n 's/.* core tasks in \([0-9.]*\) s.*/\1/p' "$1.said"; }
# draw SEED NUMBER: a share of 1, the second or first of that seed.
draw() { awk -v s="$1" -v n="$2" 'BEGIN {srand(s); for (k = 0; k < n; k++) x = rand(); print x}'; }

serve whole
wait "$master"
echo "nobody is killed: $(took whole) s, checksum $(say whole checksum)"
for ((seed = 1; seed <= seeds; seed++)); do
    serve "seed$seed"
    sleep "$(awk -v x="$(draw "$seed" 1)" 'BEGIN {print 3 * x}')"
    mapfile -t workers < <(pgrep -P "$master")
    worker=${workers[$(awk -v x="$(draw "$seed" 2)" -v n="${#workers[@]}" 'BEGIN {print int(x * n)}')]}
    kill -9 "$(pgrep -P "$worker")" "$worker"
    code=0
    wait "$master" || code=$?
    [ "$code" = 0 ] || { echo "seed $seed ends with $code"; cat "seed$seed.said"; exit 1; }
    [ "$(say "seed$seed" checksum)" = "$(say whole checksum)" ] || { echo "seed $seed: another checksum"; exit 1; }
    "$scow" show "seed$seed.h5" --check >/dev/null || { echo "seed $seed: --check does not hold"; exit 1; }
    echo "seed $seed: $(took "seed$seed") s, $(say "seed$seed" lost)"
    rm "seed$seed.h5"
done
echo "the longest took $(for said in seed*.said; do took "${said%.said}"; done | sort -g | tail -n 1) s"
