# SPDX-License-Identifier: Apache-2.0
#
# Draws the data of `quadrille-bench growth --data growth.dat`:
#
#     gnuplot -e "data='growth.dat'; out='growth.svg'" client/tools/bench_growth.gnuplot
if (!exists("data")) data = "growth.dat"
if (!exists("out")) out = "growth.svg"

set terminal svg size 900,400 font "sans-serif,12" background "white"
set output out
set multiplot layout 1,2
set logscale xy
set format x "10^{%L}"
set ylabel "ns per update"
set grid
set key top left
# Columns: rooms, entities, updates per second, and per update: user ns, system ns, ns of a memcpy.
set yrange [0.3:*]
set title "one room"
set xlabel "entities"
plot data index 0 using 2:($4+$5) with linespoints title "server, user and system", \
     data index 0 using 2:4 with linespoints title "user", \
     data index 0 using 2:6 with linespoints title "memcpy of a position"
set title "many small rooms"
set xlabel "rooms"
plot data index 1 using 1:($4+$5) with linespoints title "server, user and system", \
     data index 1 using 1:4 with linespoints title "user", \
     data index 1 using 1:6 with linespoints title "memcpy of a position"
unset multiplot
