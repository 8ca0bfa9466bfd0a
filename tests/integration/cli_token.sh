#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The user's own token: a file that the first command creates, and that the others present.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

file=$XDG_STATE_HOME/quadrille/token
expect 0 quadrille open yard
[ "$(stat -c %a "$file")" = 600 ] || fail 'the file has other rights'
[ "$(stat -c %a "$XDG_STATE_HOME/quadrille")" = 700 ] || fail 'the folder has other rights'
grep -Eqx '[0-9a-f]{48}' "$file" || fail 'the file has no token'
[ "$(ls "$XDG_STATE_HOME/quadrille")" = token ] || fail 'another file is left'
prints '^room yard closed$' quadrille close yard

# `quadrille token --own` creates it, too, without a server.
own=$scratch/own/quadrille/token
for _ in 1 2; do
    QUADRILLE_SERVER=127.0.0.1:1 XDG_STATE_HOME=$scratch/own prints "^$own\$" quadrille token --own
    cp -n "$own" "$scratch/own-first"
done
cmp -s "$own" "$scratch/own-first" || fail 'the second command changed the token'
grep -Eqx '[0-9a-f]{48}' "$own" || fail 'the file has no token'
XDG_STATE_HOME=$scratch/own prints "^\\{\"path\": \"$own\"\\}\$" quadrille token --own --json
XDG_STATE_HOME=/proc/none fails 1 'cannot create /proc/none/quadrille/token; must be in a folder' quadrille token --own
fails 1 'XDG_STATE_HOME and HOME are not set' env -u HOME -u XDG_STATE_HOME quadrille token --own
fails 2 '--own takes --json only' quadrille token --own --name gateway

# Another user has another token, and may not close the room. An empty variable is no token.
expect 0 quadrille open yard
XDG_STATE_HOME=$scratch/other fails 1 'cannot close room yard: .* Set QUADRILLE_TOKEN' quadrille close yard
QUADRILLE_TOKEN='' fails 1 'cannot close room yard: .* Set QUADRILLE_TOKEN' quadrille close yard
QUADRILLE_TOKEN=$(cat "$file") expect 0 quadrille close yard
cmp -s "$file" "$scratch/other/quadrille/token" && fail 'two users have one token'

# Without XDG_STATE_HOME, and if it is a relative path, the folder is in the home.
mkdir "$scratch/home"
for state in '' relative; do
    XDG_STATE_HOME=$state HOME=$scratch/home expect 0 quadrille ping
    [ -f "$scratch/home/.local/state/quadrille/token" ] || fail "no token in the home with XDG_STATE_HOME='$state'"
    rm -r "$scratch/home/.local"
done
[ ! -e relative ] || fail 'a relative folder was made'

# Several commands that come first at once agree on one token.
export XDG_STATE_HOME=$scratch/race
pids=()
for i in {1..8}; do
    background quadrille open "race-$i" >/dev/null
    pids+=("$!")
done
for pid in "${pids[@]}"; do ends_with 0 "$pid" 'open'; done
for i in {1..8}; do expect 0 quadrille close "race-$i"; done
[ "$(ls "$XDG_STATE_HOME/quadrille")" = token ] || fail 'another file is left'

# A token that others can read, or that is none, is refused.
file=$XDG_STATE_HOME/quadrille/token
chmod 640 "$file"
fails 1 "^quadrille ping: $file has the mode 640 .*; must be readable by you alone: .*QUADRILLE_TOKEN" quadrille ping
QUADRILLE_TOKEN=given expect 0 quadrille ping
chmod 600 "$file"
: >"$file"
fails 1 "^quadrille ping: $file has 0 bytes; must be a token of 1 to 64" quadrille ping
head -c 65 /dev/zero | tr '\0' x >"$file"
fails 1 "$file has 65 bytes; must be a token" quadrille ping
rm "$file"
mkdir "$file"
fails 1 "$file is not a regular file" quadrille ping
rmdir "$file"

