#!/usr/bin/env bash
# A run that is stopped by a signal, or killed, at random moments, and resumed by other numbers of
# workers, ends as one that nobody disturbed. SEED repeats a sequence. With -behind, results are written
# behind computing in the disturbed runs alone.
# usage: run_resumed.sh SCOW MPIEXEC IMAGE CHECK (grid|records|reduction)[-behind]
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 check=$4 job=${5%-behind} behind=${5#"${5%-behind}"}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1
seed=${SEED:-$RANDOM}
echo "seed $seed"
RANDOM=$seed

fail() {
    echo "$job$behind: $*"
    exit 1
}

case $job in
grid)
    input=$image
    cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"bank": "chaudhuri", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 192, "block": 16, "workers": [0, 1], "rounds": [{"repeat": 48, "loads": [1, 3]}]}
END
    # The same with 210 filters, for a machine that is through with 12 before anybody can disturb it.
    sed 's/chaudhuri/source/' plan.json >longer.json
    ;;
records)
    # Numbers 3, 13, ... fail, and are done again whenever the run is resumed.
    input=lines.txt
    seq 1 120 >lines.txt
    cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "sleep 0.01; echo {} {#}; case {} in *3) exit 3;; esac", "per": "task", "retries": 0, "keep": 32, "jobs": 1,
                "grace": 1, "most-output": 1000},
 "scheduler": "by hand", "tasks": 120, "workers": [0, 1], "rounds": [{"repeat": 20, "loads": [3, 3]}]}
END
    ;;
reduction)
    input=sequences.fa
    cat >sequences.fa <<'END'
>1
CGTAATGCATTAGCCATTACG
>2
TTAGCGACGGATTACCGATTA
>3
GGCAGGGCATTAGGCATCCGA
>4
ATTGGTAACGCATTAGACCAT
>5
TGCAACGCATGGACCATTAGA
>6
CCGATGACAACTACGGATTAC
END
    cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "motif",
 "parameters": {"length": 8, "positions": 14, "search": "brute-force", "grain": 38416, "ship": "matrices"},
 "scheduler": "by hand", "tasks": 196, "workers": [0, 1], "rounds": [{"repeat": 49, "loads": [3, 1]}]}
END
    ;;
esac

# run RANKS FILE OPTION...: what it says is in `said`, its exit code in `code`.
run() {
    local ranks=$1 file=$2
    shift 2
    code=0
    "$mpiexec" -n "$ranks" "$scow" run plan.json -i "$input" -o "$dir/$file" "$@" >said 2>&1 || code=$?
}

# All that must come out the same; records without what is measured.
results() {
    sed -n 's/.*\(checksum .*\)/\1/p; /^{/p' said
    case $job in
    records)
        "$scow" show "$1" --joblog | cut -f 1,7-9
        for task in 1 7 60 120; do "$scow" show "$1" --task $task | sed '/^seconds\|^start\|^worker\|^peak_kib/d'; done
        ;;
    esac
}

# undisturbed: the run that the others have to equal, and how long it takes.
undisturbed() {
    rm -f whole.h5*
    run 3 whole.h5 -q
    ((code == 0)) || { [[ $job == records ]] && ((code == 1)); } || fail "exit code $code: $(cat said)"
    whole=$code
    results whole.h5 >expected
    took_ms=$(sed -n 's/.* in \([0-9]*\)\.\([0-9][0-9][0-9]\).*/\1\2/p' said)
    took_ms=$((10#$took_ms))
}

undisturbed
if ((took_ms < 200)) && [[ -e longer.json ]]; then
    mv longer.json plan.json
    undisturbed
fi

[[ -z $behind ]] || sed -i 's/"parameters": {/&"write-behind": "yes", /' plan.json

# Core tasks that the file says are done.
done_of() {
    local count=""
    [[ ! -s part.h5 ]] || count=$("$scow" show part.h5 2>/dev/null | sed -n 's/^done *\([0-9]*\) of .*/\1/p')
    echo "${count:-0}"
}

# The ranks that a launcher has started so far, by their process numbers.
ranks_of() { # LAUNCHER
    local proxy
    proxy=$(pgrep -P "$1") && pgrep -P "$proxy" -x scow-run
}

# disturb SIGNAL RANKS OPTION...: a run that gets it after a while, all its ranks; its exit code.
disturb() {
    local signal=$1 ranks=$2 before to
    shift 2
    before=$(done_of)
    "$mpiexec" -n "$ranks" "$scow" run plan.json -i "$input" -o "$dir/part.h5" -q "$@" >said 2>&1 &
    local launcher=$!
    to=("$launcher")
    # From the first result on, or, now and then, before.
    if ((RANDOM % 4 > 0)); then
        while (($(done_of) <= before)) && kill -0 $launcher 2>/dev/null; do sleep 0.01; done
    else
        # MPICH's launcher may wait for ever after a signal that comes while it starts the ranks (4.0.2):
        # an early one goes to them, as Slurm's do.
        while (($(ranks_of $launcher | wc -l) < ranks)) && kill -0 $launcher 2>/dev/null; do sleep 0.01; done
        mapfile -t to < <(ranks_of $launcher)
    fi
    sleep "$(printf '0.%03d' $((RANDOM % (took_ms < 1500 ? took_ms / 3 + 1 : 500))))"
    if [[ $signal == KILL ]]; then
        pkill -KILL -f -- "-o $dir/part.h5" || true
    else
        kill -"$signal" "${to[@]}" 2>/dev/null || true
    fi
    code=0
    wait $launcher 2>/dev/null || code=$?
}

# trial SIGNAL...: as many runs, each resuming the one before, then one that ends.
trial() {
    rm -f part.h5 part.h5.results.*
    local signal history="" fewest=3 lines
    for signal in "$@"; do
        disturb "$signal" $((fewest + RANDOM % 3)) --resume
        # Until there are results it is the plan itself that begins, which is for two workers.
        (($(done_of) == 0)) || fewest=2
        # A signal that comes before a rank can know it kills it.
        ((code != 75)) || grep -q 'stopped as asked, with .* --resume to go on' said || fail "it says: $(cat said)"
        history+=" $signal at $(done_of)"
        ((code == whole || $(done_of) == 0)) || middle=$((middle + 1))
        ((code != 75)) || stopped=$((stopped + 1))
    done
    run $((fewest + RANDOM % 3)) part.h5 -q --resume
    echo "$history: $(head -n 1 said)"
    ((code == whole)) || fail "$history: exit code $code instead of $whole: $(cat said)"
    results part.h5 >found
    # Where nothing was left to do, the reduction's outcome is not said again.
    lines=$(wc -l <expected)
    [[ $job != reduction || ! -s found ]] || lines=$(wc -l <found)
    diff <(head -n "$lines" expected) found || fail "$history: not what comes out undisturbed: $(cat said; "$scow" show part.h5 --failed)"
    [[ $job != grid ]] || [[ $("$check" whole.h5 part.h5 16 12) == "192 of 192 core tasks done, all right" ]] ||
        fail "$history: not the results of an undisturbed run"
    "$scow" report part.h5 >said 2>&1 || grep -q 'killed when all its core tasks were done' said ||
        fail "$history: no report: $(cat said)"
}

middle=0 stopped=0
trial TERM KILL
trial KILL USR1 TERM
trial KILL KILL
trial INT
# Where the machine is faster than whoever disturbs, a run may end first: again, until enough were caught.
for ((more = 0; more < 20 && (middle < 2 || stopped < 1); more++)); do
    trial TERM KILL
done
((middle >= 2 && stopped >= 1)) || fail "hardly any run was caught in the middle, or asked to stop"
