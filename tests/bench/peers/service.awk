# SPDX-License-Identifier: Apache-2.0
#
# Prints the lines of bench_client_service as the table of tests/bench/service or as JSON: medians over the rounds. Exit
# status 1: a system failed, or the systems saw different worlds.
BEGIN {
    FS = "\t"
    label["quadrille"] = "Quadrille"
    label["redis-points"] = "Redis, one search per point"
    label["redis-circles"] = "Redis, one search per circle"
    label["websocket"] = "a grid on Node, ws"
}

{
    row = $1 SUBSEP $2
    if (!(row in known)) { known[row]; order[++rows] = row }
    if (NF < 9) { bad[row] = "FAILED"; next }
    runs[row]++
    for (field = 3; field <= 7; field++) value[row, field, runs[row]] = $field
    # Each was compared with brute force; equal digests mean that it was the same world.
    if (!($1 in digest)) digest[$1] = $8
    if (digest[$1] != $8) bad[row] = "WRONG"
}

function median(row, field,    n, i, j, sorted, held) {
    n = runs[row]
    for (i = 1; i <= n; i++) {
        held = value[row, field, i] + 0
        for (j = i; j > 1 && sorted[j - 1] > held; j--) sorted[j] = sorted[j - 1]
        sorted[j] = held
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function digits(number) {
    return sprintf(number < 1 ? "%.3f" : number < 10 ? "%.2f" : number < 100 ? "%.1f" : "%.0f", number)
}

# The ratio to `base` in parentheses; nothing for Quadrille itself.
function times(number, base, is_base) {
    return is_base || base == 0 ? "" : " (" sprintf(number / base < 10 ? "%.1f" : "%.0f", number / base) ")"
}

function print_row(row,    part, base, own, rate, cpu, one, late) {
    split(row, part, SUBSEP)
    if (row in bad) {
        print "| " part[1] " | " label[part[2]] " | " bad[row] " | | | | |"
        return
    }
    base = part[1] SUBSEP "quadrille"
    own = row == base || !(base in runs)
    rate = median(row, 3); cpu = median(row, 4); one = median(row, 6); late = median(row, 7)
    printf "| %s | %s | %s%s | %s%s | %.0f %% | %s%s | %s%s |\n", part[1], label[part[2]], digits(rate / 1e6), \
        own ? "" : times(median(base, 3), rate), digits(cpu), times(cpu, own ? 0 : median(base, 4), own), \
        100 * median(row, 5), digits(one / 1e3), times(one, own ? 0 : median(base, 6), own), digits(late / 1e3), \
        times(late, own ? 0 : median(base, 7), own)
}

function print_table(    i) {
    print "| world | system | million updates/s | server's CPU, ns per update | server core busy | ms per step, median | 99 % |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= rows; i++) print_row(order[i])
    gsub(/;/, ", ", versions)
    print "\nIn parentheses: how many times worse than Quadrille."
    print machine ", " all " cores; driver and server pinned to cores " cores ", load " load " at the start; " \
        date ", medians of " rounds " rounds of twice " seconds " s" (pace == "full" ? "" : "; " pace)
    print versions
    if (missing != "") { gsub(/;/, "\n    ", missing); print "\nNOT MEASURED:\n    " missing }
    print count ? "\nWRONG or FAILED above: " count : "\nAll answers were equal to brute force."
}

function print_json(    i, row, part, line) {
    printf "{\"date\":%s,\"machine\":%s,\"cores\":%d,\"pinned\":%s,\"load\":%s,\"pace\":%s,\"rounds\":%d,\"seconds\":%s,", \
        quoted(date), quoted(machine), all, quoted(cores), load, quoted(pace), rounds, seconds
    printf "\"versions\":%s,\"missing\":%s,\"ok\":%s,\"results\":[", list(versions), list(missing), count ? "false" : "true"
    for (i = 1; i <= rows; i++) {
        row = order[i]
        split(row, part, SUBSEP)
        line = "{\"world\":" quoted(part[1]) ",\"system\":" quoted(part[2]) ",\"state\":" \
            quoted(row in bad ? tolower(bad[row]) : "right")
        if (!(row in bad)) {
            line = line sprintf(",\"updates_per_s\":%.0f,\"cpu_ns\":%.2f,\"busy\":%.3f,\"step_us_p50\":%.1f,\"step_us_p99\":%.1f", \
                median(row, 3), median(row, 4), median(row, 5), median(row, 6), median(row, 7))
        }
        printf "%s%s}", (i > 1 ? "," : ""), line
    }
    print "]}"
}

END {
    for (row in bad) count++
    if (json != "") print_json()
    else print_table()
    exit (count > 0)
}
