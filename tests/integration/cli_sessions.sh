#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sessions, and what an admin may do: list all of them, and observe an entity of another.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
umask 077
printf '%s\n' '# TOKEN ROLE PATTERN...' 'root admin' 'backend writer yard-*' 'mine' >"$scratch/tokens"
start --token-file "$scratch/tokens"
export QUADRILLE_TOKEN=mine
as() { QUADRILLE_TOKEN=$1 "${@:2}"; }
count() { grep -c 'quadrille/' "$scratch/out"; }

prints '^ +session state +rooms +age_s  client$' quadrille sessions
out '^ +[0-9]+ connected +0 +[0-9]\.[0-9]{3}  quadrille/[0-9.]+$'
[ "$(count)" -eq 1 ] || fail 'not its own session alone'

as backend background quadrille swarm --entities 5 --rooms 2 --prefix yard --seconds 120 >/dev/null
swarm=$!
joined() { as root quadrille sessions | grep -q ' connected  *2 '; }
until_true joined
expect 0 as backend quadrille sessions
[ "$(count)" -eq 2 ] || fail 'not the two sessions of the token'
number=$(awk '$3 == 2 { print $1 }' "$scratch/out")
# Others see their own only; an admin sees all.
expect 0 quadrille sessions
[ "$(count)" -eq 1 ] || fail 'a session of another token is listed'
expect 0 as root quadrille sessions
[ "$(count)" -eq 2 ] || fail 'the admin does not see all'
expect 0 as root quadrille sessions yard-1
[ "$(count)" -eq 2 ] || fail 'not the sessions of the room'
quadrille open empty >/dev/null
expect 0 as root quadrille sessions empty
[ "$(count)" -eq 1 ] || fail 'a session of another room is listed'
prints "^  \{\"session\": $number, \"client\": \"quadrille/[0-9.]+\", \"detached\": false, \"rooms\": 2, \"age_ms\": [0-9]+\},$" \
    as root quadrille sessions --json
[ "$(head -n 1 "$scratch/out")$(tail -n 1 "$scratch/out")" = '[]' ] || fail 'a JSON array'
fails 1 'no room "nowhere" is open' quadrille sessions nowhere

# An admin observes an entity of another session; others may not.
moving() { [ -n "$(quadrille query yard-1 nearest 0,0)" ]; }
until_true moving
id=$(quadrille query yard-1 nearest 0,0 | awk '{ print $1 }')
fails 1 "NOT_OWNER" quadrille observe yard-1 "$id" --range 5000 --count 1
expect 0 as root quadrille observe yard-1 "$id" --range 5000 --count 4
out ' enter [0-9]+ at '
kill -INT "$swarm"
ends_with 0 "$swarm" 'the swarm'
