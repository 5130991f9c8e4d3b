#!/usr/bin/env bash
# Build a program for aarch64, each source by itself, as a compiler cache wants it, and run it under
# emulation.
# usage: aarch64.sh PROGRAM LAUNCHER_OF_COMPILER ARGUMENT_OF_COMPILER... -- SOURCE... (LAUNCHER may be empty)
set -euo pipefail
program=$1 launcher=$2
shift 2

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing: 'bash jobs/setup.sh --tests' installs it"
        exit 1
    }
done
arguments=() objects=()
while [[ $1 != -- ]]; do arguments+=("$1") && shift; done
shift
mkdir -p "$program.objects"
for source in "$@"; do
    object=$program.objects/${source//\//-}.o
    ${launcher:+"$launcher"} aarch64-linux-gnu-gcc "${arguments[@]}" -c "$source" -o "$object"
    objects+=("$object")
done
aarch64-linux-gnu-gcc "${arguments[@]}" "${objects[@]}" -lm -o "$program"
qemu-aarch64-static "$program"