# Without a place for the file, the commands work, without a token.
for state in /proc/nowhere /dev/null; do
    XDG_STATE_HOME=$state expect 0 quadrille ping
done
env -u XDG_STATE_HOME -u HOME "$(command -v quadrille)" ping >/dev/null || fail 'ping needs a home'

# A server that wants one of its own tokens.
stop_server
rm "$scratch/output"
echo known >"$scratch/tokens"
chmod 600 "$scratch/tokens"
start --token-file "$scratch/tokens"
fails 1 'UNAUTHENTICATED' quadrille ping
err '^quadrille ping: QUADRILLE_TOKEN is not set: set it to a token of the server$'
QUADRILLE_TOKEN=unknown fails 1 'UNAUTHENTICATED' quadrille ping
QUADRILLE_TOKEN=known expect 0 quadrille ping

# Roles and rooms: a reader changes nothing, and sees no other rooms.
stop_server
rm "$scratch/output"
printf '%s\n' 'boss admin' 'looker reader match-*' 'game writer match-*' >"$scratch/tokens"
start --token-file "$scratch/tokens"
as() { QUADRILLE_TOKEN=$1 "${@:2}"; }
expect 0 as game quadrille open match-1
expect 0 as boss quadrille open lobby
fails 1 'NOT_ALLOWED' as game quadrille open lobby
fails 1 'role of this session.s token is reader' as looker quadrille spawn match-1 1 10 10 1
fails 1 'cannot close room match-1: .*reader.* Set QUADRILLE_TOKEN' as looker quadrille close match-1
prints '^match-1' as looker quadrille rooms
grep -q lobby "$scratch/out" && fail 'a room of others is listed'
expect 0 as looker quadrille query match-1 nearest 0,0

# A room that only its creator's token may change.
expect 0 as boss quadrille open match-2 --write same-token --step-by creator --join anybody
fails 1 'CONFIG_MISMATCH|write is ' as game quadrille open match-2 --write anybody
fails 1 'write is ACCESS_SAME_TOKEN' as game quadrille spawn match-2 1 10 10 1
expect 0 as boss quadrille spawn match-2 1 10 10 1

# Stats count what quotas refuse.
stop_server
rm "$scratch/output"
start --token-file "$scratch/tokens" --token-rooms-max 1
expect 0 as game quadrille open match-1
fails 1 'QUOTA_TOKEN' as game quadrille open match-2
prints '^ *refused_by_token_rooms +1$' as game quadrille stats

# SIGHUP: whose token is gone or allows less is disconnected; all others go on. A faulty file changes nothing.
stop_server
rm "$scratch/output"
start --token-file "$scratch/tokens" 2>"$scratch/log"
as game background quadrille swarm --rooms 1 --prefix match --entities 5 --seconds 120 >/dev/null
swarm=$!
is_open() { as boss quadrille rooms | grep -q '^match-1'; }
until_true is_open
as looker background quadrille events match-1 >"$scratch/looker" 2>&1
looker=$!
joined() { as boss quadrille sessions match-1 | grep -c ' connected ' | grep -qx 3; }
until_true joined
echo 'broken nonsense' >>"$scratch/tokens"
kill -HUP "$server_pid"
kept() { grep -q 'the configuration stays as it is error=.--token-file: line 4 of .* is no role' "$scratch/log"; }
until_true kept
until_true joined
printf '%s\n' 'boss admin' 'game writer match-*' 'newcomer' >"$scratch/tokens"
kill -HUP "$server_pid"
ends_with 1 "$looker" 'the events'
grep -q 'changed what this token allows' "$scratch/looker" || fail "the reader is not told: $(cat "$scratch/looker")"
fails 1 'UNAUTHENTICATED' as looker quadrille ping
expect 0 as newcomer quadrille ping
kill -0 "$swarm" || fail 'the swarm was disconnected'
kill -INT "$swarm"
ends_with 0 "$swarm" 'the swarm'
