# SPDX-License-Identifier: Apache-2.0
#
# Draws the CSV of bench_client_churn; tests/bench/churn calls it:
#
#     gnuplot -e "data='churn.csv'; out='churn.svg'; warm_up=600" tests/bench/churn.gnuplot
set datafile separator ","
stats data using 1 skip 1 name "second" nooutput
step = second_max > 600 ? int(second_max / 600) : 1
set terminal svg size 900,460 font "sans-serif,12" background "white"
set output out
set multiplot layout 2,1
set grid
set key outside right width -4
set xrange [0:second_max/60]
set yrange [0:*]
set lmargin 10
set linetype 1 linecolor rgb "#1f4e9c" linewidth 1
set linetype 2 linecolor rgb "#3fa34d" linewidth 1
set linetype 3 linecolor rgb "#c0392b" linewidth 1
set arrow from first warm_up/60.0, graph 0 to first warm_up/60.0, graph 1 nohead dashtype 3
set ylabel "MiB"
plot data using ($1/60):($2/1048576) skip 1 every step with lines linetype 1 title "resident memory"
set ylabel "number"
set xlabel "minutes; the dotted line ends the warm-up"
plot data using ($1/60):5 skip 1 every step with lines linetype 2 title "rooms", \
     data using ($1/60):3 skip 1 every step with lines linetype 1 title "descriptors", \
     data using ($1/60):($3-$4) skip 1 every step with lines linetype 3 title "without clients"
unset multiplot
