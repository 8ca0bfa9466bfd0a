#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# replay: compares the events of a room, tick by tick, with two brute forces: that of --check, and an independent one
# in awk. The traces are generated here or recorded. Recorded traces are in $QD_TRACES, else in ../shared/traces next
# to the repository; without any, the output reports it.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
: "${QD_SOURCE:?the folder of the sources}"
start

# generate SHAPE SEED PARTS: prints a trace in which entities spawn, move, change their size and despawn; some ticks
# have no rows. All numbers are multiples of 1 / PARTS, so that many shapes just touch. With 16 parts, awk's doubles
# equal the server's floats. With 10, every number is rounded, and a touch depends on the last bit. Ids are on both
# sides of 2^31.
generate() {
    awk -v shape="$1" -v seed="$2" -v parts="$3" '
        function some(low, high) { return (low * parts + int(rand() * (high - low) * parts)) / parts }
        BEGIN {
            srand(seed)
            print "# hz: 25"; print "# shape: " shape; print "# made by a test"; print "# bounds: 0 0 32 32"
            print "tick,id,x,y,hx,hy"
            count = 60
            for (i = 0; i < count; i++) {
                id[i] = i % 3 == 0 ? 4294967295 - i * 1000 : i * 7
                x[i] = some(0, 32); y[i] = some(0, 32)
                hx[i] = some(0, 3); hy[i] = some(0, 3)
                here[i] = rand() < 0.7
            }
            for (tick = 17; tick < 317; tick++) {
                for (i = 0; i < count; i++) {
                    if (rand() < 0.05) here[i] = !here[i]
                    if (rand() < 0.05) hx[i] = some(0, 3)
                    if (rand() < 0.05) hy[i] = some(0, 3)
                    if (rand() < 0.8) { x[i] += some(-1, 1); y[i] += some(-1, 1) }
                    # Rarely far outside of the bounds.
                    if (rand() < 0.01) x[i] = some(-64, 96)
                    if (here[i] && tick % 50 > 2)
                        printf "%d,%.0f,%.4f,%.4f,%.4f,%.4f\n", tick, id[i], x[i], y[i], hx[i], hy[i]
                }
            }
        }'
}

# Applies brute force to a trace on the standard input.
brute_force() {
    awk -F , '
        function overlap(i, j,    dx, dy, reach) {
            dx = x[i] - x[j]; if (dx < 0) dx = -dx
            dy = y[i] - y[j]; if (dy < 0) dy = -dy
            if (!circle) return dx <= hx[i] + hx[j] && dy <= hy[i] + hy[j]
            reach = hx[i] + hx[j]
            return dx * dx + dy * dy <= reach * reach
        }
        function reason(a, b) {
            if (!(a in now) || !(b in now)) return "despawned"
            if (size[a] != old_size[a] || size[b] != old_size[b]) return "resized"
            return "moved apart"
        }
        # The rows of this tick are in n, id, x, y, hx, hy. Sorting them here puts the pairs in order.
        function finish(    i, j, k, swap, pairs, key, part) {
            delete now; delete size; delete pair; pairs = 0
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && id[j] < id[j - 1]; j--) {
                    swap = id[j]; id[j] = id[j-1]; id[j-1] = swap; swap = x[j]; x[j] = x[j-1]; x[j-1] = swap
                    swap = y[j]; y[j] = y[j-1]; y[j-1] = swap; swap = hx[j]; hx[j] = hx[j-1]; hx[j-1] = swap
                    swap = hy[j]; hy[j] = hy[j-1]; hy[j-1] = swap
                }
            for (i = 1; i <= n; i++) {
                key = sprintf("%.0f", id[i]); now[key] = 1; size[key] = circle ? hx[i] : hx[i] "x" hy[i]
            }
            for (i = 1; i <= n; i++)
                for (j = i + 1; j <= n; j++)
                    if (overlap(i, j)) { key = sprintf("%.0f,%.0f", id[i], id[j]); list[++pairs] = key; pair[key] = 1 }
            for (k = 1; k <= old_pairs; k++)
                if (!(old_list[k] in pair)) {
                    split(old_list[k], part, ",")
                    print tick ",end," old_list[k] "," reason(part[1], part[2])
                }
            for (k = 1; k <= pairs; k++)
                if (!(list[k] in old_pair)) print tick ",begin," list[k] ","
            delete old_pair; delete old_size
            for (k = 1; k <= pairs; k++) { old_list[k] = list[k]; old_pair[list[k]] = 1 }
            for (key in size) old_size[key] = size[key]
            old_pairs = pairs; n = 0
        }
        BEGIN { print "tick,kind,a,b,reason" }
        /^# shape: circle/ { circle = 1 }
        /^#/ || /^tick/ { next }
        started && $1 != tick { finish(); for (tick++; tick < $1; tick++) finish() }
        { tick = $1; started = 1; n++; id[n] = $2 + 0; x[n] = $3; y[n] = $4; hx[n] = $5; hy[n] = $6 }
        END { finish() }'
}

