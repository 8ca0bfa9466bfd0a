#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds docker/Dockerfile, checks what is in the image, and runs it as docker/compose.yml does: read-only, without
# capabilities and not as root. Then the script checks its health and stops it by SIGTERM. It needs root and podman's tools, but no running engine and
# no image registry, since it makes the base image from Debian packages. It removes all its files at the end.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/../support/verdict.sh"

[ "$(id -u)" -eq 0 ] || skip "needs root"
python3 -c 'import yaml' 2> /dev/null || skip "needs python3-yaml (apt-get install python3-yaml)"
missing=()
for tool in podman buildah runc debootstrap iptables /usr/lib/podman/netavark; do
    command -v "$tool" > /dev/null || missing+=("${tool##*/}")
done
[ ${#missing[@]} -eq 0 ] || skip "needs ${missing[*]} (apt-get install podman buildah runc debootstrap netavark iptables)"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Codename: bookworm' 'Created-By: Packages' | sed -n 1p)
[ -n "$mirror" ] || skip "no Debian 12 (bookworm) mirror among apt's sources"

work=$(mktemp -d)
container=
# A separate store keeps the images of this machine unchanged.
store=(--root "$work/storage" --runroot "$work/run")
podman() { command podman "${store[@]}" --runtime runc "$@"; }
clean_up() {
    [ -z "$container" ] || podman rm -f "$container" > /dev/null 2>&1 || true
    podman unmount --all > /dev/null 2>&1 || true
    umount "$work/storage/overlay" 2> /dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# run_quietly NAME COMMAND...: prints the end of the output if the command fails, else nothing.
run_quietly() {
    local log=$work/$1.log
    say "$2 ($1)"
    shift 2
    "$@" > "$log" 2>&1 || { tail -n 60 "$log"; fail "see above"; }
}

run_quietly base "making debian:bookworm-slim from $mirror" \
    debootstrap --variant=minbase bookworm "$work/base" "$mirror"
import_base() { tar -C "$work/base" -c . | podman import - docker.io/library/debian:bookworm-slim; }
run_quietly import "importing the base image" import_base
rm -rf "$work/base"
# The OCI format has no HEALTHCHECK, so the image has the docker format.
run_quietly image "building the image" \
    buildah "${store[@]}" bud --isolation chroot --network host --format docker \
    -f "$QD_SOURCE/docker/Dockerfile" -t localhost/quadrille "$QD_SOURCE"

property() { podman image inspect --format "$1" localhost/quadrille; }
# of_service SERVICE KEY...: that part of docker/compose.yml, as JSON. A string is printed as it is.
of_service() {
    python3 -c 'import json, sys, yaml
value = yaml.safe_load(open(sys.argv[1]))["services"]
for key in sys.argv[2:]:
    value = value[key]
print(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))' "$QD_SOURCE/docker/compose.yml" "$@"
}
[ "$(property '{{json .Config.Entrypoint}}')" = '["quadrille-server"]' ] || fail "the entry point is not in exec form"
[ "$(property '{{json .Config.Healthcheck.Test}}')" = '["CMD","quadrille-server","--check-health"]' ] ||
    fail "no health check"
[ "$(property '{{json .Config.Healthcheck.Test}}')" = "$(of_service server healthcheck test)" ] ||
    fail "compose has another health check"

say "checking what is in the image"
bytes=$(property '{{.Size}}')
[ "$bytes" -lt 20000000 ] || fail "the image has $bytes bytes; must have less than 20,000,000"
mkdir "$work/root"
container=$(podman create --no-healthcheck localhost/quadrille)
podman export "$container" | tar -x -C "$work/root"
podman rm "$container" > /dev/null
container=
version=$(sed -n 's/^project(quadrille VERSION \([0-9.]*\) .*/\1/p' "$QD_SOURCE/CMakeLists.txt")
[ "$(property '{{index .Config.Labels "org.opencontainers.image.version"}}')" = "$version" ] ||
    fail "the label of the version is not $version"
python3 "$QD_SOURCE/tests/docker/contents.py" "$work/root" "$(property '{{index .Config.Labels "quadrille.sbom"}}')" \
    "$version" || fail "see above"
rm -rf "$work/root"

# Inside a container podman may not raise limits, so they are set low. The timer of the health check would need systemd.
locked=(--read-only --cap-drop ALL --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --no-healthcheck)

say "starting it without tokens"
podman run --rm "${locked[@]}" localhost/quadrille > "$work/refused.log" 2>&1 && fail "it starts without tokens"
grep -q -- '--listen is 0\.0\.0\.0, and there is no --token-file; .*--insecure' "$work/refused.log" ||
    fail "it does not say why it does not start"

podman run --rm "${locked[@]}" localhost/quadrille --print-config > "$work/quadrille.conf" ||
    fail "it does not print its configuration"
grep -qx 'listen = 0\.0\.0\.0:7400' "$work/quadrille.conf" || fail "its configuration does not listen on all addresses"

say "making a token and running the server as compose does"
podman volume create state > /dev/null
state=$(podman volume inspect --format '{{.Mountpoint}}' state)
for _ in 1 2; do
    podman run --rm "${locked[@]}" -v state:/var/lib/quadrille --entrypoint "$(of_service token entrypoint)" \
        localhost/quadrille || fail "the token is not made"
    token=${token:-$(cat "$state/token")}
done
[ "$token" = "$(cat "$state/token")" ] || fail "the second start changes the token"
container=$(podman run -d "${locked[@]}" -v state:/var/lib/quadrille:ro -p 127.0.0.1::7401 \
    -e "QUADRILLE_ADMIN=$(of_service server environment QUADRILLE_ADMIN)" \
    -v "$QD_SOURCE/docker/quadrille.conf:/etc/quadrille/quadrille.conf:ro" localhost/quadrille)
in_container() { podman run --rm "${locked[@]}" --network "container:$container" "$@"; }
pings() { in_container --entrypoint '["quadrille", "ping"]' "$@" localhost/quadrille > /dev/null 2>&1; }
for ((tries = 0; ; tries++)); do
    ! pings -v state:/var/lib/quadrille:ro || break
    [ "$tries" -lt 20 ] || { podman logs "$container"; fail "the token of the volume is refused"; }
    sleep 0.1
done
! pings || fail "the server accepts a client without the token"
in_container --entrypoint "$(of_service server healthcheck test | sed 's/"CMD",//')" localhost/quadrille ||
    fail "the health check fails"
in_container -v state:/var/lib/quadrille:ro --entrypoint "$(of_service bots entrypoint)" localhost/quadrille \
    --rooms 2 --entities 50 --seconds 2 || fail "the bots fail"
metrics=http://$(podman port "$container" 7401/tcp)/metrics
curl -sf -H "Authorization: Bearer $token" "$metrics" | grep '^quadrille_ticks_total [1-9]' > /dev/null ||
    fail "Prometheus gets no metrics with the token"
[ "$(curl -s -o /dev/null -w '%{http_code}' "$metrics")" = 401 ] || fail "everybody gets metrics"
podman rm -f "$container" > /dev/null

say "running the image read-only, without capabilities"
container=$(podman run -d "${locked[@]}" -p 127.0.0.1::7400 localhost/quadrille --insecure)
address=$(podman port "$container" 7400/tcp)
ping_from_outside() { "$QD_BIN/quadrille" --server "$address" ping; }
for ((tries = 0; ; tries++)); do
    ! ping_from_outside > /dev/null 2>&1 || break
    [ "$tries" -lt 100 ] || { podman logs "$container"; ping_from_outside || true; fail "no answer at $address"; }
    sleep 0.1
done
grep -q '^quadrille-server [0-9.]* listening on 0\.0\.0\.0:7400$' <<< "$(podman logs "$container" 2> /dev/null)" ||
    fail "the log does not name the address"

pid=$(podman inspect --format '{{.State.Pid}}' "$container")
grep -q -P '^Uid:\t10001\t10001\t10001\t10001$' "/proc/$pid/status" || fail "the server does not run as user 10001"
grep -q -P '^CapEff:\t0+$' "/proc/$pid/status" || fail "the server has capabilities"
[ "$(tr '\0' ' ' < "/proc/$pid/cmdline")" = "quadrille-server --insecure " ] || fail "process 1 is not quadrille-server"

say "checking its health, and connecting bots"
in_container --entrypoint '["quadrille-server", "--check-health"]' localhost/quadrille || fail "the health check fails"
in_container --entrypoint '["quadrille", "ping"]' localhost/quadrille || fail "ping fails"
in_container --entrypoint '["quadrille", "swarm"]' localhost/quadrille --rooms 2 --entities 50 --seconds 2 ||
    fail "quadrille swarm failed"
in_container --entrypoint '["quadrille-bench"]' localhost/quadrille --server 127.0.0.1:7400 \
    --rooms 2 --entities 50 --seconds 1 ||
    fail "quadrille-bench failed"

say "stopping the server by SIGTERM"
podman kill --signal TERM "$container" > /dev/null
status=$(timeout 30 podman "${store[@]}" wait "$container") || fail "SIGTERM does not stop the server"
[ "$status" -eq 0 ] || { podman logs "$container"; fail "the server ended with status $status"; }
! ping_from_outside > /dev/null 2>&1 || fail "ping succeeds although the server is stopped"
echo "the image works"
