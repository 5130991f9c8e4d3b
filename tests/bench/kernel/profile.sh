#!/usr/bin/env bash
# Why the direct algorithm does not reach more of the multiply-add peak:
#
#     tests/bench/kernel/profile.sh [BUILD]          build/release unless given; the targets
#                                                    bench-kernel and bench-steps must be built
#
# Table 1, what is executed. Every instruction inside the direct algorithm is counted while
# bench-kernel --once does one work: in AVX2 by callgrind, in AVX-512, which valgrind does not know,
# by bench-steps, on smaller images. The disassembly says what each is. All figures are for one
# vector (8 or 16 floats) of the multiply-adds that the work asks for:
#   instr    instructions; a conditional jump is not counted: it is fused with the comparison before
#   fma      fused multiply-adds; more than 1: zeros multiplied, or lanes beyond the tile; less:
#            places where no filter has a tap were left out
#   pixel    loads of vectors; those that straddle two cache lines, 7 of 16 places for 32 bytes and
#            15 of 16 for 64, count twice
#   other    all other loads: weights spread to a vector, spilled addresses, prefetches
#   stores   of results and of spilled registers
# The bounds are the share of peak (2 fma a cycle) that would be left if one thing alone set the
# pace of a Sapphire Rapids core: its 2 fma, 6 instructions issued, 3 loads of up to 256 bits or 2
# of 512 a cycle. What is measured can only be below the least of them.
#
# Table 2, the innermost loop with multiply-adds of each function, by llvm-mca: cycles an iteration
# in a model of the processor with a perfect cache (nothing straddles), and so the share of peak
# that the loop itself allows. AVX-512 is modelled as of Skylake's servers (2 fma, 2 loads; copies
# of registers take the ports of multiply-adds): the models of later ones have one fma a cycle at
# 512 bits, which the measured peak refutes.
#
# Takes about a minute and a half.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
build=${1:-build/release}
bench=$build/bin/bench-kernel
steps=$build/bin/bench-steps
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

complain() {
    echo "profile.sh: $1" >&2
    exit 1
}

