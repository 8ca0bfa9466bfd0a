#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --audit: the log names who authenticates, opens, closes and takes over, at any level and without a limit.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

printf 'reading-token reader\nwriting-token\n' >"$scratch/tokens"
chmod 600 "$scratch/tokens"
export QUADRILLE_TOKEN=writing-token
# run_all OPTION...: a server with these options, and something to log.
run_all() {
    start_server --token-file "$scratch/tokens" --log-level error "$@" 2>"$scratch/log"
    export QUADRILLE_SERVER=$address
    quadrille open yard --step >"$scratch/none"
    quadrille spawn yard 1 1 2 3 >"$scratch/none"
    quadrille adopt yard >"$scratch/none"
    quadrille close yard >"$scratch/none"
    fails 1 . env QUADRILLE_TOKEN=wrong-token quadrille ping
    for _ in {1..30}; do
        quadrille ping >"$scratch/none"
    done
    stop_server
    rm "$scratch/output"
}
has() {
    grep -Eq "Z audit $1\$" "$scratch/log" || fail "no line of the log matches: $1: $(head -n 20 "$scratch/log")"
}

run_all
! grep -q audit "$scratch/log" || fail 'audit without --audit'
run_all --audit
has 'authenticated session=[0-9]+ peer=127.0.0.1:[0-9]+ token=2 admin=0 client=.*'
has 'not authenticated peer=127.0.0.1:[0-9]+ code=UNAUTHENTICATED'
has 'room opened room=[0-9]+ name=yard created=1 session=[0-9]+ peer=127.0.0.1:[0-9]+'
has 'entities taken over room=[0-9]+ name=yard count=[0-9]+ from=[0-9]+ session=[0-9]+ peer=127.0.0.1:[0-9]+'
has 'room closed room=[0-9]+ name=yard reason=requested session=[1-9][0-9]*'
[ "$(grep -c 'Z audit authenticated' "$scratch/log")" -ge 34 ] || fail 'lines are missing'
! grep -q 'token=.*-token\|wrong-token' "$scratch/log" || fail 'a token is in the log'

# Beyond --address-failed-tokens-max, the server looks at no token: 10 at once, and one more each second.
start=$SECONDS
start_server --token-file "$scratch/tokens" --audit 2>"$scratch/log"
for _ in {1..80}; do
    fails 1 . env QUADRILLE_TOKEN=wrong-token quadrille ping --server "$address"
done
stop_server
lines=$(grep -c 'Z audit not authenticated' "$scratch/log") most=$((11 + SECONDS - start))
[ "$lines" -ge 10 ] && [ "$lines" -le "$most" ] || fail "$lines audited failures; must be 10 to $most"
grep -q 'lines were suppressed of="protocol broken" .*address=127.0.0.1' "$scratch/log" || fail 'the rest is not counted'
