#!/usr/bin/env bash
# What is not of the same job, or has somebody writing to it, cannot be resumed: exit code 4, one
# sentence, and the file is as it was. Asked twice, a run ends at once.
# usage: run_resumed_refused.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "resuming: $*"
    exit 1
}

# plan FILE SECONDS KEEP SCHEDULER [JOBS]: lines 7 to 12 wait until there is `go`
plan() {
    cat >"$1" <<END
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "while [ {} -gt 6 ] && [ ! -e go ]; do sleep 0.02; done; sleep $2; echo {}", "per": "task", "retries": 0, "keep": $3, "jobs": ${5:-1}, "grace": 1, "most-output": 1000},
 "scheduler": "$4", "tasks": 12, "workers": [0, 1], "rounds": [{"repeat": 6, "loads": [1, 1]}]}
END
}
seq 1 12 >lines.txt
seq 2 13 >others.txt
plan plan.json 0.3 32 "by hand"
plan parameter.json 0.3 32 "by hand" 2
plan kept.json 0.3 64 "by hand"
plan another.json 0.3 32 "by foot"

begin() { # PLAN: in the background, until the first core task is done
    rm -f part.h5*
    "$mpiexec" -n 3 "$scow" run "$1" -i lines.txt -o "$dir/part.h5" -q >said 2>&1 &
    launcher=$!
    until [[ -s part.h5 ]] && ! "$scow" show part.h5 | grep -q '^done *0 of'; do sleep 0.05; done
}

refused() { # SENTENCE PLAN INPUT OPTION...: while the file stays as it is
    local sentence=$1 plan=$2 input=$3 code=0
    shift 3
    "$mpiexec" -n 3 "$scow" run "$plan" -i "$input" -o "$dir/part.h5" -q --resume "$@" >errors 2>&1 || code=$?
    if ((code != 4)) || [[ $(wc -l <errors) != 1 ]] || ! grep -q "$sentence" errors; then
        fail "'$sentence' is expected, but: exit code $code, $(cat errors)"
    fi
}

# Its run is alive for as long as five seconds, which is what resuming waits.
plan slow.json 30 32 "by hand"
sed -i 's/"command": "/&: >begun; /' slow.json
"$mpiexec" -n 3 "$scow" run slow.json -i lines.txt -o "$dir/part.h5" -q >said 2>&1 &
launcher=$!
until [[ -e begun ]]; do sleep 0.05; done
refused 'a run that writes to it is still alive' slow.json lines.txt

# gone SECONDS: no rank is left after so long at most; the launcher may end before them.
gone() {
    local turns=$(($1 * 10))
    while pgrep -f -- "-o $dir/part.h5" >/dev/null; do
        ((turns-- > 0)) || return 1
        sleep 0.1
    done
}

# Asked again, after more than a second, in which it may be the same signal on another way: it does not wait for its
# commands.
mapfile -t ranks < <(ranks_of part.h5 | cut -d ' ' -f 1)
((${#ranks[@]} == 3)) || fail "not three ranks: ${ranks[*]}"
kill -TERM "${ranks[@]}"
until heard "${ranks[@]}"; do sleep 0.05; done
sleep 1.1
kill -TERM "${ranks[@]}" || fail "asked once, some ranks have not waited for their commands"
gone 100 || fail "asked twice, some ranks are still there"
wait $launcher || true # its exit code is what the launcher makes of ranks that a signal ended

# Ctrl-C, as it comes to ranks. Their launcher, which a terminal interrupts, too, would pass it on at once or, on a busy
# machine, so late that they are asked twice (tests/spmd/python_plugin.sh has a launcher that does).
begin plan.json
ranks_stop part.h5 3 INT
touch go
code=0
wait $launcher || code=$?
gone 100 || fail "Ctrl-C: some ranks are still there"
((code == 75)) || fail "Ctrl-C: exit code $code: $(cat said)"
grep -q 'stopped as asked, with .* --resume to go on' said || fail "Ctrl-C: it says: $(cat said)"
"$scow" show part.h5 | grep -q '^ended  *stopped as asked (SIGINT)' || fail "Ctrl-C: $("$scow" show part.h5)"
sha256sum part.h5 >before
refused 'parameter jobs 1, and now it is 2' parameter.json lines.txt
refused 'was begun with another plan than kept.json' kept.json lines.txt
refused 'was begun with another plan than another.json' another.json lines.txt
refused 'was begun with another input than others.txt' plan.json others.txt
refused 'was begun with results in' plan.json lines.txt --results elsewhere
sha256sum -c before >/dev/null || fail "a refused run has changed the file"
cp part.h5 kept.h5
head -c 3000 kept.h5 >part.h5
refused 'is no readable HDF5 file' plan.json lines.txt
cp kept.h5 part.h5

# Where all is done there is nothing to do.
"$mpiexec" -n 2 "$scow" run plan.json -i lines.txt -o part.h5 -q --resume >said || fail "it cannot be resumed: $(cat said)"
sum=$(grep -o 'checksum .*' said)
"$mpiexec" -n 4 "$scow" run plan.json -i lines.txt -o part.h5 -q --resume >said || fail "all is done, but $(cat said)"
[[ $(cat said) == *"12 core tasks, 12 of them done before"*"$sum"* ]] || fail "all is done, but it says $(cat said)"
# And where there is no file, it begins.
rm part.h5*
"$mpiexec" -n 3 "$scow" run plan.json -i lines.txt -o part.h5 --resume >said 2>errors || fail "it does not begin: $(cat errors)"
[[ $(cat errors said) == *"is not there yet"*"$sum"* ]] || fail "begun, it says $(cat said errors)"
