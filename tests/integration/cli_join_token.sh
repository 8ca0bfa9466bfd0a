#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# token: mints join tokens that a real server accepts, and shows what a token claims.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v openssl >/dev/null || { echo 'openssl is missing'; exit 77; }
umask 077
secret=0123456789abcdef0123456789abcdef
keys=$scratch/keys
printf '%s\n' '# the keys of two backends' "key:k1 $secret writer match-* lobby" "key:k2 ${secret}2 admin" 'boss admin' >"$keys"
mint() { quadrille token --key-file "$keys" "$@"; }

# Mint and show.
token=$(mint --key k1 --name gateway-7 --rooms 'match-* hall' --expires 1h)
[[ $token =~ ^qj1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$ ]] || fail "no join token: $token"
prints '^key +k1$' quadrille token --show "$token" --key-file "$keys"
out '^name +gateway-7$'
out '^role +writer$'
out '^rooms +match-\* hall$'
out '^expires +20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} UTC, in 3[56][0-9]{2} s$'
out '^signature +valid$'
prints '^signature +not checked, without --key-file$' quadrille token --show - <<<"$token"
prints '"rooms": "match-\* hall", "expires": [0-9]+, "expired": false, "signature": "valid"' \
    quadrille token --show "$token" --key-file "$keys" --json
printf 'key:k1 %s\n' "${secret}x" >"$scratch/others"
expect 1 quadrille token --show "$token" --key-file "$scratch/others"
out '^signature +invalid$'
fails 1 "'nonsense' is no join token; must be qj1" quadrille token --show nonsense

# Mistakes.
fails 1 'has 2 keys; must be clear which one signs: set --key$' mint --name a --expires 1h
fails 1 "has no key 'k3'; must have the line key:k3 SECRET" mint --key k3 --name a --expires 1h
fails 1 '^quadrille token: --role is admin; must be at most writer, the role of the key k1$' \
    mint --key k1 --name a --role admin --expires 1h
fails 1 "the name is 'a b'; must be 1 to 64 bytes without spaces" mint --key k1 --name 'a b' --expires 1h
fails 1 'the claims have [0-9]+ bytes; must have at most 156' \
    mint --key k1 --name a --rooms "$(printf 'room-%03d ' {1..20} | sed 's/ $//')" --expires 1h
fails 2 '--expires is .1h30m.; must be a time from 1s to 366d' mint --key k1 --name a --expires 1h30m
fails 2 '--name is missing' mint --key k1 --expires 1h
fails 2 '--show takes --key-file and --json only' quadrille token --show "$token" --name a
echo 'key:k1 short' >"$scratch/others"
fails 1 'line 1 of .*: the secret of the key k1 has 5 bytes; must have 32 to 128' \
    quadrille token --key-file "$scratch/others" --name a --expires 1h
echo 'plain' >"$scratch/others"
fails 1 'has no key; must have the line key:ID SECRET' quadrille token --key-file "$scratch/others" --name a --expires 1h
chmod 640 "$scratch/others"
fails 1 'has the mode 640; must be readable by you alone: run chmod 600' \
    quadrille token --key-file "$scratch/others" --name a --expires 1h

# The admin API has no use for keys.
expect 1 "$QD_SERVER" --check-config --token-file "$keys" --admin 127.0.0.1:1 --admin-token-file "$keys"
err 'token 1 of .* is the key:k1; must be a token'

start --token-file "$keys" --audit 2>"$scratch/log"
as() { QUADRILLE_TOKEN=$1 "${@:2}"; }

# The token's own rooms, within those of its key.
expect 0 as "$token" quadrille open match-1
fails 1 'NOT_ALLOWED' as "$token" quadrille open hall
fails 1 'NOT_ALLOWED' as "$token" quadrille open lobby
expect 0 as "$(mint --key k1 --name other --expires 1h)" quadrille open lobby
expect 0 as "$(mint --key k2 --name ops --role admin --expires 1h)" quadrille open hall
# The role.
reader=$(mint --key k1 --name gateway-7 --role reader --expires 1h)
expect 0 as "$reader" quadrille query match-1 nearest 0,0
fails 1 'role of this session.s token is reader' as "$reader" quadrille spawn match-1 1 10 10 1
# Another name is another holder, and a renewed token is the same one.
fails 1 'NOT_ALLOWED' as "$(mint --key k1 --name other --expires 1h)" quadrille close match-1
expect 0 as "$(mint --key k1 --name gateway-7 --expires 2h)" quadrille close match-1
# What nobody has signed.
for wrong in "${token}A" "${token%?}" "$secret" key:k1 "${token/qj1/qj2}"; do
    fails 1 'the token is unknown to the server.*UNAUTHENTICATED' as "$wrong" quadrille ping
    sleep 0.2
done

# Other programs sign tokens as proto/SPEC.md says.
base64url() { base64 -w 0 | tr '+/' '-_' | tr -d =; }
claims="qj1.$(printf 'k1 by-hand %d reader match-*' $(($(date +%s) + 60)) | base64url)"
byhand=$claims.$(printf %s "$claims" | openssl dgst -sha256 -hmac "$secret" -binary | base64url)
expect 0 as "$byhand" quadrille ping
prints '^name +by-hand$' quadrille token --show "$byhand" --key-file "$keys"

# A role above the key's, which the tool refuses to mint.
printf 'key:k1 %s admin\n' "$secret" >"$scratch/stronger"
stronger=$(quadrille token --key-file "$scratch/stronger" --name a --role admin --expires 1h)
fails 1 "the token's role is admin; must be at most writer, the role of its key" as "$stronger" quadrille ping

# The log names the key's line and the holder, and no token.
logs() { grep -Eq "audit $1" "$scratch/log" || fail "no line of the log matches: $1: $(tail -n 20 "$scratch/log")"; }
logs 'authenticated .* token=1 admin=0 .* holder=gateway-7$'
logs 'authenticated .* token=2 admin=1 .* holder=ops$'
! grep -q 'qj1' "$scratch/log" || fail 'a token is in the log'

# A command that runs when its token expires.
short=$(mint --key k1 --name watcher --role reader --expires 2s)
background as "$short" quadrille events lobby --seconds 100 >"$scratch/events" 2>&1
ends_with 1 $! 'the events'
grep -q "this session's token has expired" "$scratch/events" || fail "no reason: $(cat "$scratch/events")"
fails 1 'the token expired at [0-9]+, and it is [0-9]+ .*UNAUTHENTICATED' as "$short" quadrille ping
expired() { grep -Eq 'audit token expired session=[0-9]+$' "$scratch/log"; }
until_true expired
prints '^expires .* UTC, expired$' quadrille token --show "$short" --key-file "$keys"
