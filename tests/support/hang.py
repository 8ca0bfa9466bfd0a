#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stops threads of a process, as if they hung: hang.py PROCESS FILE NAME...

Creates FILE when all threads with these names have stopped, and lets them go on when somebody removes it.
"""
import ctypes
import os
import pathlib
import sys
import time

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17
WAIT_FOR_THREADS = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, thread):
    if libc.ptrace(request, thread, None, None) != 0:
        sys.exit(f"ptrace of thread {thread}: {os.strerror(ctypes.get_errno())}")


process, mark, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
tasks = (pathlib.Path("/proc") / process / "task").iterdir()
threads = [int(task.name) for task in tasks if (task / "comm").read_text().strip() in names]
if not threads:
    sys.exit(f"process {process} has no thread named {' or '.join(names)}")
for thread in threads:
    ptrace(SEIZE, thread)
    ptrace(INTERRUPT, thread)
    os.waitpid(thread, WAIT_FOR_THREADS)
mark.touch()
while mark.exists():
    time.sleep(0.05)
for thread in threads:
    ptrace(DETACH, thread)
