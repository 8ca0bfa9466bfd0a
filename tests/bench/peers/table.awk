# SPDX-License-Identifier: Apache-2.0
#
# Compares the pairs that the peers found, and prints their lines (peer.h) as a table or as JSON. Exit status 1: a peer
# failed or found other pairs.
BEGIN { FS = "\t" }

{
    name = $1; workload = $2
    if (!(name in is_row)) { is_row[name]; row[++rows] = name }
    if (!(workload in is_column)) { is_column[workload]; column[++columns] = workload }
    cell = name SUBSEP workload
    if ($4 == "skipped" || length($6) < 16) {
        state[cell] = $4 == "skipped" ? $4 : "failed"
        next
    }
    state[cell] = "right"
    ns[cell] = $4 / $3
    ticks[cell] = $5
    found[cell] = $6
    note[cell] = $7
    # The reference is brute force, else the plain grid, else the first peer.
    rank = name == "brute force" ? 2 : name == "plain grid" ? 1 : 0
    if (!(workload in expected) || rank > expected_rank[workload]) {
        expected[workload] = found[cell]
        expected_rank[workload] = rank
    }
}

# Compares the digests of the ticks that both finished.
function same(one, other,    shorter) {
    shorter = length(one) < length(other) ? length(one) : length(other)
    return substr(one, 1, shorter) == substr(other, 1, shorter)
}

function digits(value) {
    return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}

function ratio(value) {
    return sprintf(value < 10 ? "%.1f" : "%.0f", value)
}

# The text of a cell: ns, and the ratio to Quadrille.
function text(name, workload,    cell, own) {
    cell = name SUBSEP workload
    own = base SUBSEP workload
    if (!(cell in state) || state[cell] == "skipped") return ""
    if (state[cell] != "right") return toupper(state[cell])
    if (name == base || state[own] != "right") return digits(ns[cell])
    return digits(ns[cell]) " (" ratio(ns[cell] / ns[own]) ")"
}

function print_table(    r, c, line) {
    line = "| " dimensions " dimensions: ns per entity and tick (times " base ") |"
    for (c = 1; c <= columns; c++) line = line " " column[c] " |"
    print line
    gsub(/[^|]+/, "---", line)
    print line
    for (r = 1; r <= rows; r++) {
        line = "| " row[r] " |"
        for (c = 1; c <= columns; c++) line = line " " text(row[r], column[c]) " |"
        print line
    }
    gsub(/;/, ", ", versions)
    print "\n" machine ", " cores " cores, pinned to core " core ", load " load " at the start; " date \
        (pace == "full" ? "" : "; " pace ": few ticks")
    print versions
    if (missing != "") { gsub(/;/, "\n    ", missing); print "\nNOT MEASURED:\n    " missing }
    print bad ? "\nWRONG or FAILED above: " bad : "\nAll found the same pairs at every tick."
}

function print_json(    r, c, cell, line) {
    printf "{\"dimensions\":%d,", dimensions
    printf "\"date\":%s,\"machine\":%s,\"cores\":%d,\"core\":%s,\"load\":%s,\"pace\":%s,\"versions\":%s,\"missing\":%s,", \
        quoted(date), quoted(machine), cores, quoted(core), load, quoted(pace), list(versions), list(missing)
    printf "\"ok\":%s,\"results\":[", bad ? "false" : "true"
    for (r = 1; r <= rows; r++) {
        for (c = 1; c <= columns; c++) {
            cell = row[r] SUBSEP column[c]
            if (!(cell in state)) continue
            line = "{\"name\":" quoted(row[r]) ",\"workload\":" quoted(column[c]) ",\"state\":" quoted(state[cell])
            if (cell in ns) {
                line = line sprintf(",\"ns\":%.3f,\"ticks\":%d,\"setting\":%s", ns[cell], ticks[cell], quoted(note[cell]))
            }
            printf "%s%s}", (seen++ ? "," : ""), line
        }
    }
    print "]}"
}

END {
    for (cell in state) {
        split(cell, part, SUBSEP)
        if (state[cell] == "right" && !same(found[cell], expected[part[2]])) state[cell] = "wrong"
        if (state[cell] == "wrong" || state[cell] == "failed") bad++
    }
    if (json != "") print_json()
    else print_table()
    exit (bad > 0)
}
