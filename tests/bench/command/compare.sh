#!/usr/bin/env bash
# Short commands, side by side with GNU parallel and xargs where they are installed:
#
#     tests/bench/command/compare.sh [LINES] [ROUNDS] [BUILD]     10000, 3 and build/release unless
#                                                                 given; bench-command must be built
#
# All run as many commands at a time as there are cores. Each row is the least of several rounds,
# which are interleaved, so that what else the machine does weighs on all alike. xargs only starts
# commands: it keeps no output, exit codes or times, and is the floor that processes set. The raw
# rows are less than that: a loop of posix_spawn and wait in a small program, once with an argument,
# for which `true` looks up its language and takes half as long again. `cat`, long-lived or one
# for a package, answers a line with that line; GNU parallel has a process for every line, or with
# --pipe one for a block, but none that answers lines.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
lines=${1:-10000}
rounds=${2:-3}
build=${3:-build/release}
cores=$(nproc)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
seq "$lines" >"$scratch/lines"

clocked() {
    local start end
    start=$(date +%s.%N)
    "$@" >"$scratch/output"
    end=$(date +%s.%N)
    echo "$end - $start" | bc
}

ours() {
    "$build/bin/bench-command" "$lines" "$cores" "$@"
}

# with_parallel ARGUMENT...: no notice about citing it, and none of the user's settings.
with_parallel() {
    clocked env HOME="$scratch" parallel --will-cite -j "$cores" "$@" <"$scratch/lines"
}

declare -A least
rows=()
# row NAME COMMAND...: one more measurement of that row.
row() {
    local name=$1 seconds
    shift
    seconds=$("$@")
    [ -n "${least[$name]:-}" ] || rows+=("$name")
    if [ -z "${least[$name]:-}" ] || [ "$(echo "$seconds < ${least[$name]}" | bc)" = 1 ]; then
        least[$name]=$seconds
    fi
}

for ((i = 0; i < rounds; i++)); do
    if command -v parallel >/dev/null; then
        row 'GNU parallel: true' with_parallel true
        row 'GNU parallel: true {} | cat' with_parallel 'true {} | cat'
    fi
    if command -v xargs >/dev/null; then
        row 'xargs: true' clocked xargs -P "$cores" -n 1 -a "$scratch/lines" true
    fi
    row 'raw: true' "$build/bin/bench-spawn" "$lines" "$cores" /bin/true
    row 'raw: true 1' "$build/bin/bench-spawn" "$lines" "$cores" /bin/true 1
    row '--per task: true {}' ours task 'true {}'
    row '--per task: true {} | cat' ours task 'true {} | cat'
    row '--per task: true, line on standard input' ours task true
    row '--per package: cat' ours package cat
    row '--per worker: cat' ours worker cat
done

printf '%d lines, %d at a time, the least of %d rounds\n' "$lines" "$cores" "$rounds"
printf '%-42s %10s %14s\n' '' seconds 'lines/s'
for name in "${rows[@]}"; do
    printf '%-42s %10.3f %14.0f\n' "$name" "${least[$name]}" "$(echo "$lines / ${least[$name]}" | bc)"
done