for shape in box circle; do
    for seed in 1 2 3; do
        trace=$scratch/$shape-$seed.csv
        generate $shape $seed 16 >"$trace"
        brute_force <"$trace" >"$scratch/brute"
        expect 0 quadrille replay "$trace" --room generated --step --check --events "$scratch/events"
        out '^300 ticks, [0-9]+ rows, [0-9]+ begins, [0-9]+ ends: OK, every tick equals brute force$'
        cmp "$scratch/brute" "$scratch/events" || fail "$shape $seed: not what awk says"
        for reason in 'despawned' 'resized' 'moved apart'; do
            grep -q ",end,.*,$reason\$" "$scratch/events" || fail "$shape $seed: no end because $reason"
        done
        # The room is closed, so another one can have its name.
        prints '^no rooms$' quadrille rooms
    done
done

for shape in box circle; do
    for seed in 4 5 6; do
        generate $shape $seed 10 | expect 0 quadrille replay - --room generated --step --check
        out ': OK, every tick equals brute force$'
    done
done

# In swept rooms, and with every index of two dimensions.
for shape in box circle; do
    for index in auto quadtree sparse hash grid brute; do
        for parts in 16 10; do
            generate $shape 7 $parts >"$scratch/swept.csv"
            expect 0 quadrille replay "$scratch/swept.csv" --room swept --step --check --swept --index $index \
                --events "$scratch/events"
            out '^300 ticks, [0-9]+ rows, [0-9]+ begins, [0-9]+ ends, [1-9][0-9]* passed: OK, every tick equals brute force$'
            grep -q ',passed,[0-9]*,[0-9]*,$' "$scratch/events" || fail "$shape $index: no line of a passed pair"
        done
    done
done

# A gzipped trace, one without bounds, one from the standard input; events on the standard output.
gzip -c "$trace" >"$scratch/trace.csv.gz"
expect 0 quadrille replay "$scratch/trace.csv.gz" --room generated --step --events -
cmp "$scratch/brute" "$scratch/out" || fail 'events of a gzipped trace'
err '^300 ticks, '
grep -v '^# bounds' "$trace" | expect 0 quadrille replay - --room generated --step --check --events "$scratch/events"
cmp "$scratch/brute" "$scratch/events" || fail 'events of a trace without bounds'

# In clock mode.
head -n 400 "$trace" >"$scratch/short.csv"
expect 0 quadrille replay "$scratch/short.csv" --room clocked --hz 200
err '^playing [0-9]+ ticks into room clocked at 200 Hz'
expect 0 quadrille replay "$scratch/short.csv" --room clocked
err '^playing [0-9]+ ticks into room clocked at 25 Hz'

# The room exists already.
export QUADRILLE_TOKEN=tester
quadrille open ready --step --bounds 0,0,32,32 >/dev/null
expect 0 quadrille replay "$trace" --room ready --step --check
quadrille open taken --step --bounds 0,0,32,32 >/dev/null
quadrille spawn taken 1 1 1 1 >/dev/null
fails 1 '^quadrille replay: room taken holds 1 entities already' quadrille replay "$trace" --room taken --step --check
fails 1 'CONFIG_MISMATCH' quadrille replay "$trace" --room taken --hz 20

