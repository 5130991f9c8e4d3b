#!/usr/bin/env bash
# Calibrate, plan, run, report and show on a small image, as a user would, and what others can read
# of the result.
# usage: whole_way.sh SCOW MPIEXEC IMAGE
set -euo pipefail
scow=$1 mpiexec=$2 image=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
    echo "whole way: $*"
    exit 1
}

"$mpiexec" -n 3 "$scow" calibrate -i "$image" --blocks 32,64 --combine maxsum --quick -q \
    -o profile.json --probes probes.tsv
grep -q '"nodes": 1' profile.json || fail "the profile does not say on how many nodes it was measured"

# Where it holds, it is kept; where it does not, nothing is measured either.
cp profile.json kept.json
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --blocks 64 --combine maxsum --reuse -o kept.json 2>errors.txt
[[ $(cat errors.txt) == "scow calibrate: kept.json is of this machine, core task and settings: kept" ]] ||
    fail "says of a profile that holds: $(cat errors.txt)"
# not_kept RANKS SENTENCE OPTION...
not_kept() {
    local ranks=$1 sentence=$2 code=0
    shift 2
    "$mpiexec" -n "$ranks" "$scow" calibrate --reuse -o kept.json "$@" 2>errors.txt || code=$?
    ((code == 4)) || fail "exit code $code instead of 4, and: $(cat errors.txt)"
    grep -q "$sentence" errors.txt || fail "says: $(cat errors.txt)"
}
not_kept 2 'kept.json: was measured with 2 workers, and here there are 1: ' -i "$image" --blocks 64 --combine maxsum
not_kept 3 'kept.json: has no setting with "block": 128, ' -i "$image" --blocks 32,64,128 --combine maxsum
not_kept 3 "kept.json: is of core task 'matched-filter', not 'mandelbrot': " -k mandelbrot
cmp profile.json kept.json || fail "a profile that was to be kept is another now"
rm kept.json errors.txt
[[ $(ls) == $'probes.tsv\nprofile.json' ]] || fail "calibrate left something behind: $(ls)"
[[ $(head -n 1 probes.tsv) == $'setting\trank\toperation\tpass\tcold\twaited\tfirst_task\ttasks\tseconds' ]] ||
    fail "the probes have no heading"
for operation in envelope send link receive compute output; do
    grep -qP "^0\t[0-2]\t$operation\t" probes.tsv || fail "no probe of $operation"
done
# However short of time it is, packages are timed twice.
awk -F'\t' '$3 == "compute" && !$5 { times[$1, $2, $7, $8]++ }
    END { for (package in times) if (times[package] > 1) twice++; exit !twice }' \
    probes.tsv || fail "no package was timed twice"
"$scow" show profile.json >/dev/null

"$scow" plan -p profile.json -i "$image" -o plan.json >plan.txt
grep -q '^makespan .* predicted' plan.txt || fail "the plan predicts nothing"
grep -q '"combine": "maxsum"' plan.json || fail "the kernel's parameters did not reach the plan"
"$scow" simulate -p profile.json plan.json >/dev/null

"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o out.h5 >run.txt 2>progress.txt
"$scow" show out.h5 --check -q || fail "the run is not known to be complete"
grep -q 'predicted' run.txt || fail "the run does not compare itself with its plan"
cp out.h5 before.h5
code=0
"$mpiexec" -n 3 "$scow" run plan.json -i "$image" -o out.h5 >/dev/null 2>errors.txt || code=$?
[[ $code == 4 && $(cat errors.txt) == *"out.h5: exists already"* ]] || fail "overwrote a result"
cmp out.h5 before.h5 || fail "damaged a result"

"$scow" report out.h5 >report.txt
grep -q '^makespan' report.txt || fail "the report has no makespan"
method=$(sed -n 's/^computed by //p' report.txt)
block=$(sed -n 's/^  "block": \([0-9]*\),.*/\1/p' plan.json)
[[ $method && $method == $("$scow" show profile.json |
    sed -n "/^setting .*(block $block)/,/packages/s/^  computed by //p") ]] ||
    fail "the run was computed by '$method', and the profile says otherwise for blocks of $block"
