#!/usr/bin/env bash
# The manual pages and completions in jobs/package are those that the tables of options make today;
# troff has nothing to say against the pages, and bash completes.
# usage: generated.sh SOURCE SCOW MPIEXEC...
set -euo pipefail
source=$1 scow=$2
shift 2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
fail() { echo "generated: $*"; exit 1; }

python3 "$source/jobs/package/generate.py" "$scow" "$made" "$@"
for kind in man completion; do
    diff -ru -x '*.[35]' "$source/jobs/package/$kind" "$made/$kind" ||
        fail "old: python3 jobs/package/generate.py build/release/bin/scow jobs/package $*"
done

if command -v groff >/dev/null; then
    for page in "$source"/jobs/package/man/*.[35]; do # written by hand
        words=$(groff -man -Tascii -P-cbou -ww "$page" 2>&1 >/dev/null)
        [[ -z $words ]] || fail "${page##*/}: $words"
    done
    for page in "$made"/man/*.1; do
        words=$(groff -man -Tascii -P-cbou -ww "$page" 2>&1 >"$page.txt")
        [[ -z $words ]] || fail "${page##*/}: $words"
        grep -q 'EXIT STATUS' "$page.txt" || fail "${page##*/} has no end"
    done
    grep -q -- '--slice N' "$made/man/scow-show.1.txt" || fail "an option is not in its page"
fi

# complete WORD...: what bash offers for the last word.
# shellcheck source=/dev/null
source "$made/completion/scow.bash"
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    if [[ $1 == scow ]]; then _scow; else _scow_launched; fi
    printf '%s\n' "${COMPREPLY[@]}"
}
offers() { # WANTED WORD...
    local wanted=$1
    shift
    [[ $(complete_words "$@" | paste -sd ' ') == "$wanted" ]] ||
        fail "for '$*' bash offers '$(complete_words "$@" | paste -sd ' ')', not '$wanted'"
}
cd "$made"
touch one.json two.txt
mkdir folder
offers 'plan' scow pl
offers 'report' scow rep
offers '--deadline' scow plan --dead
offers 'scow-mp scow-pwu scow-mu' scow plan -p one.json -s scow-
offers 'scow-mp scow-pwu scow-mu' scow plan --scheduler = scow-
offers 'mandelbrot' scow tasks man
offers 'one.json' scow show on
offers 'one.json' scow plan --profile o
offers '' scow plan -n o
offers 'motif motif-levels' mpiexec -n 3 scow calibrate -k mot
offers '--width' mpiexec -n 3 scow calibrate -k mandelbrot --wid
offers '' mpiexec -n 3 scow calibrate -k motif --wid
offers 'folder' mpiexec -n 3 scow calibrate --scratch fol
offers '--replan --results --resume --retry-lost --retries' mpiexec -n 3 /usr/bin/scow run --re
offers '' mpiexec -n 3 other --wid

command -v zsh >/dev/null || { echo "no zsh here: its completion was not tried"; exit 0; }
zsh -n "$made/completion/_scow" || fail "zsh does not read its completion"
zsh_offers() { # WANTED COMMAND_LINE
    local offered
    offered=$(zsh "$source/tests/cli/zsh_offers.zsh" "$made/completion" "$2" | paste -sd ' ')
    [[ $offered == "$1" ]] || fail "for '$2' zsh offers '$offered', not '$1'"
}
zsh_offers 'calibrate plan report run show simulate tasks' 'scow '
zsh_offers '--deadline' 'scow plan --dead'
zsh_offers 'scow-mp scow-pwu scow-mu' 'scow plan -p one.json -s scow-'
zsh_offers 'one.json' 'scow plan --profile=o'
zsh_offers 'mandelbrot' 'scow tasks man'
zsh_offers 'motif motif-levels' 'mpiexec -n 3 scow calibrate -k mot'
zsh_offers '--width' 'mpiexec -n 3 scow calibrate -k mandelbrot --wid'
zsh_offers '--replan --results --resume --retries --retry-lost' 'mpiexec -n 3 /usr/bin/scow run --re'