# replay detects that another session disturbs the room. The trace is long enough for that.
awk 'BEGIN { print "tick,id,x,y,hx,hy"; for (t = 0; t < 400000; t++) print t ",1,0,0,1,1" }' >"$scratch/long.csv"
background quadrille replay "$scratch/long.csv" --room disturbed --step --check >"$scratch/out" 2>"$scratch/err"
replay=$!
under_way() { quadrille stats disturbed >"$scratch/stats" && grep -q '^tick  *[1-9][0-9]' "$scratch/stats"; }
until_true under_way
quadrille spawn disturbed 7 1 1 1 >/dev/null
ends_with 1 "$replay" 'a room that was disturbed'
out ': DIFFERENT at 1 of them; first at tick [0-9]+: the server reported begin of 1 and 7, brute force expects nothing more$'

# Errors of invalid traces name the line, the value and what it must be.
refuse() {
    printf "$1" >"$scratch/bad.csv"
    fails 1 "^quadrille replay: $scratch/bad\.csv: $2" quadrille replay "$scratch/bad.csv" --room bad --step
}
header='tick,id,x,y,hx,hy\n'
refuse '' 'line 0: the file ends without the header'
refuse "$header" 'line 1: the file ends without a row'
refuse '0,1,0,0,1,1\n' "line 1: '0,1,0,0,1,1': the header tick,id,x,y,hx,hy must come before the rows"
refuse "${header}0,1,0,0,1\n" 'line 2: 5 fields: a row is tick,id,x,y,hx,hy'
refuse "${header}0,1,0,0,1,1,1\n" 'line 2: 7 fields'
refuse "${header}1,1,0,0,1,1\n0,1,0,0,1,1\n" 'line 3: tick 0 after tick 1: rows must be sorted by tick'
refuse "${header}-1,1,0,0,1,1\n" "line 2: tick is '-1'"
refuse "${header}0,1.5,0,0,1,1\n" "line 2: id is '1.5'"
refuse "${header}0,1,nan,0,1,1\n" "line 2: x is 'nan'; must be a finite number"
refuse "${header}0,1,0,1e39,1,1\n" "line 2: y is '1e39'; must be a finite number"
refuse "${header}0,1,0,0,-1,1\n" "line 2: hx is '-1'; must be 0 or more"
refuse "${header}0,1,0,0,1,\n" "line 2: hy is ''; must be a finite number"
refuse "${header}0,1,0,0,1,1\n0,2,0,0,1,1\n0,1,3,3,1,1\n1,1,0,0,1,1\n" 'lines 2 to 4: tick 0 lists id 1 twice'
refuse "# shape: star\n${header}" "line 1: shape is 'star'; must be box or circle"
refuse "# bounds: 0 0 0 1\n${header}" "line 1: bounds is '0 0 0 1'; must be minx miny maxx maxy"
refuse "# hz: fast\n${header}" "line 1: hz is 'fast'"
fails 1 'none\.csv: No such file' quadrille replay "$scratch/none.csv" --room bad --step
head -c 2000 "$scratch/trace.csv.gz" >"$scratch/cut.csv.gz"
fails 1 'cut\.csv\.gz: line [0-9]+: ' quadrille replay "$scratch/cut.csv.gz" --room bad --step
expect 1 quadrille replay "$trace" --room bad --step --events "$scratch/no/such/folder"
err '^quadrille replay: --events .*: No such file'

# The trace in the repository is what its script prints, and it can be played.
rings=$QD_SOURCE/client/traces/rings.csv
"$QD_SOURCE/client/traces/make" | cmp - "$rings" || fail "client/traces/rings.csv is not what client/traces/make prints"
prints '^40 ticks, 320 rows, 16 begins, 16 ends: OK, every tick equals brute force$' \
    quadrille replay "$rings" --room rings --step --check

# Recorded traces.
traces=${QD_TRACES:-$QD_SOURCE/../shared/traces}
count=0
for trace in "$traces"/*.csv.gz "$traces"/*.csv; do
    [ -e "$trace" ] || continue
    expect 0 quadrille replay "$trace" --room recorded --step --check --events "$scratch/events"
    echo "$(basename "$trace"): $(cat "$scratch/out")"
    count=$((count + 1))
done
if [ "$count" -eq 0 ]; then
    echo "==================================================================="
    echo "SKIPPED: no recorded traces in $traces; set QD_TRACES to their folder"
    echo "==================================================================="
fi
