#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""nonblocking.py COMMAND...: runs it with a non-blocking pipe as its output, reads slowly, and prints the size"""
import os
import subprocess
import sys
import time

read_end, write_end = os.pipe()
os.set_blocking(write_end, False)
child = subprocess.Popen(sys.argv[1:], stdout=write_end, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
os.close(write_end)
size = 0
time.sleep(1)
while data := os.read(read_end, 1 << 16):
    size += len(data)
    if size < 1 << 20:
        time.sleep(0.02)
print(child.wait(), size)
