# SPDX-License-Identifier: Apache-2.0
"""A real server for the tests. QD_SERVER is its program."""
import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(HERE)
sys.path.insert(0, PACKAGE)
SERVER = os.environ["QD_SERVER"]


class Server:
    def __init__(self, *options: str):
        self.process = subprocess.Popen([SERVER, "--listen", "127.0.0.1:0", "--log-level", "error", *options],
                                        stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def stop(self) -> int:
        self.process.terminate()
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


class ServerTest(unittest.TestCase):
    """One server for the tests of a class; it must end with status 0."""

    options: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.options)
        cls.address = cls.server.address

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        assert status == 0, f"the server ended with status {status}"
