#!/usr/bin/env bash
# scow go: a job that nobody has measured is done, each core task once; stopped, it goes on; it ends as
# any other run does, and says so in words and files.
# usage: go.sh SCOW MPIEXEC IMAGE HASTY
set -euo pipefail
scow=$1 mpiexec=$2 image=$3 hasty=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OMP_NUM_THREADS=1

fail() {
    echo "$*"
    exit 1
}

# expect CODE COMMAND...: it ends with that exit code; what it said is in `said`.
expect() {
    local wanted=$1 code=0
    shift
    "$@" >said 2>&1 </dev/null || code=$?
    [ $code -eq "$wanted" ] || { cat said; fail "exit code $code, not $wanted: $*"; }
}

says() {
    grep -qF -- "$1" said || { cat said; fail "not said: $1"; }
}

checksum() {
    sed -n 's/.*checksum \([0-9a-f]*\).*/\1/p' said
}

# Every line runs once, whoever starts the ranks, and what was learnt lies beside the output.
seq 1 150 >lines
log='echo {} >>log; sleep 0.005; echo {}'
expect 0 "$scow" go -j 2 -k command --command "$log" -i lines -o one.h5
cmp <(sort -n log) lines || fail "not every line was run once"
says 'the other '
for file in one.profile.json one.plan.json one.report.html; do [ -s $file ] || fail "no $file"; done
expect 0 "$scow" plan -p one.profile.json -X 1000
# It has measured what a batch job has to ask for.
says 'measured    '
grep -q '"memory_bytes": {"rank": [1-9][0-9.]*, "command": [1-9][0-9.]*, "master": [1-9]' one.profile.json || fail "no memory in the profile"
grep -q '"seal_s": ' one.profile.json || fail "no time of sealing in the profile"
grep -q '"bandwidth": [1-9]' one.profile.json || fail "no bandwidth in the profile"
expect 0 "$scow" report one.h5
says 'core tasks  150, 150 done'
cmp <("$scow" show one.h5 --output) lines || fail "outputs are not the lines"

# Again: there is nothing left to do.
expect 0 "$scow" go -j 2 -k command --command "$log" -i lines -o one.h5
says '150 of them done before'
[ "$(wc -l <log)" -eq 150 ] || fail "a line was run again"

# Nothing is begun that cannot end, however long ranks take to begin (hasty.c); the same command goes on from there, with
# another number of workers.
rm log
slow='echo {} >>log; xargs sleep <pace'
echo 0.2 >pace
expect 75 "$mpiexec" -n 3 env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$hasty" DAY_STANDS=1 \
    "$scow" go -k command --command "$slow" -i lines -o two.h5 --until 4
says 'run the same again to go on'
[ "$(wc -l <log)" -lt 150 ] || fail "more was begun than could end"
expect 0 "$scow" show two.h5 --output
says 'not done yet and left nothing: go on by the same scow go'
echo 0.01 >pace
expect 0 "$mpiexec" -n 4 "$scow" go -k command --command "$slow" -i lines -o two.h5
cmp <(sort -n log) lines || fail "not every line was run once though it was stopped"

# Lines that fail are told, and tried again by the next call.
failing="[ {} -ne 7 ] || [ -e mended ]"
expect 1 "$scow" go -j 2 -q --no-page -k command --retries 0 --command "$failing" -i lines -o three.h5
says '1 of 150 core tasks failed'
[ ! -e three.report.html ] || fail "a page that nobody wanted"
touch mended
expect 0 "$scow" go -j 2 -q -k command --retries 0 --command "$failing" -i lines -o three.h5
says '149 of them done before'

# Fewer lines than workers, one line alone, and standard input.
head -n 3 lines >few
expect 0 "$scow" go -j 4 -k command --command 'echo {}' -i few -o few.h5
says 'nothing is predicted'
head -n 1 lines | "$scow" go -j 2 -q -k command --command 'echo {}' -i - -o single.h5 >said 2>&1 || fail "$(cat said)"
cmp <("$scow" show single.h5 --output) <(head -n 1 lines) || fail "standard input was not the input"

