# SPDX-License-Identifier: Apache-2.0
#
# Parts of JSON, for table.awk and service.awk.

function quoted(value) {
    gsub(/["\\]/, "\\\\&", value)
    return "\"" value "\""
}

function list(values,    parts, count, i, line) {
    count = split(values, parts, ";")
    for (i = 1; i <= count; i++) line = line (i > 1 ? "," : "") quoted(parts[i])
    return "[" line "]"
}
