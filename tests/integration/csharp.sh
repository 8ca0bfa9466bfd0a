#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The example in C# cannot be built here, for lack of its packages. The names that it uses are those of the code that
# protoc generates.
set -euo pipefail
if ! command -v protoc > /dev/null; then
    echo "skipped: protoc is not installed (apt: protobuf-compiler)"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "$*"
    exit 1
}

# What the language and its library bring.
known='Add BufferedStream Clear Client Connect Connection Console Count Dispose Environment Flush Fold Generic 
GetEnvironmentVariable GetStream Google HashSet IDisposable IO InvalidOperationException Join Length Main Ms AnswerMs
NoDelay Pairs ParseDelimitedFrom Parser Program Protobuf ReadTimeout Remove Send Ask Sockets Split Stream System
TcpClient WriteDelimitedTo WriteLine Net Collections Quadrille V1 Parse'

protoc --csharp_out="$scratch" --proto_path="$QD_SOURCE/proto" quadrille.proto || fail "protoc generates no C#"
names=$(sed -e 's://.*::' -e 's/"[^"{]*"//g' -e 's/\$"[^"]*"//g' "$QD_SOURCE/client/csharp/Hello.cs" | grep -oE '\b[A-Z][A-Za-z0-9]+' | sort -u)
count=0
for name in $names; do
    case " $(echo $known) " in *" $name "*) continue ;; esac
    grep -qE "(class|enum) $name\b|public [^(=]*\b$name( \{|;|$)|^ +(\[.*\] )?$name = [0-9]+,|^ +\[.*\] $name = " "$scratch/Quadrille.cs" ||
        fail "Hello.cs uses '$name', which is not in the generated code"
    count=$((count + 1))
done
[ "$count" -ge 30 ] || fail "only $count names of Hello.cs are compared"
