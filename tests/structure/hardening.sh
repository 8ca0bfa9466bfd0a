#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
#     hardening.sh BUILD     checks that the programs and the library of a release build are hardened (SECURITY.md)
set -euo pipefail

cd "$1"
failed=0
wrong() { echo "$*"; failed=1; }

# has FILE WHAT PATTERN READELF-OPTION...: a line of readelf's output matches.
has() {
    readelf -W "${@:4}" "$1" | grep -E -- "$3" > /dev/null || wrong "$1: $2 is missing"
}

programs=(server/quadrille-server client/quadrille client/quadrille-bench)
for file in "${programs[@]}" client/libquadrille.so; do
    [ -f "$file" ] || { wrong "$file does not exist"; continue; }
    has "$file" 'position-independent code' 'Type: +DYN' -h
    has "$file" 'RELRO' 'GNU_RELRO' -l
    has "$file" 'BIND_NOW' '\((FLAGS|BIND_NOW)\).*BIND_NOW|Flags:.* NOW' -d
    has "$file" 'a stack without execution' 'GNU_STACK.* RW +0x' -l
    has "$file" 'the stack protector' ' __stack_chk_fail' --dyn-syms
    has "$file" '_FORTIFY_SOURCE' ' __[a-z]+_chk' --dyn-syms
    ! readelf -d "$file" | grep TEXTREL > /dev/null || wrong "$file: has relocations in its code"
    ! readelf -lW "$file" | grep -E "^ +LOAD.* RWE " > /dev/null || wrong "$file: has memory that is writable and executable"
done
for file in "${programs[@]}"; do
    has "$file" 'PIE' 'FLAGS_1.* PIE' -d
done

# A program is marked only if the startup files of the C library are, too; our objects always are.
case $(uname -m) in
    x86_64) marks='IBT, SHSTK' ;;
    aarch64) marks='BTI, PAC' ;;
    *) marks= ;;
esac
if [ -n "$marks" ]; then
    mapfile -t objects < <(find server client/CMakeFiles client/tools -name '*.o')
    [ ${#objects[@]} -gt 100 ] || wrong "only ${#objects[@]} object files"
    for object in "${objects[@]}"; do
        readelf -n "$object" | grep "$marks" > /dev/null || wrong "$object: is not built for $marks"
    done
fi
exit "$failed"
