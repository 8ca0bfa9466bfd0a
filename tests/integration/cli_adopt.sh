#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# adopt: the entities of a killed program stay, for the holder of its token.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start
export QUADRILLE_TOKEN=backend

# A swarm owns its entities, which stay for a second after it dies.
background quadrille swarm --rooms 1 --entities 40 --hz 50 >"$scratch/swarm" 2>&1
swarm=$!
entities() { quadrille stats swarm-1 >"$scratch/stats" && grep -Eq "^entities +$1\$" "$scratch/stats"; }
until_true entities 40
# The swarm hangs with an open connection.
kill -STOP "$swarm"
prints '^0 entities adopted: room swarm-1 owns them now$' quadrille adopt swarm-1
err '^quadrille adopt: session [0-9]+ is connected and keeps its entities: --session [0-9]+ takes them$'
session=$(sed 's/.*--session \([0-9]*\).*/\1/' "$scratch/err")
QUADRILLE_TOKEN=another fails 1 'which has another token.*NOT_ALLOWED' quadrille adopt swarm-1 --session "$session"
prints '^40 entities adopted: room swarm-1 owns them now$' quadrille adopt swarm-1 --session "$session"
kill -KILL "$swarm"
ends_with 137 "$swarm" 'killed' 2>/dev/null
# The grace period is over.
sleep 1.5
entities 40 || fail "they are gone: $(cat "$scratch/stats")"
expect 0 quadrille adopt swarm-1 --list
[ ! -s "$scratch/out" ] || fail 'adopted twice'
id=$(quadrille snapshot swarm-1 | sed -n '2s/,.*//p')
expect 0 quadrille move swarm-1 "$id" 1 1

# Without a token, and with invalid session numbers.
QUADRILLE_TOKEN='' fails 1 '^quadrille adopt: QUADRILLE_TOKEN is empty: set it' quadrille adopt swarm-1
fails 2 "--session is '0'; must be the number of a session" quadrille adopt swarm-1 --session 0
fails 2 "--session is 'x'; must be the number of a session" quadrille adopt swarm-1 --session x
fails 1 'UNKNOWN_ROOM' quadrille adopt nowhere
