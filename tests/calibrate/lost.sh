#!/usr/bin/env bash
# A calibration that loses a rank while it probes, where the launcher lets the others live: one
# sentence names the rank, all leave with exit code 75, an older profile stays as it was and nothing
# is left, neither files nor processes. So does scow go, which goes on without that worker.
# usage: lost.sh SCOW MPIEXEC
set -euo pipefail
scow=$1 mpiexec=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/../spmd/faults.sh"
seq 200 >lines

# Says how every rank ends; MPICH's launcher tells by SIGUSR1 that one is gone.
cat >wrapped <<'END'
#!/usr/bin/env bash
trap : USR1
code=0
"$@" || code=$?
echo "$code" >"../code.${PWD##*/}.$PMI_RANK"
exit "$code"
END
chmod +x wrapped

# start_scow COMMAND OUTPUT WORK: in the background; its core tasks leave a line each, beside its directory.
start_scow() {
    UCX_TLS=posix,self "$mpiexec" -disable-auto-cleanup -launcher fork -hosts h0,h1,h2,h3 -n 4 ../wrapped "$scow" "$1" -k command \
        -i ../lines --command "echo {} >>../begun.${PWD##*/}; $3" --patience 2 -o "$PWD/$2" >"$2.said" 2>&1 &
    launcher=$!
}

begun() {
    if [[ -e ../begun.${PWD##*/} ]]; then wc -l <"../begun.${PWD##*/}"; else echo 0; fi
}

# begun_await NAME COUNT: so many core tasks; ranks that end before have not waited to be hit.
begun_await() {
    while (($(begun) < $2)); do
        kill -0 "$launcher" || fail "$1: has ended by itself: $(cat ./*.said)"
        sleep 0.1
    done
}

# says NAME SENTENCE: once, in all that was said. Where several of its proxies are gone at a time, MPICH's launcher
# may end before it has passed that on.
says() {
    local count
    count=$(grep -cE "^scow calibrate: .*/profile.json: $2, and no profile is written: run the same again" \
        profile.json.said || true)
    ((count == 1)) || { ((count == 0)) && { [[ ! -s profile.json.said ]] || grep -q HYD profile.json.said; }; } ||
        fail "$1: not one sentence: $(cat profile.json.said)"
}

# ends NAME RANK: all others with exit code 75, as far as that launcher has let them say so.
ends() {
    local rank codes=()
    for rank in 0 1 2 3; do
        [[ $rank == "$2" || ! -s ../code.$1.$rank ]] || codes+=("$(cat "../code.$1.$rank")")
    done
    [[ "${codes[*]}" =~ ^75(\ 75)*$ ]] || fail "$1: exit codes ${codes[*]}"
}

# lose NAME SIGNAL RANK SENTENCE
lose() {
    mkdir "$1"
    cd "$1"
    echo "the older profile" >profile.json
    start_scow calibrate profile.json 'sleep 0.03'
    gather profile.json || fail "$1: ended by itself: $(cat profile.json.said)"
    begun_await "$1" 20
    kill -"$2" "${processes[$3]}"
    end profile.json
    says "$1" "$4"
    [[ $(ls -A) == $'profile.json\nprofile.json.said' ]] || fail "$1: left behind: $(ls -A)"
    [[ $(cat profile.json) == "the older profile" ]] || fail "$1: the older profile: $(cat profile.json)"
    ends "$1" "$3"
    echo "$1: done"
}

# Measuring while it works, scow go hands to others what the lost one had. Core tasks wait for that.
survey() {
    mkdir survey
    cd survey
    start_scow go out.h5 'until [ -e ../hit ]; do sleep 0.1; done'
    gather out.h5 || fail "survey: ended by itself: $(cat out.h5.said)"
    begun_await survey 3
    kill -KILL "${processes[2]}"
    touch ../hit
    end out.h5
    is_complete out.h5 || fail "survey: not complete: $(cat out.h5.said)"
    grep -q '^scow go: worker 2 is lost: its process is gone' out.h5.said || fail "survey: $(cat out.h5.said)"
    echo "survey: done"
}

lose killed KILL 2 'rank 2 is gone' &
lose stopped STOP 1 'rank 1 has said nothing for [0-9]+ s' &
lose master KILL 0 'rank 0 is gone' &
survey &
for job in $(jobs -p); do wait "$job" || fail "a rank that was lost was waited for"; done

code=0
"$mpiexec" -n 2 "$scow" calibrate -k command -i lines --command true --patience 0 2>said || code=$?
[[ $code == 2 && $(cat said) == "scow calibrate: --patience is in seconds, above 0" ]] || fail "$code: $(cat said)"
echo "calibrate lost: done"