"$scow" report out.h5 --json | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report["schema"] == "scow-report-1"
assert report["predicted_s"] > 0 and report["measured_s"] > 0
assert abs(report["error"] - (report["measured_s"] / report["predicted_s"] - 1)) < 1e-9
'

grep -q '"bandwidth": [1-9]' profile.json || fail "the profile does not say what the network was like"

# What workers had of their processors, where the machine counts that: in profile, report and output.
if [[ -r /proc/thread-self/schedstat ]]; then
    grep -q '"availability": 0*[01]' profile.json || fail "the profile does not say what workers had of their processors"
    grep -qP '^processors  workers had [0-9.]+ % of theirs' report.txt || fail "the report does not, either"
    "$scow" report out.h5 --json | python3 -c '
import json, sys
assert all(0 < worker["availability"] <= 1 for worker in json.load(sys.stdin)["workers"] if worker["tasks"] > 0)
' || fail "the report says no share for each worker"
    # And for plans to come.
    "$scow" report out.h5 -q --sensed load.tsv
    grep -qP '^[0-9.]+\t\S+\tcpu\t[01]' load.tsv || fail "the report wrote down no look at the processors"
    "$scow" plan -p profile.json -i "$image" --load load.tsv | grep ^shared >shared.txt || fail "no plan by what a run has found"
fi

# Computed otherwise than in the calibration: not wrong, and said.
sed 's/"algorithm": "auto"/"algorithm": "direct"/' profile.json >otherwise.json
"$scow" plan -p otherwise.json -i "$image" -o direct.json >/dev/null
"$mpiexec" -n 3 "$scow" run direct.json -i "$image" -o direct.h5 -q >/dev/null
"$scow" report direct.h5 | grep -q '^computed by direct for .* in tiles of ' ||
    fail "the report does not say how its run computed"

# Results written while the next package is computed: measured both ways, planned either way, the same.
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --blocks 64 --combine maxsum --write-behind both --quick -q -o behind.json
for way in yes no; do
    "$scow" plan -p behind.json -i "$image" --set write-behind=$way -o $way.json >/dev/null
    grep -q "\"write-behind\": \"$way\"" $way.json || fail "the plan does not say that it writes behind: $way"
    "$mpiexec" -n 3 "$scow" run $way.json -i "$image" -o $way.h5 -q | sed -n 's/.*checksum //p' >$way.txt
done
[[ -s yes.txt && $(<yes.txt) == $(<no.txt) ]] || fail "writing behind changes the results"
code=0
"$mpiexec" -n 3 "$scow" calibrate -i "$image" --write-behind perhaps -o never.json 2>errors.txt || code=$?
[[ $code == 2 && $(cat errors.txt) == *"--write-behind is 'auto', 'no', 'yes' or 'both', not 'perhaps'"* ]] ||
    fail "says of a way that there is not: $(cat errors.txt)"

"$scow" show out.h5 -i "$image" --png preview.png
[[ $(head -c 4 preview.png | tail -c 3) == PNG ]] || fail "the preview is no PNG"

"$scow" show out.h5 -o slice.tiff
code=0
"$scow" show out.h5 --slice 2 -o second.tif 2>errors.txt || code=$?
[[ $code == 2 && ! -e second.tif && $(cat errors.txt) == *"has no slice 2: choose one from 1 to 1" ]] ||
    fail "drew a slice that is not there: $(cat errors.txt)"
