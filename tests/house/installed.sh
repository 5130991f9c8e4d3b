#!/usr/bin/env bash
# Whoever has built `product`, as jobs/demo.sh does, can install: every built file that is installed is
# among what that target makes.
# usage: installed.sh BUILD
set -euo pipefail
build=$1

[ -f "$build/build.ninja" ] || { echo "not built by ninja"; exit 77; }
made=$(ninja -C "$build" -t commands product | grep -oE ' -o [^ ]+' | sed 's/ -o //')
wrong=0
while read -r file; do
    grep -qxF "${file#"$build"/}" <<<"$made" || { echo "not made by product: $file"; wrong=1; }
done < <(find "$build" -name cmake_install.cmake -not -path '*/tests/*' -exec cat {} + |
    grep -oE "\"$build/[^\"]*/(scow[a-z-]*|lib[^/\"]*\.so[.0-9]*)\"" | tr -d '"' | sort -u |
    grep -vE '\.so(\.[0-9]+)?$') # those are links to the library
exit $wrong
