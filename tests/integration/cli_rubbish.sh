#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Wrong arguments to every command: the exit status is 1 or 2, and the error is one line that names the value.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start
quadrille open yard --step >/dev/null
quadrille open cube --dimensions 3 >/dev/null
quadrille open clock >/dev/null

# wrong VALUE COMMAND ARGUMENT...
wrong() {
    local value=$1 status=0
    shift
    timeout 20 quadrille "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
    case $status in 1 | 2) ;; *) fail "exit status $status: quadrille $*" ;; esac
    [ ! -s "$scratch/out" ] || fail "output in spite of an error: quadrille $*"
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "the error is not one line: quadrille $*"
    err "^quadrille $1: "
    grep -qF -- "$value" "$scratch/err" || fail "the error does not name $value: quadrille $*"
    count=$((count + 1))
}
count=0

# A room that is not open.
while read -r command rest; do
    # shellcheck disable=SC2086
    wrong nowhere "$command" nowhere $rest
done <<'END'
stats
sessions
close
step
step 2
spawn 1 2 3 4
spawn -
move 1 2 3
teleport 1 2 3
reshape 1 2
despawn 1
adopt
describe 1 --tag 1
snapshot
query nearest 0,0
watch --seconds 1
events --seconds 1
observe 1 --range 1
watchers
why 1 2
END

# Texts that are no number, numbers out of range, and too many of them.
while read -r value rest; do
    # shellcheck disable=SC2086
    wrong "$value" $rest
done <<'END'
4294967296 spawn yard 4294967296 0 0 1
-1 move yard -1 0 0
one teleport yard one 0 0
x reshape yard x 1
1e40 reshape yard 1 1e40
inf spawn yard 1 inf 0 1
nan move yard 1 0 nan
0x move yard 1 0 0x
1.5 despawn yard 1.5
-2 despawn yard 1 -2
two describe yard two --tag 1
18446744073709551616 describe yard 1 --tag 18446744073709551616
-5 describe yard 1 --visible-range -5
a why yard a 1
b why yard 1 b
2.0 watchers yard 2.0
0 step yard 0
many step yard many
0 adopt yard --session 0
me adopt yard --session me
1,2,3 query yard nearest 1,2,3,4,5
1;2 query yard nearest 1;2
disc query yard disc 1,2,3
cube query cube nearest 1,2
yard query yard nearest 1,2,3
1,1 observe yard 1,1,1,1 --range 1
here observe yard here --range 1
far observe yard 1 --range far
-3 observe yard 1 --range -3
5,1 snapshot yard --region 5,1,0
yard snapshot yard --region 0,0,0,1,1,1
0 snapshot yard --limit 0
1048577 snapshot yard --limit 1048577
-1 events yard --seconds -1
0 events yard --count 0
clock step clock
cube spawn cube 1 2 3 4
yard move yard 1 2 3 4
3 move yard 1 2 3 --dimensions 3
8 spawn yard 1 2 3 4 5 6 7 8
-1 open new --grace-ms -1
3600001 open new --grace-ms 3600001
86400001 open new --empty-close-ms 86400001
1.5 open new --hz 1.5
0 ping --count 0
extra rooms extra
extra ping extra
extra stats yard extra
extra sessions yard extra
extra close yard extra
extra step yard 1 extra
extra snapshot yard extra
extra adopt yard extra
extra swarm extra
extra token extra
--key-file token --name a --expires 1h
--name token --key-file nowhere --expires 1h
--expires token --key-file nowhere --name a
0s token --key-file nowhere --name a --expires 0s
367d token --key-file nowhere --name a --expires 367d
1 token --key-file nowhere --name a --expires 1
1w token --key-file nowhere --name a --expires 1w
99999999s token --key-file nowhere --name a --expires 99999999s
owner token --key-file nowhere --name a --expires 1h --role owner
nowhere token --key-file nowhere --name a --expires 1h
nothing token --show nothing
--show token --show nothing --name a
END
[ "$count" -gt 60 ] || fail "only $count commands were tried"

# Nothing of it changed a room.
expect 0 quadrille snapshot yard
[ "$(wc -l <"$scratch/out")" -eq 1 ] || fail 'an entity was spawned'
