#!/usr/bin/env bash
# What calibrate and run are told about waiting threads, passive, and about what UCX says, errors, unless the user says
# something.
# usage: waiting.sh SCOW
set -euo pipefail
scow=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME UCX_LOG_LEVEL

cp "$scow" scow
for name in run calibrate; do
    cat >scow-$name <<'END'
#!/bin/sh
echo "$1 ${OMP_WAIT_POLICY-unset} ${GOMP_SPINCOUNT-unset} ${KMP_BLOCKTIME-unset} ${UCX_LOG_LEVEL-unset}"
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
    waits "x passive unset unset error" ./scow $name x
    waits "x active unset unset error" OMP_WAIT_POLICY=active ./scow $name x
    waits "x unset 100 unset error" GOMP_SPINCOUNT=100 ./scow $name x
    waits "x unset unset 0 error" KMP_BLOCKTIME=0 ./scow $name x
    waits "x passive unset unset info" UCX_LOG_LEVEL=info ./scow $name x
done
