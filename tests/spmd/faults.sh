# shellcheck shell=bash disable=SC2154 # what is set by who sources this
# For tests of faults: jobs, ranks that survive each other, and looking at them. Sourced in an empty
# directory, with $scow, $mpiexec and $image.

export OMP_NUM_THREADS=1

fail() {
    echo "$*"
    exit 1
}

# Of a reduction, 4 to 7: with each one more it computes 14 times as long, for seconds with all. Where a gate keeps
# workers in the middle of a run, fewer will do.
sequences=7

# job_make NAME: plan.json, and in `input` and `options` what else its run needs; for 3 workers.
job_make() {
    input=() options=()
    case $1 in
    sleep)
        cat >profile.json <<'END'
{"schema": "scow-profile-1", "kernel": "sleep", "settings": [{"windows": [{"tasks": [1, 1000],
   "envelope": {"latency_s": 1e-4, "s_per_task": 0}, "send": {"latency_s": 0, "s_per_task": 0},
   "workers": [{"count": 3, "receive": {"latency_s": 0, "s_per_task": 0},
                "compute": {"latency_s": 0, "s_per_task": 2e-2}}]}]}]}
END
        cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "sleep", "scheduler": "by hand", "tasks": 300,
 "workers": [0, 1, 2], "rounds": [{"repeat": 20, "loads": [5, 5, 5]}]}
END
        options=(-p profile.json)
        ;;
    grid)
        cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "matched-filter", "parameters": {"bank": "source", "combine": "max", "algorithm": "reference"},
 "scheduler": "by hand", "tasks": 192, "block": 16, "workers": [0, 1, 2], "rounds": [{"repeat": 32, "loads": [2, 2, 2]}]}
END
        input=(-i "$image")
        ;;
    records)
        # Numbers 3, 13, ... fail, and are done again whenever the run is gone on with.
        seq 1 120 >lines.txt
        cat >plan.json <<'END'
{"schema": "scow-plan-1", "kernel": "command",
 "parameters": {"command": "echo {} {#}; case {} in *3) exit 3;; esac", "per": "task", "retries": 0, "keep": 32, "jobs": 1,
                "grace": 1, "most-output": 1000},
 "scheduler": "by hand", "tasks": 120, "workers": [0, 1, 2], "rounds": [{"repeat": 20, "loads": [2, 2, 2]}]}
END
        input=(-i lines.txt)
        ;;
    reduction)
        printf '>%s\n%s\n' 1 CGTAATGCATTAGCCATTACG 2 TTAGCGACGGATTACCGATTA 3 GGCAGGGCATTAGGCATCCGA \
            4 ATTGGTAACGCATTAGACCAT 5 TGCAACGCATGGACCATTAGA 6 CCGATGACAACTACGGATTAC \
            7 GATTACCAGCATTACGCATGG | head -n $((2 * sequences)) >sequences.fa
        cat >plan.json <<END
{"schema": "scow-plan-1", "kernel": "motif",
 "parameters": {"length": 8, "positions": 14, "search": "brute-force", "grain": $((14 ** (sequences - 2))), "ship": "matrices"},
 "scheduler": "by hand", "tasks": 196, "workers": [0, 1, 2], "rounds": [{"repeat": 28, "loads": [3, 2, 2]}]}
END
        input=(-i sequences.fa)
        ;;
    esac
}

# job_behind: that job with its results written behind its computing.
job_behind() {
    if [[ -n ${input[*]} ]]; then
        sed -i 's/"parameters": {/&"write-behind": "yes", /' plan.json
        return
    fi
    sed -i 's/"kernel": "sleep"/&, "parameters": {"write-behind": "yes"}/' plan.json profile.json
    sed -i 's/"s_per_task": 2e-2}/&, "output": {"latency_s": 0, "s_per_task": 1e-2}/' profile.json
}

# Ranks, and those of them that work.
ranks=4 workers=(1 2 3)

# start OUTPUT OPTION...: ranks that survive each other's end, a launcher's proxy for each, in
# the background, each a node of its own, whose messages shared memory carries; `launcher` is its process. COMMAND goes before scow.
start() {
    local out=$1
    shift
    UCX_TLS=posix,self "$mpiexec" -disable-auto-cleanup -launcher fork -hosts "$(seq -s, -f h%g "$ranks")" -n "$ranks" "${command[@]}" \
        "$scow" run plan.json "${input[@]}" "${options[@]}" -o "$PWD/$out" -q "$@" >"$out.said" 2>&1 &
    launcher=$!
}
command=()

