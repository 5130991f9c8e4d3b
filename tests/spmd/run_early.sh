#!/usr/bin/env bash
# A rank that is killed or stopped before there is an output, or when all is over: the others do not
# wait for it for ever, one says so, and nothing is left running.
# usage: run_early.sh SCOW MPIEXEC IMAGE HASTY
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 hasty=$4
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'pkill -KILL -f -- "-o $dir/" || true; rm -rf "$dir"' EXIT
cd "$dir"
# shellcheck source=tests/spmd/faults.sh
source "$here/faults.sh"
job_make sleep
mv plan.json plan

# lose NAME SIGNAL RANK SENTENCE: in a directory of its own. The master waits for its plan, which is a pipe.
lose() {
    mkdir "$1"
    cd "$1"
    cp ../profile.json .
    mkfifo plan.json
    start part.h5 --patience 1
    exec 3>plan.json # all ranks have come together, and the master has begun to read
    gather part.h5 || fail "$1: ended by itself: $(cat part.h5.said)"
    kill -"$2" "${processes[$3]}"
    cat ../plan >&3 2>/dev/null || true
    exec 3>&-
    end part.h5
    [[ ! -e part.h5 ]] || fail "$1: there is an output"
    [[ $(grep -c ", and there is no package yet: run the same again" part.h5.said) == 1 ]] ||
        fail "$1: not one sentence: $(cat part.h5.said)"
    grep -Eq "^scow run: .*/part.h5: rank $3 $4, and" part.h5.said || fail "$1: another rank: $(cat part.h5.said)"
    cd ..
    echo "$1: done"
}

# What is preloaded stands before a sanitiser's library.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0

trap '' PIPE
lose killed KILL 2 'is gone' &
lose stopped STOP 3 'has said nothing for 5 s' &
lose master KILL 0 'is gone' &
for job in $(jobs -p); do wait "$job" || fail "a rank that was lost early was waited for"; done

# One that never begins with MPI; ten minutes are two seconds here. It is ended when the others have said so: a
# launcher that sees one end by itself, and wants to tell that to others which have just left, may break.
cat >wrapped <<END_WRAPPED
#!/usr/bin/env bash
if [[ \$PMI_RANK == 1 ]]; then
    echo \$\$ >absent
    exec sleep 100000
fi
LD_PRELOAD=$hasty exec "\$@"
END_WRAPPED
chmod +x wrapped
mv plan plan.json
command=(./wrapped)
start part.h5
until grep -q '^scow: not all ranks have started within ten minutes' part.h5.said; do
    kill -0 "$launcher" 2>/dev/null || fail "before MPI: $(cat part.h5.said)"
    sleep 0.1
done
kill "$(cat absent)" 2>/dev/null || true # the launcher may have done so
end part.h5

# Stopped when all is over: the master waits for all to be gone, and ends the one that is not.
command=(env LD_PRELOAD="$hasty" STOPS_RANK=2)
start part.h5
end part.h5
[[ $(checksum_of part.h5) =~ ^[0-9a-f]{16}$ ]] || fail "stopped at the end: $(cat part.h5.said)"
echo "run early: done"
