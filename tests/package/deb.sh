#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages, lets lintian judge them, and installs them on a clean Debian 12. There it checks the units,
# runs the server as its user, and removes everything again. It needs root, and removes all its files at the end.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

isolated=(unshare --mount --pid --fork --kill-child --mount-proc)
[ "$(id -u)" -eq 0 ] || skip "needs root"
"${isolated[@]}" mount -t tmpfs none /mnt 2>/dev/null || skip "needs the right to mount (CAP_SYS_ADMIN)"
missing=()
for tool in dh lintian debootstrap; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
[ ${#missing[@]} -eq 0 ] || skip "needs ${missing[*]} (apt-get install debhelper lintian debootstrap)"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Codename: bookworm' 'Created-By: Packages' | sed -n 1p)
[ -n "$mirror" ] || skip "no Debian 12 (bookworm) mirror among apt's sources"

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
# quietly NAME COMMAND...: prints the end of the output if the command fails, else nothing.
quietly() {
    local log=$work/$1.log
    say "$1"
    shift
    "$@" >"$log" 2>&1 </dev/null || { tail -n 40 "$log"; fail "see above"; }
}

quietly 'building the packages' "$QD_SOURCE/server/package/build" "$work/packages"
names=$(cd "$work/packages" && printf '%s\n' *.deb | grep -v dbgsym | sed 's/_.*//' | sort | tr '\n' ' ')
[ "$names" = 'libquadrille-dev libquadrille0.1 quadrille quadrille-server ' ] || fail "the packages are $names"
quietly 'asking lintian' lintian --fail-on error,warning --tag-display-limit 0 "$work/packages"/*.changes
! grep -E '^[EWI]:' "$work/asking lintian.log" || fail 'lintian has something to say'

say "the mirror is $mirror"
quietly 'making a Debian 12' debootstrap --variant=minbase bookworm "$work/machine" "$mirror"
echo force-unsafe-io >"$work/machine/etc/dpkg/dpkg.cfg.d/unsafe-io"
apt-config dump | grep -i -E '^Acquire::[a-z]+::Proxy ' >"$work/machine/etc/apt/apt.conf.d/00proxy" || true
cp -L /etc/resolv.conf /etc/hosts "$work/machine/etc/"
mkdir "$work/machine/packages"
cp "$work/packages"/*.deb "$work/machine/packages/"
rm "$work/machine/packages"/*dbgsym*

# there COMMAND...: runs it on that machine.
there() {
    "${isolated[@]}" bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec env -i HOME=/root \
        PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive SYSTEMD_LOG_TARGET=console chroot "$0" "$@"' \
        "$work/machine" "$@"
}
quietly 'installing them' there sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends /packages/*.deb'

say 'checking the installation'
there id quadrille >/dev/null || fail 'there is no user quadrille'
there sh -c 'dpkg --verify quadrille-server quadrille libquadrille0.1 libquadrille-dev' | grep . && fail 'files differ'
there test -e /etc/systemd/system/multi-user.target.wants/quadrille-server.service || fail 'the unit is not enabled'
there quadrille-server --check-config --config /etc/quadrille/quadrille.conf >/dev/null
for program in quadrille-server quadrille quadrille-bench; do
    there "$program" --version | grep -qE "^$program 0\.1\.0 \(commit ([0-9a-f]{12}(\+changes)?|unknown)\)$" ||
        fail "$program --version does not name the commit"
    there test -s "/usr/share/man/man1/$program.1.gz" || fail "there is no manual page of $program"
done

say 'checking the units'
units=/lib/systemd/system/quadrille-server
there systemd-analyze verify --man=no "$units.service" "$units.socket" || fail 'a unit is not valid'
there systemd-analyze security --offline=true --threshold=20 quadrille-server.service >"$work/security" ||
    { cat "$work/security"; fail 'the exposure of the unit is above 2.0'; }
tail -n 1 "$work/security"

say 'running the server as its user'
cat >"$work/machine/root/serve" <<'END'
set -e
setpriv --reuid quadrille --regid quadrille --clear-groups --no-new-privs --bounding-set=-all \
    quadrille-server --config /etc/quadrille/quadrille.conf & server=$!
for attempt in $(seq 100); do
    quadrille ping 2>/tmp/refused && break
    [ "$attempt" -lt 100 ] || { cat /tmp/refused; exit 1; }
    sleep 0.1
done
kill -TERM "$server"
wait "$server"
END
quietly 'serving' there sh /root/serve

quietly 'removing them' there apt-get -q purge -y quadrille-server quadrille libquadrille0.1 libquadrille-dev
left=$(there sh -c 'find / -xdev -name "*quadrille*" ! -path "/packages/*" ! -path "/var/log/*" \
    ! -path "/root/*" ! -path "/proc/*"')
[ -z "$left" ] || fail "after the removal these are left: $left"
