#!/usr/bin/env bash
# tests/run.sh beside cmake and ctest that only pretend: what fails in one build keeps it neither from
# the others nor from failing in the end.
set -euo pipefail

house=$PWD
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir -p "$directory"/{bin,house/tests,house/jobs}
cp "$house/tests/run.sh" "$directory/house/tests"
cd "$directory"
true >house/jobs/setup.sh
for program in cmake ctest; do
    cat >"bin/$program" <<END
#!/bin/bash
call="$program \$*"
echo "\$call" >>$directory/calls
[[ -z \$FAILS || "\$call" != *\$FAILS* ]]
END
    chmod +x "bin/$program"
done

# expect EXIT LAST CALLS FAILS: where the call fails that has FAILS in it, it ends so, its last line is
# LAST, and so many calls are made.
expect() {
    local code=0 last calls
    rm -f calls
    FAILS=$4 PATH=$directory/bin:$PATH bash house/tests/run.sh -R image >said 2>&1 || code=$?
    last=$(tail -n 1 said) calls=$(wc -l <calls)
    [[ $code == "$1" && $last == "$2" && $calls == "$3" ]] || {
        printf "'%s' fails: exit code %s, '%s', and these calls:\n" "$4" "$code" "$last"
        cat calls
        exit 1
    }
}

expect 0 '== tsan ==' 9 ''
[[ $(grep -c -- '^ctest .*-R image$' calls) == 3 ]] || { echo "an option does not get to ctest"; exit 1; }
expect 1 'tests/run.sh: not all is well: asan (tests)' 9 'ctest --preset asan'
expect 1 'tests/run.sh: not all is well: asan (build)' 8 'cmake --build --preset asan'
expect 1 'tests/run.sh: not all is well: release (build)' 7 'cmake --preset release'
expect 1 'tests/run.sh: not all is well: release (tests), asan (tests), tsan (tests)' 9 'ctest'
