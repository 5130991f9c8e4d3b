#!/usr/bin/env bash
# The plug-ins of jobs/plugins/python, built outside of the tree against the installed package: each
# example goes the whole way and is compared with what Python computes without scow, and scripts that
# go wrong end with a sentence.
# usage: python_plugin.sh BUILD SOURCE MPIEXEC
set -euo pipefail
build=$1 source=$2 mpiexec=$3
python=/usr/bin/python3
if ! "$python" -c 'import h5py, numpy, os, sysconfig
os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null; then
    echo "libpython3-dev, python3-numpy or python3-h5py is not installed"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() { echo "python plug-in: $*" >&2; exit 1; } # also of what is in $(...)

cmake --install "$build" --prefix "$dir/scow" >install.log || { cat install.log; fail "not installed"; }
plugins=$source/jobs/plugins/python examples=$source/jobs/plugins/python/examples
if ! { cmake -S "$plugins" -B built -DCMAKE_PREFIX_PATH="$dir/scow" -DPython3_EXECUTABLE="$python" \
    -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" &&
    cmake --build built -j 2; } >cmake.log 2>&1; then
    cat cmake.log
    fail "not built"
fi
scow=$dir/scow/bin/scow
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 # numpy starts threads where it is loaded
# Python does not end with the process, so its memory is never given back.
export ASAN_OPTIONS=detect_leaks=0

# checksum FILE.h5 N: of a run with that many workers.
checksum() {
    "$scow" plan -p profile.json ${input:+-i "$input"} -n "$2" ${tail:+--tail "$tail"} -q -o plan.json
    "$mpiexec" -n $(($2 + 1)) "$scow" run plan.json ${input:+-i "$input"} -q -o "$1" >run.txt 2>run.err ||
        [[ $(cat run.err) == *"core tasks failed, all others are there"* ]] ||
        fail "$1: $(cat run.txt run.err)"
    sed -n 's/.*checksum //p' run.txt
}

