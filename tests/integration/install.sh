#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs to a new prefix. Then builds the examples by the line in their first comment, and runs one with pkg-config,
# shared and static, and with CMake's find_package. Both libraries export only what the headers declare, and protoc
# generates code for other languages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"

cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$QD_BUILD/CMakeCache.txt"
}
compiler=$(cached CMAKE_C_COMPILER)
case $(cached QD_SANITIZE) in
address) flags="-fsanitize=address,undefined" ;;
thread) flags="-fsanitize=thread" ;;
*) flags="" ;;
esac

prefix=$scratch/prefix
cmake --install "$QD_BUILD" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; fail "cmake --install failed"; }
for file in include/quadrille/{quadrille,quadrille-version,quadrille-views,quadrille-session,messages,messages_base,messages_views,quadrille-uv}.h \
    share/quadrille/{quadrille.proto,SPEC.md,README.md} bin/quadrille-server etc/quadrille/quadrille.conf \
    share/man/man1/quadrille{,-server,-bench}.1 share/bash-completion/completions/quadrille{,-server,-bench} \
    share/zsh/site-functions/_quadrille{,-server,-bench}; do
    [ -f "$prefix/$file" ] || fail "$file is not installed"
done
# What the operator has changed stays.
echo 'workers = 1' >"$prefix/etc/quadrille/quadrille.conf"
cmake --install "$QD_BUILD" --prefix "$prefix" >"$scratch/log" || { cat "$scratch/log"; fail "cmake --install failed"; }
[ "$(cat "$prefix/etc/quadrille/quadrille.conf")" = 'workers = 1' ] || fail "a changed quadrille.conf is overwritten"
pkgconfig=$(dirname "$(find "$prefix" -name quadrille.pc)")
library=${pkgconfig%/pkgconfig}

