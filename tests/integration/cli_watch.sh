#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# watch: lines without a terminal; on a terminal, a screen that is restored when the program ends, for any reason.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
start

export QUADRILLE_TOKEN=tester
quadrille open arena --bounds 0,0,20,10 --hz 100 >/dev/null
printf '1,1,1,1\n2,2,1,1\n3,9,9,1\n' | quadrille spawn arena - --circle >/dev/null

line='^tick [0-9]+  entities 3  pairs 1  begins/s [0-9.]+  ends/s [0-9.]+  tick p50 [0-9.]+ us  p99 [0-9.]+ us$'
prints "$line" quadrille watch arena --seconds 2.2
[ "$(grep -Evc "$line" "$scratch/out")" -eq 0 ] || fail 'another line'
fails 1 'UNKNOWN_ROOM' quadrille watch nowhere --seconds 1

# A swept room of three dimensions.
quadrille open hall --dimensions 3 --swept --hz 100 >/dev/null
quadrille spawn hall 1 1 1 1 1 --dimensions 3 >/dev/null
expect 0 quadrille watch hall --seconds 1.2
out '^tick [0-9]+  entities 1  pairs 0  begins/s [0-9.]+  ends/s [0-9.]+  passed/s 0.0  tick p50 '
quadrille close hall >/dev/null

# An interrupt ends it, and so does the end of the room.
for way in INT TERM close; do
    rm "$scratch/out"
    background quadrille watch arena >"$scratch/out" 2>"$scratch/err"
    watch=$!
    until_true grep -q tick "$scratch/out"
    if [ $way = close ]; then
        quadrille close arena >/dev/null
    else
        kill -$way "$watch"
    fi
    ends_with 0 "$watch" "ended by $way"
done
err 'room arena was closed'

# On a terminal.
if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo 'skipped: there are no pseudo-terminals here (is /dev/pts mounted?): the screen of watch is not tested'
    exit 77
fi
quadrille open arena --bounds 0,0,20,10 --hz 100 >/dev/null
printf '1,1,1,1\n2,2,1,1\n3,9,9,1\n' | quadrille spawn arena - --circle >/dev/null
enter=$'\033[?1049h' leave=$'\033[?1049l' cursor=$'\033[?25h'

# Bytes written here are keys typed into the terminal.
mkfifo "$scratch/keys"
exec 8<>"$scratch/keys"

# on_terminal NAME COMMAND...: runs the command on a terminal of `script`, which also prints the exit status and the
# terminal's settings.
on_terminal() {
    local name=$1
    shift
    TERM=xterm-256color SHELL=/bin/sh script -qec "stty rows 30 cols 90; stty -g; $*; echo status=\$?; stty -g" \
        "$scratch/$name" <&8 >/dev/null
}
check_screen() {
    grep -qF "$enter" "$scratch/$1" && grep -qF "$leave" "$scratch/$1" && grep -qF "$cursor" "$scratch/$1" ||
        fail "$1: the screen is not entered and left"
    grep -q "status=$2" "$scratch/$1" || fail "$1: exit status is not $2: $(grep -a status= "$scratch/$1")"
    [ "$(grep -aoE '^[0-9a-f]+(:[0-9a-f]+){8,}' "$scratch/$1" | sort -u | wc -l)" -eq 1 ] ||
        fail "$1: the terminal's settings changed"
}

on_terminal screen quadrille watch arena --seconds 1.2
check_screen screen 0
for text in 'quadrille' 'arena' 'entities' 'pairs' 'begins/s' 'ends/s' 'p50' 'p99' 'q quits' '╭' '╯' '●'; do
    grep -qF -- "$text" "$scratch/screen" || fail "the screen has no $text"
done
# Capsules are drawn, too; three dimensions are drawn as seen along z.
quadrille open hall --dimensions 3 --swept --bounds 0,0,0,20,10,5 --hz 100 >/dev/null
printf '1,5,5,2,1,3,1,0\n2,12,5,2,1,-3,1,0\n' | quadrille spawn hall - --dimensions 3 --capsule >/dev/null
on_terminal hall quadrille watch hall --seconds 1.2
check_screen hall 0
for text in 'passed/s' '╭' $'\033[38;5;74m\xE2'; do
    LC_ALL=C grep -qF -- "$text" "$scratch/hall" || fail "the screen of a room of three dimensions has no $text"
done
# With an observer: the entities it sees, and its region.
on_terminal view quadrille watch arena --observer 1 --range 3 --seconds 1.2
check_screen view 0
for text in 'seen' 'enters/s' 'leaves/s' 'the observer' $'\033[38;5;74m\xE2' $'\033[38;5;203m\xE2'; do
    LC_ALL=C grep -qF -- "$text" "$scratch/view" || fail "the screen of a view has no $text"
done
! grep -qF 'begins/s' "$scratch/view" || fail 'the screen of a view tells of pairs'
on_terminal cone quadrille watch arena --observer 10,5 --range 3 --cone 1,0 --ascii --seconds 1
check_screen cone 0
on_terminal box quadrille watch arena --observer 10,5 --box 3,1 --seconds 1
check_screen box 0
on_terminal nobody quadrille watch arena --observer 77 --range 3 --seconds 5
check_screen nobody 1
grep -qF 'entity 77: UNKNOWN_ID' "$scratch/nobody" || fail 'an anchor that is none is not told'
# Two entities touch, and one is alone: braille cells of both colors appear.
for colour in $'\033[38;5;74m\xE2' $'\033[38;5;214m\xE2'; do
    LC_ALL=C grep -qF "$colour" "$scratch/screen" || fail 'the map lacks a colour'
done
on_terminal plain quadrille watch arena --ascii --seconds 1
check_screen plain 0
[ -z "$(LC_ALL=C grep -a $'[\x80-\xFF]' "$scratch/plain")" ] || fail '--ascii is not ASCII'

pid_of_watch="sh -c 'echo \$\$ >\"$scratch/pid\"; exec quadrille watch arena'"
for signal in INT TERM HUP QUIT key; do
    rm -f "$scratch/pid"
    background on_terminal "$signal" "$pid_of_watch"
    terminal=$!
    entered() { [ -s "$scratch/pid" ] && grep -qF 'q quits' "$scratch/$signal"; }
    until_true entered
    if [ $signal = key ]; then printf q >&8; else kill -$signal "$(cat "$scratch/pid")"; fi
    wait "$terminal" || true
    # SIGQUIT kills the program; it restores the terminal anyway.
    [ $signal = QUIT ] && check_screen QUIT 131 || check_screen "$signal" 0
done

# watch reports the end of the server on the normal screen.
rm -f "$scratch/pid"
background on_terminal died "$pid_of_watch"
terminal=$!
entered() { [ -s "$scratch/pid" ] && grep -qF 'q quits' "$scratch/died"; }
until_true entered
kill -KILL "$server_pid"
wait "$terminal" || true
wait "$server_pid" || true
server_pid=
check_screen died 1
sed "s/.*$(printf '\033')\[?1049l//" "$scratch/died" | grep '^quadrille watch: ' >/dev/null || fail 'no word of the server that died'