# way PLUG-IN SCRIPT ARGUMENTS [1]: calibrate, plan, run with 2 workers and with 3, or with 1, too, show, report.
way() {
    local name=${2##*/}
    name=${name%.py}
    "$mpiexec" -n 2 "$scow" calibrate -k "built/$1.so" --script "$2" --arguments "$3" \
        ${input:+-i "$input"} --quick --budget 0.3s -q -o profile.json
    local two one three
    two=$(checksum "$name.h5" 2)
    one=$two
    [[ -z ${4:-} ]] || one=$(checksum one.h5 1)
    three=$(OMP_NUM_THREADS=2 checksum three.h5 3)
    [[ $two && $two == "$one" && $two == "$three" ]] ||
        fail "$name: checksum $two with two workers, $one with one, $three with three of two threads"
    "$scow" report "$name.h5" | grep -q "^computed by $name.py (sha256 .*numpy" || fail "$name: no method"
    [[ $("$scow" show "$name.h5") == *"$two"* ]] || fail "$name: not shown"
    rm -f one.h5 three.h5
}

# other SCRIPT: the same profile for another script.
other() { sed -i "s,\"script\": \"[^\"]*\",\"script\": \"$dir/$1\"," profile.json; }

way python "$examples/epidemic.py" '{"tasks": 150, "days": 30, "seed": 5}' 1
cp profile.json epidemic.json
first=$(sed -n 's/.*checksum //p' run.txt)
sed 's/"tasks": settings/"batch": 7, "tasks": settings/' "$examples/epidemic.py" >pieces.py
grep -q batch pieces.py
other pieces.py
[[ $first == "$(checksum pieces.h5 1)" ]] || fail "packages in pieces have other results"
way python "$examples/julia.py" '{"height": 40, "width": 60}'
"$scow" show julia.h5 --png julia.png
[[ -s julia.png ]] || fail "no picture"
for ((i = 0; i < 60; i++)); do echo "$i $((i * i)) $((i % 7)).5 -3"; done >series.txt
sed -i -e '11s/.*/1 2 three/' -e '21s/.*//' -e '31s/$/\r/' -e '41s/.*/1 2 \xff/' series.txt
input=$dir/series.txt
way python-lines "$examples/lines.py" ''
[[ $(cat run.err) == *"3 of 60 core tasks failed"*"among them 11 (could not convert string to float: 'three'"* ]] ||
    fail "rejected lines: $(cat run.err)"
input=
"$mpiexec" -n 2 "$scow" calibrate -k built/python-levels.so --script "$examples/refine.py" \
    --arguments '{"side": 6, "keep": 3, "levels": 4}' --quick --budget 0.3s -q -o profile.json
tail=none # which what is measured on a busy machine may ask for, and levels do not have
checksum refine.h5 2 >levels.txt
tail=
[[ $(wc -l <levels.txt) == 4 ]] || fail "a refinement in levels: $(cat run.txt)"

"$python" - "$examples" <<'PYTHON' || fail "results are not Python's own"
import json
import sys
import h5py
import numpy as np
from numpy.random import Generator, Philox

with h5py.File("epidemic.h5") as out:
    result, outcome = out["result"][:], json.loads(out["run/result"][()])
for task in [0, 1, 84, 149]:
    beta, gamma = (float(x) for x in Generator(Philox(key=[5, task])).uniform([0.1, 0.05], [0.6, 0.25]))
    def change(s, i):
        return -(beta * s * i), beta * s * i - gamma * i
    s, i, peak, day = 0.999, 0.001, 0.001, 0
    for today in range(1, 31):
        a = change(s, i)
        b = change(s + a[0] / 2, i + a[1] / 2)
        c = change(s + b[0] / 2, i + b[1] / 2)
        d = change(s + c[0], i + c[1])
        s += (a[0] + 2 * b[0] + 2 * c[0] + d[0]) / 6
        i += (a[1] + 2 * b[1] + 2 * c[1] + d[1]) / 6
        if i > peak:
            peak, day = i, today
    assert tuple(result[task]) == (beta, gamma, peak, day, 1 - s), (task, result[task], peak, day)
assert outcome == {"outbreaks": int((result["peak"] > 0.01).sum()), "worst": result["peak"].max()}, outcome

with h5py.File("julia.h5") as out:
    grid = out["response"][0]
    assert grid.shape == (40, 60) and grid.dtype == "u2" and out["normalized"][:].max() == 255
different = 0
for row, column in np.random.default_rng(1).integers(0, (40, 60), (300, 2)).tolist():
    z, n = complex((column - 30) * (3.2 / 60), (20 - row) * (3.2 / 60)), 0
    for _ in range(300):
        z = z * z + complex(-0.8, 0.156)
        if z.real * z.real + z.imag * z.imag > 4:
            break
        n += 1
    different += grid[row, column] != n
assert different <= 3, different

lines = open("series.txt", "rb").read().split(b"\n")
with h5py.File("lines.h5") as out:
    result, ledger = out["result"][:], out["ledger"][:]
assert (np.flatnonzero(ledger != 1) == [10, 20, 40]).all(), ledger
for task in np.flatnonzero(ledger == 1):
    y = np.array(lines[task].split(), float)
    x = np.arange(len(y)) - (len(y) - 1) / 2
    slope = (x * y).sum() / (x * x).sum()
    residual = np.sqrt(np.mean((y - y.mean() - slope * x) ** 2))
    right = slope, y.mean() - slope * (len(y) - 1) / 2, residual, len(y)
    assert np.allclose(list(result[task]), right, atol=1e-9), (task, result[task], right)

sys.path.insert(0, sys.argv[1])
import refine

x, y, width = refine.describe('{"side": 6}')["given"]
for level in range(1, 5):
    with h5py.File("refine.h5" if level == 4 else f"refine.level{level}.h5") as out:
        result, said = out["result"][:], out["run/result"][()]
    assert len(result) == (36 if level == 1 else 27), (level, len(result))
    assert (result["x"] == x).all() and (result["y"] == y).all(), level
    best = sorted(range(len(x)), key=lambda k: -result["height"][k])[:3]
    cells = [(x[k] + i * width / 3, y[k] + j * width / 3) for k in best for j in (-1, 0, 1) for i in (-1, 0, 1)]
    x, y = np.array(cells).T
    width /= 3
assert json.loads(said)["height"] == result["height"].max() > 1.9, said
PYTHON

# What goes wrong, and the sentence about it. Describing is what the planner does, too.
cp "$source/tests/spmd/scripts/wrong.py" .
cp epidemic.json profile.json
other wrong.py
right=$(checksum right.h5 2)
[[ $right == "$(checksum one.h5 1)" ]] || fail "wrong.py is not right at first"
[[ $right == "$(WRONG=columns checksum columns.h5 1)" ]] || fail "columns are not what is filled in place"
"$scow" plan -p profile.json --json -o plan.json 2>plan.err | "$python" -m json.tool >/dev/null ||
    fail "what a script prints gets among the results"
grep -q 'must not get among' plan.err || fail "what a script prints is lost"

# says WRONG SENTENCE COMMAND...: the command fails, and says that.
says() {
    local wrong=$1 sentence=$2 code=0
    shift 2
    WRONG=$wrong timeout 400 "$@" </dev/null >said.txt 2>said.err || code=$?
    [[ $code != 0 && $code -lt 100 ]] || fail "$wrong: exit code $code: $(cat said.txt said.err)"
    grep -qF "$sentence" said.err || fail "$wrong: $(cat said.err)"
}

line_of() { grep -n -m 1 -- "$1" wrong.py | cut -d : -f 1; }
at="wrong.py, line $(line_of 'def describe')"
"$python" "$source/tests/spmd/scripts/sentences.py" "$plugins" "$dir/wrong.py" <<SENTENCES 2>said.err || fail "sentences: $(cat said.err)"
describe|import|wrong.py, line $(line_of 'import no_such'): ModuleNotFoundError: No module named 'no_such_module'
describe|syntax|wrong.py, line 1: SyntaxError: '(' was never closed
describe|exit|wrong.py, line $(line_of 'sys.exit'): SystemExit: a script cannot end the run
describe|describe|wrong.py, line $(line_of 'linalg.inv') (within linalg.py, line
describe|no-describe|wrong.py: defines no function describe(arguments)
describe|list|$at: describe must return a dict such as
describe|no-tasks|$at: describe does not say how many 'tasks' there are
describe|tasks|$at: 'tasks' must be from 1 to
describe|tasks-type|$at: 'tasks' must be a whole number, not 2.5
describe|key|$at: describe's dict has an unknown key 'recods' (did you mean 'records'?)
describe|no-results|$at: describe names no results
describe|dtype|$at: 'records' is no numpy dtype: TypeError
describe|names|$at: 'records' must be fields with names
describe|complex|$at: 'records': field 'a' is complex128, which scow cannot store: use u1, u2
describe|endian|$at: 'records': field 'a' is >f8, which scow cannot store
describe|measured|$at: 'measured' names 'cube'
describe|grid|$at: 'grid' must be a dict such as
describe|grid-tile|$at: 'grid': shape and tile must have the same
describe|grid-tasks|$at: 'tasks' is 5, but there are 4 tiles of the grid
describe|reduction|wrong.py: defines no function merge(state, part)
compute|start|wrong.py, line $(line_of 'no such file'): FileNotFoundError
compute|raise|wrong.py, line $(line_of 'sqrt = 1'): ZeroDivisionError: division by zero
compute|shape|wrong.py, line $(line_of 'count + 1'): ValueError: could not broadcast
compute|replace|compute replaces an array of the package's: fill it in place
compute|return|compute must return nothing or a dict of arrays: square, name; not array(
compute|few|: compute returns 'square' of shape (
compute|one-for-all|: compute returns 'square' of shape (), not (
compute|fraction|: compute returns 'square' as float64: convert it, numpy.asarray(..., 'i8')
compute|text|: compute returns 'name' as <U4: convert it, numpy.asarray(..., 'S6')
compute|field|compute must return nothing or a dict of arrays: square, name; not {
compute|reject|ValueError: core task 4000 is not in this package
SENTENCES

# They come through the plug-in and its hosts: a script that ends, one that raises, and a type that scow does not know.
while IFS='|' read -r wrong sentence; do
    says "$wrong" "$sentence" "$scow" plan -p profile.json
done <<SENTENCES
exit|wrong.py, line $(line_of 'sys.exit'): SystemExit: a script cannot end the run
describe|wrong.py, line $(line_of 'linalg.inv') (within linalg.py, line
complex|$at: 'records': field 'a' is complex128, which scow cannot store: use u1, u2
SENTENCES

# So they do from a rank; what is kept, and an outcome, the plug-in sees by itself.
"$scow" plan -p profile.json -n 1 -q -o plan.json 2>plan.err
while IFS='|' read -r wrong sentence; do
    rm -f out.h5
    says "$wrong" "$sentence" "$mpiexec" -n 2 "$scow" run plan.json -q -o out.h5
done <<SENTENCES
start|wrong.py, line $(line_of 'no such file'): FileNotFoundError
raise|wrong.py, line $(line_of 'sqrt = 1'): ZeroDivisionError: division by zero
keep|compute keeps an array of the package's: keep a copy
merge|its outcome is no JSON
SENTENCES
grep -q "wrong.py, line $(line_of 'these do not'): ValueError: these do not go together" said.err ||
    fail "merge: $(cat said.err)"

# One stops, and the other one is deep in Python.
rm -f out.h5
"$scow" plan -p profile.json -n 2 -q -o plan.json 2>plan.err
says one-stops "line $(line_of 'KeyboardInterrupt'): KeyboardInterrupt: stopped by hand \\udcff" \
    "$mpiexec" -n 3 "$scow" run plan.json -q -o out.h5

# Ctrl-C twice while all are deep in Python, where nobody can see to the first one: soon over, and nobody stays
# behind. As from a terminal: it comes to all processes, and what a shell starts in the background would not hear it.
rm -f deep.*
WRONG=forever setsid env --default-signal=INT "$mpiexec" -n 3 "$scow" run plan.json -q -o "$dir/forever.h5" \
    </dev/null >said.txt 2>said.err &
launcher=$!
until [[ -e deep.1 && -e deep.2 ]]; do
    kill -0 $launcher 2>/dev/null || fail "an endless run ended: $(cat said.txt said.err)"
    sleep 0.1
done
kill -INT -- -$launcher
# It waits for core tasks in hand, and says so. Then a second is over in which the same signal, passed on by the launcher,
# could come to a rank a second time; where the machine is so busy that it came later than that, all is over already.
waits() { cat said.txt said.err | grep -q 'Press Ctrl-C again'; }
until waits; do
    kill -0 $launcher 2>/dev/null || waits || fail "it did not wait for core tasks in hand: $(cat said.txt said.err)"
    sleep 0.1
done
sleep 2
kill -INT -- -$launcher 2>/dev/null || true
for ((turns = 0; turns < 600; turns++)); do # a minute is for ever
    pgrep -f -- "$dir/forever.h5" >/dev/null || break
    sleep 0.1
done
if ((turns == 600)); then
    left=$(pgrep -af -- "$dir/forever.h5")
    pkill -KILL -f -- "$dir/forever.h5"
    fail "interrupted twice, but there are still $left"
fi
wait $launcher && fail "an endless run ended well"

# How an outcome is shown is no reason to lose it, nor is an infinity.
rm -f out.h5
WRONG=outcome "$mpiexec" -n 3 "$scow" run plan.json -q -o out.h5 >said.txt 2>said.err || fail "outcome: $(cat said.err)"
grep -q '"error": "wrong.py, line .*ZeroDivisionError.*"state": {"sum": 0' said.txt || fail "outcome: $(cat said.txt)"

mkdir no
echo 'raise ImportError("not today")' >no/numpy.py
says '' 'needs an input' "$mpiexec" -n 2 "$scow" calibrate -k built/python-lines.so --script wrong.py
says '' 'which script? Name it with --script FILE.py' "$mpiexec" -n 2 "$scow" calibrate -k built/python.so
PYTHONPATH=$dir/no says '' "Python 3" "$scow" plan -p profile.json
grep -q 'cannot import numpy (not today): install it' said.err || fail "no numpy: $(cat said.err)"
says '' "no-such.py" "$mpiexec" -n 2 "$scow" calibrate -k built/python.so --script no-such.py
mv wrong.py gone.py
says '' "wrong.py' cannot be read" "$mpiexec" -n 3 "$scow" run plan.json -q -o out.h5
mv gone.py wrong.py
says '' "leave it out" "$mpiexec" -n 2 "$scow" calibrate -k built/python-lines.so --script wrong.py -i series.txt