echo "== exported symbols"
# Each library exports exactly what the headers declare. The static one has no global symbols besides these, either.
grep -hv "^#" "$prefix"/include/quadrille/*.h | tr '\n' ' ' | grep -o 'QD_API [^;()]*(' | sed 's/($//; s/.*[ *]//' |
    sort >"$scratch/declared"
nm -D --defined-only "$library/libquadrille.so" >"$scratch/libquadrille.so"
nm -g --defined-only "$library/libquadrille.a" >"$scratch/libquadrille.a"
for name in libquadrille.so libquadrille.a; do
    awk 'NF == 3 && $3 !~ /^__(asan|tsan|ubsan|odr_asan)/ { print $3 }' "$scratch/$name" | sort |
        diff "$scratch/declared" - || fail "$name: declared (<) and exported (>) differ"
done

echo "== version"
version=$(cached CMAKE_PROJECT_VERSION)
soname=libquadrille.so.$(case $version in 0.*) echo "${version%.*}" ;; *) echo "${version%%.*}" ;; esac)
readelf -d "$library/libquadrille.so" | grep "SONAME.*\[$soname\]" >/dev/null || fail "the SONAME is not $soname"
cat >"$scratch/version.c" <<'END'
#include <quadrille/quadrille.h>
#include <stdio.h>

#if QD_VERSION < QD_VERSION_NUMBER(QD_VERSION_MAJOR, QD_VERSION_MINOR, QD_VERSION_PATCH) || QD_VERSION <= 0
#error "QD_VERSION is not the number of its parts"
#endif

int main(void)
{
    printf("%d.%d.%d %s %s\n", QD_VERSION_MAJOR, QD_VERSION_MINOR, QD_VERSION_PATCH, QD_VERSION_TEXT, qd_version());
    return 0;
}
END

echo "== other languages"
mkdir "$scratch/generated"
for language in cpp csharp java objc php python ruby; do
    protoc "--${language}_out=$scratch/generated" -I "$prefix/share/quadrille" quadrille.proto 2>"$scratch/log" ||
        { cat "$scratch/log"; fail "protoc --${language}_out failed"; }
    [ ! -s "$scratch/log" ] || { cat "$scratch/log"; fail "protoc --${language}_out warns"; }
done

# The generated code is in the package of the .proto. protoc-gen-go needs a go_package.
[ -f "$scratch/generated/quadrille/v1/ClientFrame.java" ] || fail "Java's classes are not in quadrille.v1"
grep -q '^namespace Quadrille.V1 ' "$scratch/generated/Quadrille.cs" || fail "C#'s classes are not in Quadrille.V1"
protoc -I "$prefix/share/quadrille" -o "$scratch/descriptors" quadrille.proto
protoc --decode=google.protobuf.FileDescriptorSet google/protobuf/descriptor.proto <"$scratch/descriptors" |
    grep -q 'go_package: "quadrille/v1;quadrillev1"' || fail "there is no go_package"

start_server
host=${address%:*} port=${address##*:}

run() {
    echo "== $1"
    # An example leaves nothing in the server, so each can run after the others.
    LD_LIBRARY_PATH=$library timeout 60 "$@" >"$scratch/printed" || fail "$1 failed"
    grep -q '1 begin\|touch' "$scratch/printed" || fail "$1 saw no begin"
}

# compile SOURCE PROGRAM PKG-CONFIG-ARGUMENT...: pkg-config escapes a space in a path, so a shell must read its output.
compile() {
    local source=$1 program=$2
    shift 2
    eval "\"\$compiler\" $flags \"\$source\" $(pkg-config --cflags --libs "$@") -o \"\$program\""
}

export PKG_CONFIG_PATH=$pkgconfig
compile "$scratch/version.c" "$scratch/version" quadrille
printed=$(LD_LIBRARY_PATH=$library "$scratch/version")
[ "$printed" = "$version $version $version" ] || fail "of version $version the library and its headers say: $printed"

mkdir "$scratch/examples"
cp "$QD_SOURCE"/client/examples/*.c "$scratch/examples"
for source in "$scratch"/examples/*.c; do
    name=$(basename "$source" .c)
    line=$(sed -n '1,/\*\//s/^ \*     \(cc .*\) && .*/\1/p' "$source")
    echo "== $line"
    [ -n "$line" ] || fail "the first comment of $name.c has no line that compiles it and runs it"
    (cd "$scratch/examples" && eval "cc() { \"\$compiler\" $flags -Wall -Wextra -Wpedantic -Werror \"\$@\"; }; $line") ||
        fail "$name.c does not compile"
    [ -x "$scratch/examples/$name" ] || fail "the line in $name.c does not make the program $name"
done
run "$scratch/examples/hello" "$address"
run "$scratch/examples/uv_watch" "$host" "$port"

# The same in another place, without the shared library.
cp -R "$prefix" "$scratch/moved"
PKG_CONFIG_PATH=$scratch/moved/${pkgconfig#"$prefix"/}
rm "$scratch/moved/${library#"$prefix"/}"/libquadrille.so*
compile "$QD_SOURCE/client/examples/hello.c" "$scratch/static" --static quadrille
run "$scratch/static" "$address"
if ldd "$scratch/static" | grep libquadrille; then fail "the static program needs the shared library"; fi

mkdir "$scratch/project"
cat >"$scratch/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(quadrille $(sed -n 's/^Version: //p' "$pkgconfig/quadrille.pc") REQUIRED)
foreach(library quadrille static)
    add_executable(with_\${library} "$QD_SOURCE/client/examples/hello.c")
    target_link_libraries(with_\${library} PRIVATE quadrille::\${library})
endforeach()
END
cmake -S "$scratch/project" -B "$scratch/project/build" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$flags" \
    -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "find_package failed"; }
cmake --build "$scratch/project/build" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "the project does not build"; }
run "$scratch/project/build/with_quadrille" "$address"
run "$scratch/project/build/with_static" "$address"
stop_server
