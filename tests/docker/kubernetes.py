#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks docker/kubernetes.yml against the image and a real server: kubernetes.py SERVER SCRATCH.

No API server is at hand. So this compares the parts of the manifest that must agree, and lets the server start with the
manifest's environment, secret and memory limit, and answer its probes.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import urllib.request

import yaml

SOURCE = pathlib.Path(os.environ["QD_SOURCE"])
server, scratch = sys.argv[1], pathlib.Path(sys.argv[2])
DOCKERFILE = (SOURCE / "docker/Dockerfile").read_text()
VERSION = re.search(r"^project\(quadrille VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
SIZES = {"Mi": 1 << 20, "Gi": 1 << 30}

objects = {each["kind"]: each for each in yaml.safe_load_all((SOURCE / "docker/kubernetes.yml").read_text())}
assert {kind: each["apiVersion"] for kind, each in objects.items()} == {
    "Service": "v1", "PodDisruptionBudget": "policy/v1", "StatefulSet": "apps/v1"}
service, budget, servers = (objects[kind]["spec"] for kind in ["Service", "PodDisruptionBudget", "StatefulSet"])
pod = servers["template"]["spec"]
container, = pod["containers"]

# ---- names and labels ----

labels = servers["template"]["metadata"]["labels"]
for selector in [service["selector"], budget["selector"]["matchLabels"], servers["selector"]["matchLabels"],
                 pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]]:
    assert selector == labels, selector
assert servers["serviceName"] == objects["Service"]["metadata"]["name"] and service["clusterIP"] == "None"
assert 0 < budget["maxUnavailable"] < servers["replicas"]
assert container["image"] == f"quadrille:{VERSION}", container["image"]

# ---- ports ----

image = dict(re.findall(r"\b(QUADRILLE_\w+)=(\S+)", re.search(r"^ENV (.*?[^\\])$", DOCKERFILE, re.M | re.S)[1]))
given = {each["name"]: each["value"] for each in container["env"]}
environment = image | given
ports = {each["name"]: each["containerPort"] for each in container["ports"]}
assert environment["QUADRILLE_LISTEN"] == f"0.0.0.0:{ports['clients']}"
assert environment["QUADRILLE_ADMIN"] == f"0.0.0.0:{ports['admin']}"
for each in service["ports"]:
    assert each["port"] == ports[each["targetPort"]] and each["name"] == each["targetPort"], each
assert set(re.search(r"^EXPOSE (.*)$", DOCKERFILE, re.M)[1].split()) == {str(port) for port in ports.values()}

# ---- rights ----

user, group = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.M).groups()
context = pod["securityContext"]
assert context["runAsNonRoot"] and (context["runAsUser"], context["runAsGroup"]) == (int(user), int(group))
assert context["seccompProfile"] == {"type": "RuntimeDefault"}
assert container["securityContext"] == {
    "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
volume, = pod["volumes"]
mount, = container["volumeMounts"]
assert volume["name"] == mount["name"] and mount["readOnly"]
assert volume["secret"]["defaultMode"] == 0o440 and context["fsGroup"] == int(group)

# ---- times and resources ----

assert pod["terminationGracePeriodSeconds"] > int(given["QUADRILLE_DRAIN_SECONDS"])
resources = container["resources"]
assert resources["requests"]["memory"] == resources["limits"]["memory"] and "cpu" not in resources["limits"]
assert int(given["QUADRILLE_WORKERS"]) == int(resources["requests"]["cpu"])
memory = int(resources["limits"]["memory"][:-2]) * SIZES[resources["limits"]["memory"][-2:]]

# ---- a real server ----

# The secret that the comment at the top creates. Another user owns its files, and the group of the server may read them.
# Only root can set that up.
secret = scratch / "secret"
secret.mkdir()
commands = "".join(re.findall(r"^#   (umask .*)$", (SOURCE / "docker/kubernetes.yml").read_text(), re.M))
subprocess.run(["bash", "-ec", commands], cwd=secret, check=True)
for path in secret.iterdir():
    if os.geteuid() == 0:
        path.chmod(volume["secret"]["defaultMode"])
        os.chown(path, int(user), os.getegid())
environment = {name: value.replace(mount["mountPath"], str(secret)) for name, value in environment.items()}
environment.pop("QUADRILLE_CONFIG")
environment["QUADRILLE_MEMORY_MAX"] = str(memory * 8 // 10)


def run(*options, **settings):
    return subprocess.Popen([server, *options], env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **settings)


checked = run("--check-config")
out, err = checked.communicate(timeout=60)
assert checked.returncode == 0, err
started = run("--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")
started.stdout.readline()
address = "http://127.0.0.1:" + started.stdout.readline().split()[-1]
for name in ["startupProbe", "livenessProbe", "readinessProbe"]:
    get = container[name]["httpGet"]
    assert get["port"] == "admin"
    with urllib.request.urlopen(address + get["path"], timeout=container[name].get("timeoutSeconds", 1) * 10) as answer:
        assert answer.status == 200, name
started.send_signal(signal.SIGTERM)
out, err = started.communicate(timeout=60)
assert started.returncode == 0 and '"stopped"' in err, err
assert "has no effect" not in err, err
print("the manifest agrees with the image, and the server starts with it and answers its probes")
