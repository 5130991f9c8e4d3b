#!/usr/bin/env bash
# jobs/setup.sh beside a package manager that only pretends: what it asks apt-get for, what it
# prints and how it ends.
set -euo pipefail

house=$PWD
setup=$house/jobs/setup.sh
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
cd "$directory"
mkdir bin

pretend() {
    printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

# world USER SUDO MISSING INSTALLS: who runs it, may sudo be used, a package that is not there
# (all others are), and how many installations fail before one works.
world() {
    rm -f calls
    pretend id "echo $1"
    pretend sudo "[ $2 = yes ] || exit 1; shift; [ \$1 = true ] || { echo sudo >>calls; \"\$@\"; }"
    pretend dpkg-query "for p in \"\${@:4}\"; do [ \$p = '$3' ] || echo \"installed \$p\"; done"
    echo "$4" >failures
    pretend apt-get "
        echo \"apt-get \${*:6} [\$DEBIAN_FRONTEND]\" >>calls
        [ \"\$6\" = update ] && exit
        left=\$(<failures)
        echo \$((left - 1)) >failures
        [ \$left -le 0 ]"
}

failed=0
# expect EXIT STDOUT CALLS ARGUMENT...: run it in that world.
expect() {
    local code=0 printed called=''
    printed=$(PATH=$directory/bin:$PATH bash "$setup" "${@:4}" 2>messages) || code=$?
    [ ! -e calls ] || called=$(<calls)
    if [ "$code" != "$1" ] || [ "$printed" != "$2" ] || [ "$called" != "$3" ]; then
        printf 'line %s: exit %s, printed "%s", called:\n%s\n' "${BASH_LINENO[0]}" "$code" \
            "$printed" "$called"
        cat messages
        failed=1
    fi
}

install='apt-get install -y --no-install-recommends mpich [noninteractive]'
update='apt-get update [noninteractive]'
by_hand='sudo apt-get update && sudo apt-get install -y --no-install-recommends mpich'

world 0 no '' 0
expect 0 '' ''
expect 0 '' '' --tests
expect 2 '' '' --bogus
world 0 no mpich 0
expect 0 '' "$install"
world 0 no mpich 1
expect 0 '' "$install"$'\n'"$update"$'\n'"$install"
world 0 no mpich 2
expect 1 "$by_hand" "$install"$'\n'"$update"$'\n'"$install"
world 1000 yes mpich 0
expect 0 '' "sudo"$'\n'"$install"
world 1000 no mpich 0
expect 1 "$by_hand" ''
world 0 no shellcheck 0
expect 0 '' ''
expect 0 '' "${install/mpich/shellcheck}" --tests

# Not Debian: what is needed is said, and nobody fails.
for arguments in '' --tests; do
    code=0
    # shellcheck disable=SC2086 # no argument or one
    printed=$(PATH=$directory/empty "$BASH" "$setup" $arguments 2>messages) || code=$?
    if [ "$code" != 0 ] || [ -n "$printed" ]; then
        echo "not Debian ($arguments): exit $code, printed '$printed'"
        failed=1
    fi
    for library in MPICH HDF5 LAPACKE jansson libpng OpenSSL xxHash cmocka Clp ${arguments:+shellcheck}; do
        grep -qw "$library" messages || { echo "not Debian ($arguments): no word of $library"; failed=1; }
    done
done

# What CMake calls a missing Debian package is what is installed here.
mapfile -t named < <(grep -ohE '\b(lib[a-z0-9]+-dev|mpich)\b' "$house"/{CMakeLists.txt,jobs/package/libraries.cmake} | sort -u)
[ ${#named[@]} -gt 5 ] || { echo "CMake names too few packages: ${named[*]}"; failed=1; }
for package in "${named[@]}"; do
    grep -qE "^ .*(^| )$package( |$)" "$setup" || { echo "jobs/setup.sh does not install $package"; failed=1; }
done
exit $failed
