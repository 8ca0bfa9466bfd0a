#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The manual pages and the completion, which the build makes from the tables of --help: each command and each option of
# --help is in the page, the page has no formatting errors, and the shells complete commands, options and values.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

manual=$QD_BUILD/manual
[ -f "$manual/quadrille.1" ] || { echo "a cross build has no manual"; exit 77; }
commands() {
    "$1" --help | sed -n '/^\(commands\|scenarios\):$/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

# Each row of --help, name and text, is in the page. The page breaks lines elsewhere, and sets names in bold.
plain() {
    sed 's/\\f[A-Z]//g; s/\\-/-/g; s/\\&//g' "$1" | tr -s ' \n' ' '
}
# Prints `--name ARGUMENT text` of each option, in one line.
rows() {
    awk '/^options:$/ { on = 1; next } /^$/ { on = 0 }
         on && /^  -/ { if (row != "") print row; row = substr($0, 3); next }
         on { row = row " " $0 }
         END { print row }' "$1" | tr -s ' ' | grep -v '^--help \|^--version '
}
absent=()
has() {
    command -v "$1" >/dev/null && return 0
    case " ${absent[*]-} " in *" $1 "*) ;; *) absent+=("$1") ;; esac
    return 1
}
contains() {
    case $text in *"$1"*) ;; *) fail "$program.1 does not contain: $1" ;; esac
}
for program in quadrille quadrille-server quadrille-bench; do
    page=$manual/$program.1
    binary=$QD_BIN/$program
    [ "$program" != quadrille-server ] || binary=$QD_SERVER
    text=$(plain "$page")
    options=0
    for command in '' $(commands "$binary"); do
        "$binary" ${command:+"$command"} --help >"$scratch/help"
        while read -r row; do
            contains ".TP ${row//\`/}"
            options=$((options + 1))
        done < <(rows "$scratch/help")
        [ -z "$command" ] || grep -qx "\.SS $command" "$page" || fail "$program.1 has no section $command"
    done
    [ "$options" -ge 18 ] || fail "$program has only $options rows in --help"
    contains 'EXIT STATUS .TP 0 success .TP 1 failure'
    if has groff; then
        groff -ww -man -z "$page" 2>"$scratch/err"
        [ ! -s "$scratch/err" ] || fail "groff warns of $page"
    fi
    if has mandoc; then
        mandoc -T lint -W error "$page" >"$scratch/out" || fail "mandoc finds errors in $page"
    fi
done

# bash: completes PROGRAM WORD... as the shell does, with the cursor after the last word.
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    "_$1"
    echo "${COMPREPLY[*]}"
}
completes() {
    local expected=$1 found
    shift
    found=$(complete_words "$@")
    [ "$found" = "$expected" ] || fail "bash completes '$*' to '$found', not '$expected'"
}
for program in quadrille quadrille-server quadrille-bench; do
    bash -n "$manual/$program.bash"
    # shellcheck disable=SC1090
    source "$manual/$program.bash"
    complete -p "$program" >/dev/null || fail "no completion is registered for $program"
done
completes 'open observe' quadrille o
completes "$(commands quadrille | xargs)" quadrille ''
completes "$(commands quadrille-bench | xargs)" quadrille-bench ''
completes '--index' quadrille open --ind
completes 'quadtree' quadrille open --index q
completes 'quadtree' quadrille open --index = q
completes 'uniform flock crowd mix' quadrille swarm --motion ''
completes 'swarm' quadrille help sw
completes '--json --server --help' quadrille rooms ''
completes '' quadrille open --hz ''
completes 'error warn info debug' quadrille-server --log-level ''
completes '--log-level --log-level-file --log-format' quadrille-server --log
completes 'none events stays' quadrille-bench load --subscribe ''
touch "$scratch/trace.csv"
completes "$scratch/trace.csv" quadrille replay "$scratch/tra"
completes "$scratch/trace.csv" quadrille-server --token-file "$scratch/tra"

# zsh: a terminal in which the tab key completes, and the next key prints the line. The editor prints when it is ready,
# and takes one key after the other, so nothing here depends on time.
if has zsh; then
    for program in quadrille quadrille-server quadrille-bench; do
        zsh -n "$manual/_$program"
    done
    cat >"$scratch/query.zsh" <<'END'
zmodload zsh/zpty
zpty tty zsh -f -i
zpty -w tty "PS1= PS2= fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
zpty -w tty "report() { print -r -- \"line <\$BUFFER>\" }; zle -N report; bindkey '^X' report"
zpty -w tty "zle-line-init() { print REA''DY }; zle -N zle-line-init"
zpty -r -m tty text '*READY*'
zpty -n -w tty "$2"$'\t\x18'
zpty -r -m tty text '*line <*>*'
print -r -- "${${text#*line <}%%>*}"
zpty -d tty
END
    for query in 'quadrille opXen ' 'quadrille open --sweXpt ' 'quadrille open --index=quadtXree ' \
        'quadrille-server --log-level deXbug ' 'quadrille-bench load --subscribe evXents '; do
        found=$(timeout 120 zsh -f "$scratch/query.zsh" "$manual" "${query%%X*}" 2>"$scratch/err") ||
            fail "zsh gives no line for '${query%%X*}': $(cat "$scratch/err")"
        [ "$found" = "${query/X/}" ] || fail "zsh completes '${query%%X*}' to '$found', not '${query/X/}'"
    done
fi

[ ${#absent[@]} -eq 0 ] || { echo "skipped: the rest passed, but not installed: ${absent[*]} (apt: groff-base mandoc zsh)"; exit 77; }
