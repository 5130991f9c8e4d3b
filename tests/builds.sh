#!/usr/bin/env bash
# Build as users do, in many ways: compilers, build types and generators by a plain cmake, the planner
# alone, and on machines where other libraries are installed. Every build is installed and used.
# Prints a table; fails if any line of it does.
#
#     bash tests/builds.sh [PATTERN]        only the lines that match: bash tests/builds.sh clang
#
# Everything it makes is under build/builds/: a log of each build, and of failed ones all the rest.
# The other machines are this one in disguise: a copy of its file system in memory, of which nothing
# stays, where packages are removed and installed. That needs Debian, root and a network.
# shellcheck disable=SC2317 # what other shells run is not unreachable
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pattern=${1:-}
failed=0
export source=$PWD results=$PWD/build/builds
mkdir -p "$results"
unset CFLAGS LDFLAGS CMAKE_BUILD_TYPE CMAKE_GENERATOR
# Open MPI wants to be asked twice before it starts ranks as root, or more of them than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export HWLOC_PLUGINS_PATH=/nonexistent

# steps FOLDER OPTION_OF_CMAKE...: configure, build, install, and use what is installed. $tests: tests
# to run.
steps() {
    local folder=$1 scow=$1/prefix/bin/scow mpiexec
    shift
    cmake -S "$source" -B "$folder" "$@"
    cmake --build "$folder" -j "$(nproc)"
    cmake --install "$folder" --prefix "$folder/prefix" >/dev/null
    "$scow" --version
    "$scow" plan -p "$source/tests/cli/fixtures/small.json" -X 10 -s "${scheduler:-auto}"
    if [ -e "$scow-run" ]; then
        ldd "$scow-run"
        mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[A-Z]*=//p' "$folder/CMakeCache.txt")
        bash "$source/tests/spmd/whole_way.sh" "$scow" "$mpiexec" \
            "$source/tests/kernel/golden/vessel.pgm"
    fi
    [ -z "${tests:-}" ] || ctest --test-dir "$folder" --output-on-failure -R "$tests"
}

# disguised FOLDER OPTION_OF_CMAKE...: the same where the packages $without are removed and $with
# installed. Exit code 77: cannot be tried here.
disguised() {
    local root=$results/machine/root place
    mkdir -p "$results/machine"
    mount -t tmpfs tmpfs "$results/machine" || return 77
    mkdir "$results"/machine/{changes,work,root}
    mount -t overlay overlay "$root" \
        -o "lowerdir=/,upperdir=$results/machine/changes,workdir=$results/machine/work" || return 77
    for place in /proc /sys /dev "$source"; do
        mkdir -p "$root$place"
        mount --rbind "$place" "$root$place" || return 77
    done
    # shellcheck disable=SC2016 # for the shell there
    chroot "$root" bash -euc 'packages_change && cd "$source" && steps "$@"' packages "$@"
}

packages_change() {
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
    {
        # shellcheck disable=SC2086 # a list
        [ -z "$without" ] || "${apt[@]}" purge -y $without </dev/null || return 77
        # shellcheck disable=SC2086 # a list
        [ -z "$with" ] || "${apt[@]}" install -y --no-install-recommends $with </dev/null ||
            { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends $with </dev/null; } ||
            return 77
    } >"$results/packages.log" 2>&1
}
export -f steps packages_change disguised

# row NAME HAS LACKS COMMAND...: run it, and print a line of the table. Its log must have a line that
# matches HAS, and none that matches LACKS (an empty one: nothing is asked). $refused: it must fail.
row() {
    local name=$1 has=$2 lacks=$3 folder=$results/${1// /-} code=0 verdict=ok start=$SECONDS
    local log=$folder.log
    shift 3
    [[ $name == *"$pattern"* ]] || return 0
    rm -rf "$folder"
    "$@" >"$log" 2>&1 || code=$?
    if [ $code = 77 ]; then
        verdict='not tried: needs root, overlay file systems and a Debian mirror'
    elif [ $code = 0 ] && [ -n "${refused:-}" ] || { [ $code != 0 ] && [ -z "${refused:-}" ]; }; then
        verdict="FAILED (exit code $code)"
    elif [ -n "$has" ] && ! grep -qE "$has" "$log"; then
        verdict="FAILED (no '$has')"
    elif [ -n "$lacks" ] && grep -qE "$lacks" "$log"; then
        verdict="FAILED ('$lacks')"
    fi
    printf '%-34s %4d s %4d warnings  %s\n' "$name" $((SECONDS - start)) \
        "$(grep -cE 'warning( #|:)' "$log")" "$verdict"
    case $verdict in
    FAILED*) failed=1 && echo "    see ${log#"$source"/}" ;;
    *) rm -rf "$folder" ;;
    esac
}

# here NAME OPTION_OF_CMAKE...
here() {
    row "$1" "${has:-}" "${lacks:-}" bash -euc 'steps "$@"' steps "$results/${1// /-}" "${@:2}"
}

# elsewhere NAME WITHOUT WITH HAS LACKS: on a machine with other packages.
elsewhere() {
    without=$2 with=$3 row "$1" "$4" "$5" unshare --mount bash -euc 'disguised "$@"' disguised \
        "$results/${1// /-}" -DBUILD_TESTING=OFF
}

makes=('Unix Makefiles' Ninja)
number=0
for compiler in gcc clang; do
    for type in Release RelWithDebInfo Debug none; do
        options=(-G "${makes[number++ % 2]}" -DCMAKE_C_COMPILER="$compiler")
        [ $type = none ] || options+=(-DCMAKE_BUILD_TYPE="$type")
        [ $type = Release ] || options+=(-DBUILD_TESTING=OFF)
        here "$compiler $type" "${options[@]}"
    done
    tests='^kernel-(golden|algorithms|packages)$' here "$compiler native" \
        -DCMAKE_C_COMPILER=$compiler -DCMAKE_C_FLAGS='-O3 -march=native'
done
scheduler=optimal here 'planner only' -DSCOW_PLANNER_ONLY=ON
has='no Clp' here 'planner only without Clp' -DSCOW_PLANNER_ONLY=ON -DSCOW_CLP=OFF

mpich='mpich libmpich-dev libmpich12 libhdf5-mpich-dev'
openmpi='openmpi-bin libopenmpi-dev'
headers='libhdf5-mpich-dev libmpich-dev liblapacke-dev libjansson-dev libpng-dev libssl-dev libxxhash-dev'
elsewhere 'Open MPI beside' '' "$openmpi libhdf5-openmpi-dev" 'libmpich\.so' 'libmpi\.so|not MPICH'
elsewhere 'Open MPI alone' "$mpich" "$openmpi libhdf5-openmpi-dev" 'is not MPICH' libmpich
elsewhere 'serial HDF5' libhdf5-mpich-dev libhdf5-dev libhdf5_serial 'libhdf5_(mpich|openmpi)'
elsewhere 'no pkg-config' 'pkgconf pkgconf-bin' '' 'Found libpng \(/' 'pkg-config libpng'
refused=yes elsewhere 'HDF5 of another MPI' libhdf5-mpich-dev libhdf5-openmpi-dev \
    'HDF5 .* was built with another MPI' 'Build files have been written'
refused=yes elsewhere 'no libraries' "$headers" '' \
    'apt-get install .*libjansson-dev.* libpng-dev .* libmpich-dev' 'Build files have been written'
rm -rf "$results/machine"
exit $failed
