#!/usr/bin/env bash
# Commands that fail when they are calibrated: one that always does ends the calibration, with what
# was run and its error output; some are counted and named. A dry run runs nothing.
# usage: failing.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
seq 200 >lines
cat >script <<'EOS'
touch ran
[ $(($1 % $2)) -ne 0 ] || { echo "cannot do $1" >&2; echo "really" >&2; exit 3; }
EOS
# Every second command that runs fails, however many there is time for.
cat >by-turns <<'EOS'
mkdir turn 2>/dev/null || { rmdir turn; echo "not $1" >&2; exit 3; }
EOS

# calibrate CODE OPTION...: ends with that code; what it says is in `said` and `errors`.
calibrate() {
    local expected=$1 code=0
    shift
    timeout 400 "$mpiexec" -n 3 "$scow" calibrate -k command -i lines -o profile.json "$@" >said 2>errors || code=$?
    [[ $code == "$expected" ]] || { echo "$*: exit code $code, not $expected:"; cat said errors; exit 1; }
}

# says FILE PATTERN: a line of it matches.
says() {
    grep -qE "$2" "$1" || { echo "nothing matches '$2' in:"; cat "$1"; exit 1; }
}

calibrate 0 --command 'sh script {} 1' --dry-run
[[ ! -e ran && ! -e profile.json ]] || { echo "a dry run runs something"; exit 1; }
says said '^sh script [0-9]+ 1$'
says errors 'more than once: as many as fit into 30 s, at most [0-9]+'
[[ $(wc -l <said) == 2 ]] || { echo "not one command for each worker:"; cat said; exit 1; }
first=$(head -n 1 said)

timeout 100 "$scow" calibrate -k command -i lines --command 'sh script {} 1' --dry-run >said 2>errors ||
    { echo "a dry run without a launcher:"; cat said errors; exit 1; }
[[ ! -e ran && $(grep -cE '^sh script [0-9]+ 1$' said) == 1 ]] || { echo "not the command of one worker:"; cat said; exit 1; }
says errors 'more than once: as many as fit into 30 s, at most [0-9]+'

calibrate 0 --command 'sh script' --per worker --dry-run
says said '^with lines on its standard input, of which the first ones are:$'

calibrate 1 --command 'sh script {} 1' --quick -q
[[ ! -e profile.json ]] || { echo "a profile of nothing but failures"; exit 1; }
says errors 'core task [0-9]+ failed: exit 3$'
says errors "ran: $first\$"
says errors '\| cannot do [0-9]+$'
says errors '\| really$'
says errors 'all [0-9]+ core tasks that were tried have failed'

calibrate 0 --command 'sh by-turns {}' --budget 2
says errors 'ran: sh by-turns [0-9]+$'
says errors '\| not [0-9]+$'
says errors '[0-9]+ of [0-9]+ core tasks that were computed failed; a run would meet them, too'
