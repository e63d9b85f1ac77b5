#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
timeout.py SECONDS WHAT COMMAND...: executes COMMAND, vpmu-run with --timeout SECONDS, with an input that
does not end (WHAT is input), with an output that nobody reads (output), or with neither (-). Prints its
status, and whether it ended within a millisecond after SECONDS; half a millisecond more is what
creating a process takes. Other processes may take the processor meanwhile, so a late end is tried
again. An early one is not.
"""
import contextlib
import os
import subprocess
import sys
import time

TRIES = 40
EXACT = 0.0015
# Runs before others. The machine, which is a child, does not.
FIRST = ["chrt", "-R", "-f", "10"]


def measure(command, **files):
    """Returns the status and the elapsed time in seconds."""
    begun = time.monotonic()
    done = subprocess.run(command, stderr=subprocess.DEVNULL, check=False, **files)
    return done.returncode, time.monotonic() - begun


def main():
    asked, what, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
    # Not every user may do this. Then it takes more tries on a busy computer.
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
        command = FIRST + command
    ends = os.pipe()
    files = {"stdin": ends[0] if what == "input" else subprocess.DEVNULL,
             "stdout": ends[1] if what == "output" else subprocess.DEVNULL}
    for _ in range(TRIES):
        status, took = measure(command, **files)
        late = took - asked
        if status != 124 or late < EXACT:
            break
    print(status, "exact" if 0 <= late < EXACT else f"{1000 * late:.3f} ms after it")


main()
