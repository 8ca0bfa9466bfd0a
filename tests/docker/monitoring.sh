#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What docker/ has for Prometheus and Grafana: the alerts by promtool, and the queries of all panels and alerts by
# Prometheus, which scrapes a real server under load with the files of docker/compose.yml.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/tools.sh"
command -v prometheus >/dev/null && command -v promtool >/dev/null ||
    { echo 'skipped: prometheus is missing (apt-get install prometheus)'; exit 77; }
python3 -c 'import yaml' 2>/dev/null || { echo 'skipped: python3-yaml is missing (apt-get install python3-yaml)'; exit 77; }
here=$QD_SOURCE/tests/docker

promtool check rules "$QD_SOURCE/docker/prometheus/alerts.yml" || fail 'promtool check rules'
promtool test rules "$here/alerts_test.yml" || fail 'promtool test rules'
python3 "$here/dashboard.py" --static || fail 'the dashboard, the services or the operations guide'

# The server, its token and Prometheus as in docker/compose.yml, with other paths and ports.
quadrille token --own >"$scratch/none"
state=$XDG_STATE_HOME/quadrille
sed "s|/var/lib/quadrille|$state|" "$QD_SOURCE/docker/quadrille.conf" >"$scratch/quadrille.conf"
start --admin 127.0.0.1:0 --config "$scratch/quadrille.conf"
read -r -t 30 line <&9 || fail 'the server does not name the port of its admin server'
mkdir "$scratch/prometheus"
cp "$QD_SOURCE/docker/prometheus/"*.yml "$scratch/prometheus"
sed -i "s|/var/lib/quadrille|$state|; s|server:7401|127.0.0.1:${line##* }|; s|_interval: 5s|_interval: 1s|" \
    "$scratch/prometheus/prometheus.yml"
promtool check config "$scratch/prometheus/prometheus.yml" || fail 'promtool check config'

background quadrille swarm --rooms 3 --entities 200 2>"$scratch/err" >"$scratch/out"
background prometheus --config.file="$scratch/prometheus/prometheus.yml" --storage.tsdb.path="$scratch/data" \
    --web.listen-address=127.0.0.1:0 2>"$scratch/log" >"$scratch/none"
prometheus=$!
listens() { grep -q 'msg="Listening on"' "$scratch/log"; }
until_true listens
address=$(sed -n 's/.*msg="Listening on" address=\([^ ]*\).*/\1/p' "$scratch/log" | sed -n 1p)
# Refusals, so that there is something to show.
refuse() { while ! quadrille open bad --hz 0 && ! quadrille spawn no-such-room 1 1 1 1; do sleep 0.3; done; }
background refuse >"$scratch/none" 2>&1
python3 "$here/dashboard.py" --server "http://$address" || { tail -5 "$scratch/log"; fail 'queries without data'; }
kill "$prometheus"
ends_with 0 "$prometheus" prometheus