# Instructions of an executable as "address mnemonic operands", tabs between.
disassemble() {
    objdump -d --no-show-raw-insn "$1" |
        awk -F '\t' '/^ +[0-9a-f]+:\t/ {
            sub(/^ +/, "", $1); sub(/:$/, "", $1); sub(/ *[#<].*/, "", $2)
            mnemonic = $2; sub(/ .*/, "", mnemonic)
            operands = $2; sub(/^[^ ]+ */, "", operands)
            print $1 "\t" mnemonic "\t" operands
        }'
}

# Counts of instructions, "address count", from callgrind's dump: a line after calls= is the call's
# cost with all that it does, not the instruction's own.
executed() {
    awk '/^calls=/ {getline; next} /^0x/ {print substr($1, 3) "\t" $3}' "$1"
}

# One row of table 1: instruction set, work, multiply-adds; from $scratch/code and counts.
row_executed() {
    local lanes=8 straddling=7 loads=3
    [[ $1 == avx512 ]] && lanes=16 straddling=15 loads=2
    awk -F '\t' -v name="$1 $2" -v wanted="$3" -v lanes=$lanes -v straddling=$straddling \
        -v loads=$loads '
        FNR == NR {mnemonic[$1] = $2; operands[$1] = $3; next}
        !($1 in mnemonic) {next}
        {
            what = mnemonic[$1]; with = operands[$1]; all += $2
            if (what ~ /^j/ && what != "jmp") all -= $2
            if (what ~ /^vfmadd/) fma += $2
            if (what ~ /^(lea|nop)/) next
            into = with ~ /\)$/ && what !~ /^(cmp|test|prefetch)/
            if (what == "push" || (into && what ~ /^v?mov/)) stores += $2
            else if (what == "vmovups" && with ~ /\(/) pixel += $2 * (1 + straddling / 16)
            else if (what == "pop" || with ~ /\(/) other += $2
        }
        END {
            vectors = wanted / lanes
            printf "%-14s %7.2f %6.2f %6.2f %6.2f %7.2f %8.0f %% %8.0f %% %8.0f %%\n", name,
                all / vectors, fma / vectors, pixel / vectors, other / vectors, stores / vectors,
                100 * vectors / fma, 100 * 3 * vectors / all,
                100 * loads / 2 * vectors / (pixel + other)
        }' "$scratch/code" "$scratch/counts"
}

# Counts for one work; what it prints are the multiply-adds.
count_avx2() {
    valgrind --tool=callgrind --callgrind-out-file="$scratch/dump" --dump-instr=yes \
        --compress-pos=no --compress-strings=no --toggle-collect=direct_run_avx2 \
        "$bench" --once direct --work "$1" --edge "$2" --isa avx2 2>"$scratch/log" ||
        complain "$(tail -n 1 "$scratch/log")"
    executed "$scratch/dump" >"$scratch/counts"
}

count_avx512() {
    local entry
    entry=$(nm "$bench" | awk '$3 == "direct_run_avx512" {print $1}')
    "$steps" "$entry" "$bench" --once direct --work "$1" --edge "$2" --isa avx512 \
        2>"$scratch/counts" || complain "$(tail -n 1 "$scratch/counts")"
}

# Instruction set, then works with the edges of their images.
rows_executed() {
    local isa=$1 work wanted
    shift
    for work in "$@"; do
        wanted=$("count_$isa" "${work%:*}" "${work#*:}")
        row_executed "$isa" "${work%:*}" "$wanted"
    done
}

table_executed() {
    disassemble "$bench" >"$scratch/code"
    echo "executed for each vector of multiply-adds, and bounds on the share of peak"
    printf '%-14s %7s %6s %6s %6s %7s %10s %10s %10s\n' work instr fma pixel other stores \
        'by fma' 'by issue' 'by loads'
    if type valgrind >/dev/null 2>&1; then
        rows_executed avx2 7:512 21:512 31:512 source:128
    else
        echo "valgrind is not installed (GPL, used for this alone): AVX2 is not counted"
    fi
    if [[ -x $steps ]] && grep -qw avx512f /proc/cpuinfo; then
        rows_executed avx512 7:128 21:64 31:64 source:16
    else
        echo "no AVX-512 here, or bench-steps is not built: AVX-512 is not counted"
    fi
}

# The instructions of a function's shortest loop with a multiply-add, jumps aimed at its start.
loop_extract() {
    objdump -d --no-show-raw-insn "$1" | awk -F '\t' -v wanted="<$2>:" '
        /^[0-9a-f]+ </ {inside = index($0, wanted) > 0; next}
        !inside || !/^ +[0-9a-f]+:\t/ {next}
        {
            address = $1; gsub(/[ :]/, "", address); sub(/ *#.*/, "", $2)
            place[address] = ++count; code[count] = $2
            split($2, word, / +/)
            first = place[word[2]]
            if (word[1] !~ /^j/ || !first || (best && count - first >= best)) next
            fma = 0
            for (i = first; i <= count; i++) fma += code[i] ~ /^vfmadd/
            if (fma) {best = count - first; start = first; end = count}
        }
        END {
            print "start:"
            for (i = start; start && i <= end; i++) {
                if (code[i] ~ /^j/) sub(/ .*/, " start", code[i])
                print code[i]
            }
        }'
}

row_loop() {
    local object=$build/kernel/CMakeFiles/scow-kernel.dir/direct_$1.c.o cpu=sapphirerapids
    [[ $1 == avx512 ]] && cpu=skylake-avx512
    loop_extract "$object" "$2" >"$scratch/loop.s"
    "$mca" -mcpu=$cpu -iterations=1000 "$scratch/loop.s" >"$scratch/model" \
        2>"$scratch/log" ||
        complain "$(head -n 1 "$scratch/log")"
    awk -v name="$1 $2" -v fma="$(grep -c '^vfmadd' "$scratch/loop.s")" \
        -v all="$(($(wc -l <"$scratch/loop.s") - 1))" '
        /^Total Cycles:/ {cycles = $3 / 1000}
        END {printf "%-22s %7d %6d %8.2f %7.0f %%\n", name, all, fma, cycles, 50 * fma / cycles}
    ' "$scratch/model"
}

table_loops() {
    local isa
    printf '\ninnermost loops, by %s\n' "$("$mca" --version | sed -n 's/.*LLVM version/LLVM/p')"
    printf '%-22s %7s %6s %8s %9s\n' loop instr fma cycles 'of peak'
    for isa in avx2 avx512; do
        row_loop $isa slide_six
        [[ $isa == avx2 ]] || row_loop $isa slide_twelve
        row_loop $isa cell_of_6
    done
}

mca=$(compgen -c llvm-mca | sort -V | tail -n 1 || true)
[[ -x $bench ]] || complain "there is no $bench; build the target bench-kernel first"
[[ $(uname -m) == x86_64 ]] || complain "this looks at x86-64 code only"
type objdump >/dev/null 2>&1 || complain "objdump is not installed; it is in binutils"
table_executed
if [[ -n $mca ]]; then
    table_loops
else
    echo "llvm-mca is not installed (it is in llvm): no models of the loops"
fi