# is_scow PROCESS: one of those beside $scow, not what will become one.
is_scow() {
    local name
    for name in run go calibrate; do
        [[ ! /proc/$1/exe -ef ${scow%/*}/scow-$name ]] || return 0
    done
    return 1
}

# ranks_of OUTPUT: "PROCESS RANK" of those that are there: neither what becomes a rank nor what a rank
# has forked. Where the machine is busy, each program that is started takes long: pgrep alone.
ranks_of() {
    local process parent variable
    for process in $(pgrep -f -- "-o $PWD/$1" || true); do
        is_scow "$process" || continue
        parent=""
        { read -r _ _ _ parent _ <"/proc/$process/stat"; } 2>/dev/null || true
        if [[ -z $parent ]] || is_scow "$parent"; then continue; fi
        while IFS= read -r -d '' variable; do
            [[ $variable != PMI_RANK=* ]] || echo "$process ${variable#*=}"
        done 2>/dev/null <"/proc/$process/environ" || true
    done
}

# heard PROCESS...: nobody has a SIGTERM or SIGINT waiting to be taken.
heard() {
    local process pending
    for process; do
        pending=$(sed -n 's/^ShdPnd:\s*//p' "/proc/$process/status" 2>/dev/null) || continue # it has ended
        ((!(0x$pending & 0x4002))) || return 1
    done
}

# ranks_stop OUTPUT COUNT [SIGNAL]: asks its so many ranks to stop, until all have heard it. MPICH's launcher, asked in their
# place, may end with 0 before it has seen how they end, and on a busy machine the run may be over before they hear.
ranks_stop() {
    local asked
    mapfile -t asked < <(ranks_of "$1" | cut -d ' ' -f 1)
    ((${#asked[@]} == $2)) || fail "$1: not $2 ranks: ${asked[*]}"
    kill -"${3:-TERM}" "${asked[@]}"
    until heard "${asked[@]}"; do sleep 0.02; done
}

# gather OUTPUT: `processes` by rank, once all are there; false: the run has ended before.
gather() {
    local process rank
    processes=()
    while ((${#processes[@]} < ranks)); do
        kill -0 "$launcher" 2>/dev/null || return 1
        while read -r process rank; do processes[rank]=$process; done < <(ranks_of "$1")
        ((${#processes[@]} == ranks)) || sleep 0.02
    done
}
processes=()

# gate_start OUTPUT OPTION...: as start, and whoever works waits when it has written so often that some of its
# packages are done ($gate: gate.c), until gate_open; gate_await: until all do. Who waits there says nothing, and is not given
# up for that, however late the last one comes.
gate_start() {
    rm -f gate.*
    command=(env LD_PRELOAD="$gate" GATE="$PWD/gate" GATE_WRITES=25)
    start "$@" --patience 600
    command=()
}

gate_await() { # OUTPUT
    local rank
    for rank in "${workers[@]}"; do
        while [[ ! -e gate.$rank ]]; do
            kill -0 "$launcher" 2>/dev/null || fail "$1: ended before rank $rank came to the gate: $(cat "$1.said")"
            sleep 0.02
        done
    done
    gather "$1" || fail "$1: ended at the gate: $(cat "$1.said")"
}

gate_open() {
    : >gate.open
}

# Core tasks that the file says are done.
done_of() {
    local count=""
    [[ ! -s $1 ]] || count=$("$scow" show "$1" 2>/dev/null | sed -n 's/^done *\([0-9]*\) of .*/\1/p')
    echo "${count:-0}"
}

# reach OUTPUT TASKS: until so many are done, or the run has ended.
reach() {
    while kill -0 "$launcher" 2>/dev/null && (($(done_of "$1") < $2)); do sleep 0.04; done
}

is_complete() {
    /usr/bin/python3 -c 'import h5py, sys; sys.exit(int(h5py.File(sys.argv[1], "r").attrs["complete"] != 1))' "$1" 2>/dev/null
}

# Nothing left running: every rank ends by itself, and the launcher. A run that does not is a
# failure, however long this machine may take for anything.
end() { # OUTPUT
    local turns=0
    while kill -0 "$launcher" 2>/dev/null || [[ -n $(ranks_of "$1") ]]; do
        sleep 0.1
        ((++turns < ${LIMIT:-1200})) || {
            ranks_of "$1"
            pkill -KILL -f -- "-o $PWD/$1" || true
            kill -KILL "$launcher" 2>/dev/null || true
            fail "$1: still running: $(cat "$1.said")"
        }
    done
    wait "$launcher" 2>/dev/null || true
}

checksum_of() {
    sed -n 's/.*checksum \([0-9a-f]\{16\}\)$/\1/p' "$1.said"
}
