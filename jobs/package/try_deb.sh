#!/usr/bin/env bash
# Make the Debian package, install it in a Debian that has nothing else, and go the whole way there
# as a user: calibrate, plan, run, report; then remove it again. Needs root, and a mirror of Debian.
#
#     sudo bash jobs/package/try_deb.sh [BUILD]          default: build/release, which must be built
#
# MIRROR and SUITE say which Debian (default: this machine's own). The package is left in
# BUILD/package/; the clean system is removed, unless KEEP is set.
set -euo pipefail
case ${1:-} in -h | --help) sed -n '2,/^[^#]/s/^#\( \|$\)//p' "$0" | grep -v '^shellcheck ' && exit ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

build=$(realpath "${1:-build/release}")
package=$build/package
root=$package/root
fail() { echo "try_deb: $*" >&2; exit 1; }

# The clean system's own part, within chroot and namespaces of its own.
if [ "${2:-}" = inside ]; then
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" /bin/bash /inside.sh
fi

[ "$(id -u)" = 0 ] || fail "needs root, for chroot: run it with sudo"
for tool in debootstrap dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || missing="${missing:-} ${tool/dpkg-shlibdeps/dpkg-dev}"
done
[ -z "${missing:-}" ] || fail "is missing something: apt-get install$missing"
suite=${SUITE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
# shellcheck disable=SC2016 # apt-get's variable
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' | head -n 1)}

rm -rf "$package"
mkdir -p "$root"
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$package" >"$package/cpack.log" || {
    cat "$package/cpack.log" >&2
    fail "no package"
}
deb=$(find "$package" -maxdepth 1 -name '*.deb')
[ -n "$deb" ] || fail "cpack has made no package"
dpkg-deb --info "$deb" | sed -n '/Package:/,$p'

[ -n "${KEEP:-}" ] || trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$package/debootstrap.log" ||
    fail "no clean Debian: see $package/debootstrap.log"
cp "$deb" "$root/scow.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp jobs/data/retina.png "$root/retina.png"

cat >"$root/way.sh" <<'WAY'
# As a user, with what the package has brought along.
set -euxo pipefail
cd "$(mktemp -d)"
export OMP_NUM_THREADS=1
scow --version
mpiexec -n 3 scow calibrate -i /retina.png --polarity dark --quick -q -o profile.json --html calibration.html
scow plan -p profile.json -i /retina.png -o plan.json
mpiexec -n 3 scow run plan.json -i /retina.png -q -o out.h5
scow report out.h5 --html report.html
scow show out.h5 --png vessels.png
test -s vessels.png -a -s report.html -a -s calibration.html
WAY
cat >"$root/inside.sh" <<'INSIDE'
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends /scow.deb >/tmp/install.log 2>&1 || { cat /tmp/install.log; exit 1; }
useradd -m user
su user -c 'bash /way.sh'
for file in man/man1/scow-plan.1 bash-completion/completions/scow zsh/site-functions/_scow doc/scow/copyright; do
    test -s "/usr/share/$file" || { echo "missing: /usr/share/$file"; exit 1; }
done
dpkg --verify scow
apt-get -qq purge -y scow >/dev/null
left=$(find /usr /etc /opt /lib* -name 'scow*' -o -name 'libscow*' -o -name '_scow')
[[ -z $left ]] || { echo "left behind: $left"; exit 1; }
INSIDE
unshare --mount --pid --fork bash "$PWD/jobs/package/try_deb.sh" "$build" inside ||
    fail "the package does not do in a clean $suite what it should"
echo "try_deb: ${deb#"$PWD"/} installs in a clean $suite, goes the whole way, and leaves nothing behind"
