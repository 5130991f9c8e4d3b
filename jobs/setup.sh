#!/usr/bin/env bash
# Install the Debian packages that scow is built from, where any is missing.
#
#     bash jobs/setup.sh [--tests | --browser | --slurm | --paraview]
#
# With --tests, also those that only the tests use; with --browser, those that pages are looked at
# with (tests/browser/run.sh); with --slurm, those of the virtual cluster (tests/slurm/run.sh); with
# --paraview, what reads XDMF (tests/paraview/run.sh). Nothing is done when all is there. Where apt-get may not be used (neither root nor sudo without a password),
# the one line to run is printed and the exit code is 1. On other systems it only says what is needed.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac

build_packages=(
    cmake ninja-build pkgconf gcc libc6-dev
    mpich libmpich-dev libhdf5-mpich-dev
    liblapacke-dev libopenblas-dev coinor-libclp-dev libhwloc-dev
    libjansson-dev libpng-dev libssl-dev libxxhash-dev zlib1g-dev libzstd-dev
    libtiff-dev libparasail-dev libzmq3-dev
    libcmocka-dev
)
test_packages=(
    hdf5-tools python3-h5py python3-numpy libpython3-dev ocl-icd-opencl-dev pocl-opencl-icd shellcheck clang-format clang-tidy
    clang libclang-rt-dev libomp-dev
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
)
slurm_packages=(slurm-wlm slurm-wlm-torque munge)
paraview_packages=(paraview python3-paraview python3-h5py)

browser_packages=(chromium)
command -v npm >/dev/null || browser_packages+=(nodejs npm) # there are others than Debian's

# Print those of the arguments that are not installed.
packages_missing() {
    local installed package
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qx "installed $package" <<<"$installed" || echo "$package"
    done
}

# Run apt-get with the right to install; fails where there is none.
apt_run() {
    local as=()
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as=(sudo -n)
    fi
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

packages_install() {
    apt_run install -y --no-install-recommends "$@" 2>/dev/null && return
    # The package lists may be empty or older than the archive: bring them up to date, once.
    apt_run update && apt_run install -y --no-install-recommends "$@"
}

# On a system without Debian's packages: what to install, and what it is called elsewhere.
say_needs() {
    echo "setup: not a Debian system, so nothing is installed. scow needs:
  CMake 3.25 or later, Ninja, pkg-config, a C compiler with OpenMP (gcc or clang),
  MPI (MPICH is the one that it is tested with), HDF5 (serial or parallel), LAPACKE, jansson, libpng,
  libcrypto (OpenSSL), xxHash, cmocka for the tests, Clp for the scheduler \`optimal\`, zlib and zstd
  for compressed input, libtiff for TIFF, parasail to align sequences, ZeroMQ with CURVE for workers that join,
  hwloc to tell cores from their hardware threads.
  Fedora: dnf install cmake ninja-build pkgconf gcc mpich-devel hdf5-devel lapack-devel jansson-devel
      libpng-devel openssl-devel xxhash-devel zlib-devel libzstd-devel libtiff-devel zeromq-devel
      libcmocka-devel coin-or-Clp-devel hwloc-devel; module load mpi
  Homebrew: brew install cmake ninja pkgconf libomp mpich hdf5 lapack jansson libpng openssl xxhash
      zlib zstd libtiff cmocka clp hwloc zeromq"
    [ "$1" != --tests ] ||
        echo "  The tests also use ${test_packages[*]} (Debian's names), or are skipped without."
}

packages=("${build_packages[@]}")
case "$*" in
'') ;;
--tests) packages+=("${test_packages[@]}") ;;
--browser) packages+=("${browser_packages[@]}") ;;
--slurm) packages+=("${slurm_packages[@]}") ;;
--paraview) packages+=("${paraview_packages[@]}") ;;
*)
    echo "usage: bash jobs/setup.sh [--tests | --browser | --slurm | --paraview]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say_needs "$*" >&2
    exit 0
fi
mapfile -t missing < <(packages_missing "${packages[@]}")
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi
echo "setup: installing ${missing[*]}" >&2
if ! packages_install "${missing[@]}"; then
    echo "setup: packages are missing and could not be installed from here; run this, then try again:" >&2
    echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
    exit 1
fi
