#!/usr/bin/env bash
# Core tasks from outside this tree: the installed package is all that the plug-in and the program of
# jobs/plugins are built from, by CMake and by pkg-config; both go the whole way.
# usage: outside.sh BUILD SOURCE MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "outside: $*"; exit 1; }

# Whatever is installed finds the rest from where it lies: it is moved first.
cmake --install "$build" --prefix "$dir/installed" >install.log || { cat install.log; fail "not installed"; }
mv installed scow
grep -rl "$dir/installed" scow && fail "these know where they were installed"
cp -r "$source/jobs/plugins/julia" "$source/jobs/plugins/pi" .
[[ $(wc -l <julia/julia.c) -lt 80 ]] || fail "the example has 80 lines or more"
export PATH=$dir/scow/bin:$PATH OMP_NUM_THREADS=1
libraries=$(dirname "$(find scow -name 'libscow.so' | head -n 1)")
export LD_LIBRARY_PATH=$dir/$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH=$dir/$libraries/pkgconfig

for example in julia pi; do
    if ! { cmake -S "$example" -B "build-$example" -DCMAKE_PREFIX_PATH="$dir/scow" &&
        cmake --build "build-$example"; } >cmake.log 2>&1; then
        cat cmake.log
        fail "$example: not built"
    fi
done
# shellcheck disable=SC2046 # words
cc -Wall -Wextra -Wpedantic -Werror -O2 -shared -fPIC $(pkg-config --cflags scow) julia/julia.c -o julia.so
# shellcheck disable=SC2046
cc -O2 pi/pi.c $(pkg-config --cflags --libs scow) -lm -o by-pkg-config 2>link.log ||
    { cat link.log; fail "pi: not built by pkg-config"; }

if command -v tclsh >/dev/null; then
    module=$(find "$dir/scow" -path '*/modulefiles/scow/*')
    # shellcheck disable=SC2016 # Tcl's variables
    path=$(printf 'proc unknown {args} { if {[lrange $args 0 1] eq {prepend-path PATH}} { puts [lindex $args 2] } }
set ModulesCurrentModulefile {%s}\nsource {%s}\n' "$module" "$module" | tclsh)
    [[ $path == "$dir/scow/bin" ]] || fail "the module file takes '$path' for the commands' folder"
fi

# way CHECKSUM-FILE SCOW CALIBRATE-OPTION...: calibrate, plan, run with 2 workers and with 1.
way() {
    local sums=$1 scow=$2
    shift 2
    rm -f one.h5 two.h5
    "$mpiexec" -n 3 "$scow" calibrate "$@" --quick --budget 1s -q -o profile.json
    "$scow" plan -p profile.json -q -o plan.json
    "$mpiexec" -n 3 "$scow" run plan.json -q -o two.h5 >two.txt
    "$scow" plan -p profile.json -n 1 -q -o one.json
    "$mpiexec" -n 2 "$scow" run one.json -q -o one.h5 >one.txt
    sed -n 's/.*checksum //p' two.txt one.txt >"$sums"
    [[ $(sort -u "$sums" | wc -l) == 1 && -s $sums ]] ||
        fail "$scow: results depend on the number of workers: $(cat two.txt one.txt)"
}

way strided.sum scow -k ./julia.so --size 120 --order stride:7
way julia.sum scow -k ./julia.so --size 120
cmp strided.sum julia.sum || fail "every seventh row after the other is another picture"
scow tasks ./julia.so | grep -q -- '--iterations' || fail "the plug-in is not described"
scow show two.h5 --png julia.png
[[ -s julia.png ]] || fail "no picture"
"$mpiexec" -n 3 scow run plan.json -k build-julia/julia.so -q -o other.h5 2>errors.txt && fail "another plug-in was taken"
grep -q 'has changed since' errors.txt || fail "another plug-in: $(cat errors.txt)"
/usr/bin/python3 -c '
import h5py
grid = h5py.File("two.h5")["response"][0]
for row, column in [(0, 0), (60, 60), (17, 99), (119, 1), (80, 40)]:
    x, y, n = 3.0 * column / 120 - 1.5, 1.5 - 3.0 * row / 120, 0
    while n < 1000 and x * x + y * y <= 4:
        x, y, n = x * x - y * y - 0.8, 2 * x * y + 0.156, n + 1
    assert grid[row, column] == n, (row, column, grid[row, column], n)
'
rm -f ./*.h5

program="build-pi/pi"
way pi.sum "./$program" --tasks 12
"./$program" report two.h5 --json | python3 -c '
import json, sys
result = json.load(sys.stdin)["result"]
assert abs(result["pi"] - 3.14159265) < 5 * result["standard_error"], result
'
./by-pkg-config tasks | grep -q '^pi ' || fail "the program does not know its own core task"
[[ $("./$program" tasks) == *matched-filter* ]] || fail "the program does not know the built-in ones"