# Whatever the number of workers, the results are the same; so they are by a plan.
filter=(-k matched-filter --bank chaudhuri --combine max --block 16 --algorithm reference -i "$image")
expect 0 "$scow" go -j 1 "${filter[@]}" -o filter1.h5
first=$(checksum)
expect 0 "$scow" go -j 3 "${filter[@]}" -o filter3.h5
[ "$(checksum)" = "$first" ] || fail "three workers gave other results than one"
[[ ! -r /proc/thread-self/schedstat ]] || grep -q '"availability": 0*[01]' filter1.profile.json || fail "what workers had is not in the profile"
expect 0 "$scow" plan -p filter3.profile.json -i "$image" -n 2 -o plan.json
expect 0 "$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o planned.h5
[ "$(checksum)" = "$first" ] || fail "the plan gave other results"

# A dry run shows what would be run first, and runs nothing: of a new job, of one that is done in part, of
# a program that would be started once, and of what is no command.
head -n 40 lines >some
rm -f ran
expect 0 "$scow" go -j 2 -k command --command 'touch ran; echo {}' -i some -o dry.h5 --dry-run
says 'touch ran; echo '
says 'it would be 40 core tasks, each once, on 2 workers'
[ "$(grep -c '^touch ran; echo [0-9]*$' said)" -ge 2 ] || { cat said; fail "not the first commands"; }
[ -z "$(ls dry.* ran 2>/dev/null)" ] || fail "a dry run leaves something behind"
expect 1 "$scow" go -j 2 -q -k command --retries 0 --command "$failing; [ {} -ne 9 ]" -i some -o dry.h5
cp dry.h5 before.h5
expect 0 "$scow" go -j 2 -q -k command --retries 0 --command "$failing; [ {} -ne 9 ]" -i some -o dry.h5 --dry-run
says '[ 9 -ne 9 ]'
says 'it would be 1 core task of 40, for the others are done'
cmp dry.h5 before.h5 || fail "a dry run changes an output"
expect 0 "$scow" go -j 2 -k command --per worker --command 'touch ran; cat' -i some -o worker.h5 --dry-run
says 'with lines on its standard input'
[ ! -e ran ] || fail "a dry run starts a program"
expect 0 "$scow" go -j 2 "${filter[@]}" -o filter1.h5 --dry-run
says 'it would be 0 core tasks of '
expect 0 "$scow" go -j 2 "${filter[@]}" -o filter2.h5 --dry-run
says 'matched-filter runs no commands; it would begin with core tasks '
seq 3 | "$scow" go -j 2 -k command --command 'echo {}' -i - -o spool.h5 --dry-run >said 2>&1 || fail "$(cat said)"
[ -z "$(ls spool.* 2>/dev/null)" ] || fail "a dry run leaves its standard input behind"

# What cannot be, in a sentence.
expect 2 "$mpiexec" -n 2 "$scow" go -j 2 -k command --command true -i lines -o no.h5
says 'leave one of them out'
expect 2 "$scow" go -j 1 -k command --command true -i lines -o no.txt
says 'outputs are HDF5 files, which end with .h5 or .hdf5, not with .txt: name it no.h5'
expect 0 "$scow" go -j 2 -q -k command --command true -i few -o bare
[ -s bare.report.html ] || fail "no page beside an output without ending"
expect 0 "$scow" go -j 2 -q -k command --command true -i few -o long.HDF5
[ -s long.report.html ] || fail "no page beside an output that ends with .HDF5"
expect 2 "$scow" go -j 0 -k command --command true -i lines -o no.h5
says '-j needs a number of workers'
expect 2 "$scow" go -j 1 -k command --command true -i lines
says 'the output (-o FILE) is missing'
expect 2 "$scow" go -j 1 "${filter[@]}" --block 16,32 -o no.h5
says 'one value for each parameter'
SCOW_LAUNCH=no-such-launcher expect 1 "$scow" go -k command --command true -i lines -o no.h5
says "cannot start 'no-such-launcher'"
expect 4 "$scow" go -j 2 -q -k command --command true -i few -o one.h5
