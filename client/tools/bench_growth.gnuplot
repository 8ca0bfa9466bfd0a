# SPDX-License-Identifier: Apache-2.0
#
# Draws the data of `quadrille-bench growth --data growth.dat`:
#
#     gnuplot -e "data='growth.dat'; out='growth.svg'" client/tools/bench_growth.gnuplot
#
# The axes begin and end at the data. Two ideals stand beside them: a cost per update that stays at its least, and one
# that grows with the number of entities or rooms, as that of comparing all pairs does.
if (!exists("data")) data = "growth.dat"
if (!exists("out")) out = "growth.svg"

# Columns: rooms, entities, updates per second, and per update: user ns, system ns, ns of a memcpy.
stats data index 0 using 2:($4+$5) name "room" nooutput
stats data index 1 using 1:($4+$5) name "rooms" nooutput
stats data index 0 using 2:6 name "room_copy" nooutput
stats data index 1 using 1:6 name "rooms_copy" nooutput

set terminal svg size 900,460 font "sans-serif,12" background "white"
set output out
set multiplot layout 1,2
set logscale xy
set format x "10^{%L}"
set ylabel "ns per update"
set grid
set key outside bottom center horizontal maxcols 1 height 0.5
set linetype 1 linecolor rgb "#1f4e9c" linewidth 2 pointtype 7
set linetype 2 linecolor rgb "#3fa34d" linewidth 2 pointtype 5
set linetype 3 linecolor rgb "#808080" linewidth 2 pointtype 9
set linetype 4 linecolor rgb "#1f4e9c" linewidth 1.5 dashtype 2
set linetype 5 linecolor rgb "#c0392b" linewidth 1.5 dashtype 3

set title "one room"
set xlabel "entities"
set xrange [room_min_x:room_max_x]
set yrange [room_copy_min_y:2*room_max_y]
plot data index 0 using 2:($4+$5) with linespoints linetype 1 title "server, user and system", \
     data index 0 using 2:4 with linespoints linetype 2 title "user", \
     data index 0 using 2:6 with linespoints linetype 3 title "memcpy of a position", \
     room_min_y with lines linetype 4 title "constant, from the best point", \
     room_min_y * x / room_min_x with lines linetype 5 title "in proportion to the entities"
set title "many small rooms"
set xlabel "rooms"
set xrange [rooms_min_x:rooms_max_x]
set yrange [rooms_copy_min_y:2*rooms_max_y]
plot data index 1 using 1:($4+$5) with linespoints linetype 1 title "server, user and system", \
     data index 1 using 1:4 with linespoints linetype 2 title "user", \
     data index 1 using 1:6 with linespoints linetype 3 title "memcpy of a position", \
     rooms_min_y with lines linetype 4 title "constant, from the best point", \
     rooms_min_y * x / rooms_min_x with lines linetype 5 title "in proportion to the rooms"
unset multiplot
