#!/usr/bin/env bash
# Build a program for aarch64 and run it under emulation.
# usage: aarch64.sh PROGRAM ARGUMENT_OF_COMPILER...
set -euo pipefail
program=$1
shift

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v "$tool" >/dev/null || {
        echo "$tool is missing: 'bash jobs/setup.sh --tests' installs it"
        exit 1
    }
done
aarch64-linux-gnu-gcc "$@" -o "$program"
qemu-aarch64-static "$program"
