#!/usr/bin/env bash
# What calibrate and run are told about waiting threads: passive, unless the user says something.
# usage: waiting.sh SCOW
set -euo pipefail
scow=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME

cp "$scow" scow
for name in run calibrate; do
    cat >scow-$name <<'END'
#!/bin/sh
echo "$1 ${OMP_WAIT_POLICY-unset} ${GOMP_SPINCOUNT-unset} ${KMP_BLOCKTIME-unset}"
END
    chmod +x scow-$name
done

# waits WANTED COMMAND...: what the command's sibling finds.
waits() {
    local wanted=$1 found
    shift
    found=$(env "$@")
    [[ $found == "$wanted" ]] || {
        echo "waiting: $* found '$found' instead of '$wanted'"
        exit 1
    }
}

for name in run calibrate; do
    waits "x passive unset unset" ./scow $name x
    waits "x active unset unset" OMP_WAIT_POLICY=active ./scow $name x
    waits "x unset 100 unset" GOMP_SPINCOUNT=100 ./scow $name x
    waits "x unset unset 0" KMP_BLOCKTIME=0 ./scow $name x
done
