#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The configuration file of a real server: --check-config, --print-config, the installed default, and what SIGHUP
# changes, reports and leaves.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
config=$scratch/quadrille.conf
server() { "$QD_SERVER" "$@"; }

# The token is only in its file.
(umask 077 && printf '%s\n' 'secret-one admin' >"$scratch/tokens")
cat >"$config" <<END
# of this test
token-file = $scratch/tokens
token-rooms-max = 2
log-level = info
END
prints '^the configuration is valid$' server --config "$config" --check-config
prints '^token-rooms-max = 2$' server --config "$config" --print-config
prints '^token-rooms-max = 3$' env QUADRILLE_TOKEN_ROOMS_MAX=3 "$QD_SERVER" --config "$config" --print-config
prints '^token-rooms-max = 4$' env QUADRILLE_TOKEN_ROOMS_MAX=3 "$QD_SERVER" --config "$config" --print-config \
    --token-rooms-max 4
server --config "$config" --print-config >"$scratch/printed"
! grep -q secret-one "$scratch/printed" || fail 'a token is printed'
server --config "$scratch/printed" --print-config | diff "$scratch/printed" - || fail 'what is printed reads differently'
# The reader of a pipe may leave early.
fails 1 'cannot write the output' sh -c '"$0" --print-config >/dev/full' "$QD_SERVER"

# The default file of the build is that of the table.
if [ -f "$QD_BUILD/quadrille.conf" ]; then
    expect 0 server --config "$QD_BUILD/quadrille.conf" --check-config
    ! grep -qv '^#\|^$' "$QD_BUILD/quadrille.conf" || fail 'the default file sets something'
fi

echo 'sesion-rooms-max = 2' >"$scratch/bad"
fails 2 "$scratch/bad:1: unknown key 'sesion-rooms-max' with the value '2'. Did you mean session-rooms-max?" \
    server --config "$scratch/bad" --check-config
fails 1 '--token-file: /nonexistent' server --token-file /nonexistent --check-config
fails 1 'must be a loopback address then' server --listen 0.0.0.0:0 --check-config
fails 2 'cannot read the file of --config, /nonexistent: No such file' server --config /nonexistent

# ---- SIGHUP ----

start_server --config "$config" --workers 2 2>"$scratch/log"
export QUADRILLE_SERVER=$address QUADRILLE_TOKEN=secret-one
lines() { [ "$(grep -c "$1" "$scratch/log")" -eq "$2" ]; }
reload() {
    kill -HUP "$server_pid"
    until_true lines ' info  reloaded$' "$1"
}
expect 0 quadrille open one
expect 0 quadrille open two
fails 1 QUOTA_TOKEN quadrille open three
reload 1
! grep -q 'option changed\|needs a restart' "$scratch/log" || fail 'a reload without a change reports one'

sed -i 's/= 2$/= 3/; s/^log-level = .*/log-level = debug/' "$config"
printf '%s\n' 'workers = 3' 'rooms-max = 5000' 'drain-seconds = 7' >>"$config"
printf '%s\n' 'secret-one admin' 'secret-two' >"$scratch/tokens"
reload 2
for line in 'info  option changed option=--token-rooms-max from=2 to=3$' \
    'info  option changed option=--log-level from=info to=debug$' \
    'info  option changed option=--drain-seconds from=10 to=7$' \
    'warn  option needs a restart option=--rooms-max running=65536 wanted=5000$' \
    'info  tokens reloaded tokens=2 '; do
    grep -q -- "$line" "$scratch/log" || fail "the log lacks '$line': $(cat "$scratch/log")"
done
# The command line overrides the file, so nothing has changed.
! grep -q 'option=--workers' "$scratch/log" || fail '--workers is reported'
expect 0 quadrille open three
fails 1 QUOTA_TOKEN quadrille open four
expect 0 env QUADRILLE_TOKEN=secret-two quadrille ping
until_true grep -q ' debug connected session=' "$scratch/log"

# A faulty file changes nothing, neither the level nor the tokens.
cp "$config" "$scratch/good"
sed -i 's/^log-level = .*/log-level = error/; $a loops = 0' "$config"
echo 'secret-one admin' >"$scratch/tokens"
kill -HUP "$server_pid"
until_true grep -q "error the configuration stays as it is error=.*quadrille.conf:8: loops is 0; must be a whole number" \
    "$scratch/log"
expect 0 env QUADRILLE_TOKEN=secret-two quadrille ping
lines ' info  reloaded$' 2 || fail 'the faulty file was taken over'
# Likewise a faulty file that the configuration names.
cp "$scratch/good" "$config"
sed -i 's/= 3$/= 9/' "$config"
echo 'secret-one nonsense' >"$scratch/tokens"
kill -HUP "$server_pid"
until_true grep -q 'error the configuration stays as it is error=.--token-file: ' "$scratch/log"
! grep -q 'to=9' "$scratch/log" || fail 'a quota was taken over beside a faulty token file'

# The change that took a restart is reported until there is one, and the tokens end a session.
echo 'secret-one admin' >"$scratch/tokens"
reload 3
lines 'option=--rooms-max running=65536 wanted=5000$' 2 || fail 'the pending restart is not reported again'
fails 1 UNAUTHENTICATED env QUADRILLE_TOKEN=secret-two quadrille ping
# Without its key, the file of the tokens stays.
sed -i '/^token-file/d' "$config"
reload 4
grep -q 'option needs a restart option=--token-file running=.*tokens.* wanted=""' "$scratch/log" ||
    fail 'the missing token file is not reported'
fails 1 UNAUTHENTICATED env QUADRILLE_TOKEN=secret-two quadrille ping
expect 0 quadrille ping
stop_server
