#!/usr/bin/env bash
# scow-planner without the library that reads inputs and outputs, or with one that is not its own: what
# needs none goes on, the rest says which file is missing or wrong and what to do.
# usage: readers.sh BIN SOURCE
set -euo pipefail
bin=$1 profile=$2/tests/cli/fixtures/sure.json
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "readers: $*"; exit 1; }

cp "$bin/scow" "$bin/scow-planner" "$dir"
scow=$dir/scow
refused() { # WORDS: scow tasks is refused with these
    code=0
    "$scow" tasks >"$dir/said" 2>&1 || code=$?
    [[ $code == 1 && $(cat "$dir/said") == "scow: "*"$1"* ]] || fail "exit code $code and '$(cat "$dir/said")', not $1"
    [[ $(wc -l <"$dir/said") == 1 ]] || fail "more than a sentence: $(cat "$dir/said")"
    "$scow" plan -p "$profile" -X 1000 | grep -q '^makespan' || fail "planning needs it"
    "$scow" --version | grep -q 'planner only' || fail "the version does not say so"
}

refused "cannot find 'scow-readers.so', which reads inputs and outputs: put it beside scow-planner"
echo "no library" >"$dir/scow-readers.so"
refused "cannot load '$dir/scow-readers.so': "
echo 'const void *scow_readers(const char *version) { (void)version; return 0; }' |
    cc -shared -fPIC -xc - -o "$dir/scow-readers.so"
refused "'scow-readers.so' is not of scow "
cp "$bin/scow-readers.so" "$dir"
"$scow" tasks | grep -q matched-filter || fail "its own library does not do"
