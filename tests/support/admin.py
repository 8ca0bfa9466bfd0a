# SPDX-License-Identifier: Apache-2.0
"""For tests of the admin server: asks it, and attacks it. QD_ADMIN has its address, HOST:PORT."""
import http.client
import json
import os
import socket
import time

HOST, PORT = os.environ["QD_ADMIN"].rsplit(":", 1)
PORT = int(PORT)


class Answer:
    def __init__(self, response):
        self.status, self.headers = response.status, {k.lower(): v for k, v in response.getheaders()}
        self.text = response.read().decode()

    def json(self):
        assert self.headers["content-type"] == "application/json", self.headers
        return json.loads(self.text)


def ask(path, method="GET", token=None, body=None, headers=None):
    link = http.client.HTTPConnection(HOST, PORT, timeout=10)
    headers = dict(headers or {})
    if token:
        headers["Authorization"] = "Bearer " + token
    link.request(method, path, body=body, headers=headers)
    answer = Answer(link.getresponse())
    link.close()
    return answer


def metric(name, token=None):
    """The value of a sample, such as 'rooms' or 'resets_total{of="pairs"}'."""
    for line in ask("/metrics", token=token).text.splitlines():
        if line.startswith("quadrille_" + name + " "):
            return float(line.split()[-1])
    raise AssertionError(f"no metric {name}")


def raw(data, piece=None, wait=10):
    """Sends bytes, in pieces of that size, and returns what comes back until the server closes or the time is over."""
    link = socket.create_connection((HOST, PORT))
    link.settimeout(wait)
    got = b""
    try:
        for at in range(0, len(data), piece or len(data)):
            link.sendall(data[at:at + (piece or len(data))])
            if piece:
                time.sleep(0.0005)
        while True:
            more = link.recv(65536)
            if not more:
                break
            got += more
    except OSError:
        pass
    link.close()
    return got
