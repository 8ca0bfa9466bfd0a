#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dashboard, the alerts and how docker/compose.yml connects them.

--static        the dashboard's JSON, the services, and that server/OPERATIONS.md has a section for each alert
--server URL    the queries of all panels and alerts by a Prometheus that scrapes a server under load
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

SOURCE = pathlib.Path(os.environ["QD_SOURCE"])
DASHBOARD = json.loads((SOURCE / "docker/grafana/quadrille.json").read_text())
RULES = yaml.safe_load((SOURCE / "docker/prometheus/alerts.yml").read_text())["groups"][0]["rules"]
# Units that Grafana knows, as far as the dashboard uses them.
UNITS = {"short", "s", "bytes", "Bps", "ops", "percentunit"}
SECONDS_MAX = 60


def queries():
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


# ---- without a server ----

def check_dashboard():
    source = yaml.safe_load((SOURCE / "docker/grafana/datasource.yml").read_text())["datasources"][0]
    wanted = {"type": source["type"], "uid": source["uid"]}
    names = {variable["name"] for variable in DASHBOARD["templating"]["list"]} | {"__rate_interval"}
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len({panel["title"] for panel in panels}) == len(panels)
    for panel in panels:
        title = panel["title"]
        assert panel["type"] in ("stat", "timeseries") and panel["description"], title
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, title
        assert panel["targets"] and len({t["refId"] for t in panel["targets"]}) == len(panel["targets"]), title
        for part in [panel, *panel["targets"]]:
            assert part["datasource"] == wanted, f"{title}: the data source is not that of datasource.yml"
        for target in panel["targets"]:
            unknown = set(re.findall(r"\$(\w+)", target["expr"])) - names
            assert not unknown, f"{title}: unknown variables {unknown}"
            assert 'instance=~"$instance"' in target["expr"], f"{title}: not for the chosen server"
    places = [(panel["title"], *(panel["gridPos"][key] for key in "xywh")) for panel in panels]
    for title, x, _, w, _ in places:
        assert x >= 0 and x + w <= 24, f"{title}: outside of the grid"
    for (one, x, y, w, h), (two, u, v, s, t) in itertools.combinations(places, 2):
        assert x + w <= u or u + s <= x or y + h <= v or v + t <= y, f"{one} overlaps {two}"


def check_alerts():
    guide = (SOURCE / "server/OPERATIONS.md").read_text()
    alerts = [rule["alert"] for rule in RULES]
    sections = re.findall(r"^### (Quadrille\w+)$", guide, re.M)
    assert sorted(sections) == sorted(alerts), f"alerts without a section, or the reverse: {set(sections) ^ set(alerts)}"
    for section in re.split(r"^### ", guide, flags=re.M)[1:]:
        if section.startswith("Quadrille"):
            assert "\n**Do:** " in section, f"{section.split()[0]}: no action"
    tested = (SOURCE / "tests/docker/alerts_test.yml").read_text()
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning") and rule["annotations"]["summary"], rule
        assert tested.count(f"alertname: {rule['alert']}\n") >= 2, f"{rule['alert']}: must fire and not fire in a test"


def check_services():
    services = yaml.safe_load((SOURCE / "docker/compose.yml").read_text())["services"]
    scrape, = yaml.safe_load((SOURCE / "docker/prometheus/prometheus.yml").read_text())["scrape_configs"]
    source, = yaml.safe_load((SOURCE / "docker/grafana/datasource.yml").read_text())["datasources"]
    host, port = scrape["static_configs"][0]["targets"][0].split(":")
    assert services[host]["environment"]["QUADRILLE_ADMIN"] == f"0.0.0.0:{port}"
    address = urllib.parse.urlparse(source["url"])
    assert services[address.hostname]["ports"] == [f"127.0.0.1:{address.port}:{address.port}"]
    user = re.search(r"^USER (.*)$", (SOURCE / "docker/Dockerfile").read_text(), re.M)[1]
    assert services["prometheus"]["user"] == user, "Prometheus cannot read the token"
    token = scrape["authorization"]["credentials_file"]
    assert f"state:{os.path.dirname(token)}:ro" in services["prometheus"]["volumes"]
    options = (SOURCE / "docker/quadrille.conf").read_text()
    assert f"\ntoken-file = {token}\n" in options and f"\nadmin-token-file = {token}\n" in options
    for name, service in services.items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", [])), name
        for mount in service.get("volumes", []):
            path = mount.split(":")[0]
            assert not path.startswith(".") or (SOURCE / "docker" / path).exists(), f"{name}: {path} is missing"


# ---- with a server ----

def ask(server, path, **arguments):
    try:
        with urllib.request.urlopen(f"{server}{path}?{urllib.parse.urlencode(arguments)}", timeout=10) as answer:
            return json.load(answer)["data"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{path}: {error.read().decode()}") from error


def check_queries(server):
    open_queries = list(queries()) + [("the list of servers", "quadrille_uptime_seconds")]
    total, end = len(open_queries), time.monotonic() + SECONDS_MAX
    while open_queries and time.monotonic() < end:
        left = []
        for title, expression in open_queries:
            filled = expression.replace("$instance", ".*").replace("$__rate_interval", "10s")
            values = [row["value"][1] for row in ask(server, "/api/v1/query", query=filled)["result"]]
            if not values or "NaN" in values:
                left.append((title, expression))
        open_queries = left
        time.sleep(1)
    assert not open_queries, f"no data within {SECONDS_MAX} s: {open_queries}"
    # An expression that selects nothing may have a wrong name. Without its comparison it must have a value.
    for rule in RULES:
        value = re.sub(r"\s+(==|<|>)\s+[\d.]+$", "", rule["expr"])
        assert value != rule["expr"], f"{rule['alert']}: no comparison at the end"
        assert ask(server, "/api/v1/query", query=value)["result"], f"{rule['alert']}: no data for {value}"
    groups = ask(server, "/api/v1/rules")["groups"]
    assert [rule["health"] for group in groups for rule in group["rules"]] == ["ok"] * len(RULES), groups
    firing = {alert["labels"]["alertname"] for alert in ask(server, "/api/v1/alerts")["alerts"]}
    assert "QuadrilleRestarted" in firing, f"the server has just started, but these alerts fire: {firing}"
    print(f"{total} queries of {len(DASHBOARD['panels'])} panels and {len(RULES)} alerts have data")


parser = argparse.ArgumentParser()
parser.add_argument("--static", action="store_true")
parser.add_argument("--server")
given = parser.parse_args()
if given.static:
    check_dashboard()
    check_alerts()
    check_services()
else:
    check_queries(given.server)
