#!/usr/bin/env bash
# Every command and every option that a command's help lists is in the manual page.
# usage: man_page.sh SCOW MAN_PAGE MPIEXEC...
set -euo pipefail
export COLUMNS=1000 # a word at the beginning of a line is an option, then
scow=$1 page=$2
shift 2
text=$(sed 's/\\-/-/g; s/\\f[RIBP]//g' "$page")
missing=0
check() { # COMMAND HELP
    local word words
    words=$(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' <<<"$2" | grep -oE -- '--[a-z-]+')
    [[ -n $words ]] || { echo "no options in the help of $1"; exit 1; }
    for word in $words; do
        grep -qE -- "$word([^a-z-]|$)" <<<"$text" || { echo "$1 $word is not in the manual"; missing=1; }
    done
}
for command in plan simulate report show; do
    grep -q "^\.SS $command$" <<<"$text" || { echo "$command is not in the manual"; missing=1; }
    check $command "$("$scow" $command --help)"
done
if (($# > 0)); then
    check calibrate "$("$@" -n 1 "$scow" calibrate --help)"
    check go "$("$@" -n 1 "$scow" go --help)"
    check run "$("$@" -n 1 "$scow" run --help)"
    check load "$("$scow" load --help)"
    check sense "$("$scow" sense --help)"
    for command in serve work; do # where they are built
        [[ ! -x ${scow%/*}/scow-$command ]] || check $command "$("$scow" $command --help)"
    done
fi
exit $missing
