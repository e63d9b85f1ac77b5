#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
timeout.py SECONDS WHAT COMMAND...: executes COMMAND, vpmu-run with --timeout SECONDS, with an input that
does not end (WHAT is input), with an output that nobody reads (output), or with neither (-). Prints its
status, and whether it ended within a millisecond after SECONDS. What starting and ending a process
takes is subtracted. Another process may take the processor meanwhile, so a late end is tried again; an
early one is not.
"""
import os
import subprocess
import sys
import time

TRIES = 40
# Before others, if this user may do that. The machine, which is a child, has no such priority.
FIRST = ["chrt", "-R", "-f", "10"]


def measure(command, **files):
    """Returns the status and the elapsed time in seconds."""
    begun = time.monotonic()
    done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False, **files)
    return done.returncode, time.monotonic() - begun


def main():
    asked, what, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    first = FIRST if subprocess.run(FIRST + ["true"], stderr=subprocess.DEVNULL, check=False).returncode == 0 else []
    start = min(measure(first + ["true"])[1] for _ in range(5))
    ends = os.pipe()
    files = {"stdin": ends[0] if what == "input" else subprocess.DEVNULL,
             "stdout": ends[1] if what == "output" else subprocess.DEVNULL}
    for _ in range(TRIES):
        status, took = measure(first + command, **files)
        if status != 124 or took < asked + start + 0.001:
            break
    late = took - asked
    print(status, "exact" if 0 <= late < start + 0.001 else f"{1000 * late:.3f} ms, start {1000 * start:.3f} ms")


main()