mkdir elsewhere
"$scow" show out.h5 --xdmf out.xdmf
"$scow" show out.h5 --xdmf elsewhere/out.xdmf
# A copy in compressed chunks is read as the file is.
h5repack -f SHUF -f GZIP=6 out.h5 small.h5
"$scow" show small.h5 --check -q || fail "the compressed copy is not known to be complete"
"$scow" show small.h5 --xdmf small.xdmf
diff <(sed 's/out\.h5/small.h5/' out.xdmf) small.xdmf || fail "the compressed copy is described otherwise"
"$scow" show small.h5 -o small.tiff
cmp slice.tiff small.tiff || fail "the compressed copy shows other numbers"
/usr/bin/python3 - <<'EOF' || fail "the exported slice or grid is another"
import os, struct, xml.etree.ElementTree
import h5py, numpy

# The fields of the TIFF by their numbers, read by hand.
data = open("slice.tiff", "rb").read()
order = {b"II": "<", b"MM": ">"}[data[:2]]
magic, place = struct.unpack(order + "HL", data[2:8])
(count,) = struct.unpack_from(order + "H", data, place)
fields = {}
for k in range(count):
    tag, kind, values = struct.unpack_from(order + "HHL", data, place + 2 + 12 * k)
    assert values == 1 and tag > max(fields, default=0)
    fields[tag] = struct.unpack_from(order + {3: "H", 4: "L", 5: "L"}[kind], data, place + 10 + 12 * k)[0]
assert magic == 42 and fields[259] == 1 and fields[258] == 32 and fields[339] == 3, fields
assert struct.unpack_from(order + "LL", data, fields[282]) == struct.unpack_from(order + "LL", data, fields[283]) == (1, 1)
assert fields[273] + fields[279] == len(data)
pixels = numpy.frombuffer(data, order + "f4", offset=fields[273]).reshape(fields[257], fields[256])
response = h5py.File("out.h5")["response"][:]
assert (pixels == response[0]).all()

for name in "out.xdmf", "elsewhere/out.xdmf":
    grid = xml.etree.ElementTree.parse(name).find("Domain/Grid")
    assert grid.find("Topology").get("Dimensions") == "1 256 200"
    kinds = {}
    for attribute in grid.findall("Attribute"):
        item = attribute.find("DataItem")
        path, inside = item.text.rsplit(":", 1)
        dataset = h5py.File(os.path.join(os.path.dirname(name), path))[inside]
        assert item.get("Dimensions") == " ".join(map(str, dataset.shape))
        assert int(item.get("Precision")) == dataset.dtype.itemsize
        kinds[attribute.get("Name")] = item.get("NumberType")
    assert kinds == {"response": "Float", "normalized": "UChar"}, kinds
EOF

h5dump -H out.h5 >header.txt || fail "h5dump cannot read the output"
/usr/bin/python3 - <<'EOF' || fail "h5py cannot read the output"
import h5py, numpy
with h5py.File("out.h5") as out:
    response, normalized, ledger = out["response"], out["normalized"], out["ledger"]
    assert response.shape == normalized.shape == (1, 256, 200), response.shape
    assert response.dtype == "float32" and normalized.dtype == "uint8"
    assert ledger[:].min() == 1 and len(ledger) in (56, 48, 16, 12)
    values = response[:].astype("f8")
    shades = (values - values.min()) * (255 / (values.max() - values.min()))
    assert normalized[:].max() == 255 and (normalized[:] == numpy.rint(shades)).all()
    assert abs(response[:].min() - out.attrs["minimum"]) < 1e-6
    assert b"scow-plan-1" in out["run/plan"][()] and b"scow-profile-1" in out["run/profile"][()]
    trace = out["run/trace"][:]
    names = {v: k for k, v in h5py.check_enum_dtype(trace.dtype["operation"]).items()}
    work = [row for row in trace if names[row["operation"]] == "compute"]
    assert sum(row["tasks"] for row in work) >= len(ledger)  # what was overdue is there twice
    assert all(row["end"] >= row["start"] >= 0 for row in trace)
    assert out.attrs["combine"] == b"maxsum" and out.attrs["complete"] == 1
EOF
echo "whole way done"
