#!/usr/bin/env bash
# scow go where commands fail: when the first ones all do, it ends early, with what was run and its error
# output; mended, the same command goes on. Those who know better say --halt.
# usage: go_failing.sh SCOW
set -euo pipefail
scow=$1
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
    grep -qE -- "$1" said || { cat said; fail "not said: $1"; }
}

seq 1 200 >lines
cat >script <<'EOS'
echo "$1" >>log
[ -e mended ] || { echo "cannot do $1" >&2; echo "really" >&2; exit 3; }
EOS
go=("$scow" go -j 2 -k command --no-page --command 'sh script {}' -i lines)

# It ends after the first eight or so, not after all of them, and what is there says so.
expect 1 "${go[@]}" -o out.h5
says 'core task [0-9]+ failed: exit 3$'
says '  ran: sh script [0-9]+$'
says '\| cannot do [0-9]+$'
says '\| really$'
says 'all [0-9]+ core tasks that were tried have failed'
says 'run the same again, with --halt never if'
[ "$(wc -l <log)" -le 40 ] || fail "$(wc -l <log) commands were run"
[ "$(wc -l <log)" -ge 8 ] || fail "only $(wc -l <log) commands were run"
expect 0 "$scow" show out.h5 --failed
says 'exit 3'

# Again without mending: the same. Mended: all of them, those again that failed.
expect 1 "${go[@]}" -q -o out.h5
says 'all [0-9]+ core tasks that were tried have failed'
touch mended
rm log
expect 0 "${go[@]}" -o out.h5
cmp <(sort -n log) lines || fail "not every line was run once after mending"
expect 0 "$scow" show out.h5 --failed
says '^0 of 200 core tasks failed'

# --halt rules: never, all are run; so many, that many.
rm log mended
expect 1 "${go[@]}" -o never.h5 --halt never
says '200 of 200 core tasks failed'
cmp <(sort -n log) lines || fail "not every line was run once with --halt never"
rm log
expect 1 "${go[@]}" -o halted.h5 --halt 3
says '3 of 3 commands failed, which --halt 3 ends|commands of all workers failed, which --halt 3 ends'
[ "$(wc -l <log)" -lt 8 ] || fail "--halt 3 ran $(wc -l <log) commands"

# What once succeeded is not taken for hopeless: a few that fail among others, then those alone.
rm log
some=("$scow" go -j 2 -q -k command --no-page --command '[ {} -gt 30 ]' -i lines -o some.h5)
expect 1 "${some[@]}"
says '30 of 200 core tasks failed, all others are there'
expect 1 "${some[@]}"
says '30 of 200 core tasks failed, all others are there'

# Few of them are all tried.
head -n 5 lines >few
expect 1 "$scow" go -j 2 -k command --no-page --command 'exit 4' -i few -o few.h5
says '5 of 5 core tasks failed'
