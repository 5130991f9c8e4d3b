#!/bin/sh
# transcript.sh [--update] CASE BIN FIXTURES [MPIEXEC]: run the commands of a transcript in an empty folder
# with the fixtures beside it and compare what they do with what it says, to the letter.
#
# A transcript's lines: "# " a remark, "$ " a command, "| " its standard output, "! " its standard
# error, "= " its exit code. Transcripts say mpiexec.mpich, whatever MPICH's launcher is called here.
set -u
update=no
[ "$1" = --update ] && { update=yes; shift; }
case=$(realpath "$1") bin=$(realpath "$2") fixtures=$(realpath "$3")
folder=$(mktemp -d) programs=$(mktemp -d)
trap 'rm -rf "$folder" "$programs"' EXIT
# By its whole path: a bare name would find this script itself, for ever.
launcher=${4:+$(command -v "$4")}
if [ -n "$launcher" ] && [ "$(command -v mpiexec.mpich)" != "$launcher" ]; then
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$launcher" >"$programs/mpiexec.mpich"
    chmod +x "$programs/mpiexec.mpich"
fi
cp "$fixtures"/* "$folder"
cd "$folder" || exit 1
PATH=$bin:$programs:$PATH
export PATH NO_COLOR=1 COLUMNS=100
while IFS= read -r line; do
    case $line in
    '#'* | '') printf '%s\n' "$line" ;;
    '$ '*)
        printf '%s\n' "$line"
        sh -c "${line#??}" >.stdout 2>.stderr </dev/null
        code=$?
        sed 's/^/| /' .stdout
        sed 's/^/! /' .stderr
        printf '= %d\n' "$code"
        ;;
    esac
done <"$case" >.transcript
if [ $update = yes ]; then
    cp .transcript "$case"
else
    diff -u "$case" .transcript
fi
