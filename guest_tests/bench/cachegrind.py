# SPDX-License-Identifier: GPL-2.0-or-later
"""
The benchmark's workloads under valgrind's cachegrind on this computer, in the place of a guest. Only
the work is timed, neither valgrind's start nor what precedes the work.
"""
import os
import platform
import shutil
import subprocess
import tempfile

import guest

# The geometry of guest_tests/known_caches: L1I, L1D and L2, which is cachegrind's last level.
GEOMETRY = ("--I1=32768,4,64", "--D1=32768,8,64", "--LL=524288,8,64")
# What is compared: its name, the event of an x86-64 guest of -cpu max, and cachegrind's events.
# Branches are left out: cachegrind counts only conditional and indirect ones.
COMPARED = (("instructions", "0xc0u", "Ir"), ("data accesses", "0x40u", "Dr Dw"),
            ("L1D misses", "0x141u", "D1mr D1mw"), ("L1I misses", "0x81u", "I1mr"),
            ("L2 misses", "0x77eu", "DLmr DLmw ILmr"))

# Workloads that are not compared: cachegrind leaves the kernel out, and cannot run a program that
# starts itself.
LEFT_OUT = ("syscalls", "forks")


def missing():
    """Returns why cachegrind cannot run x86-64 programs here, or None."""
    if platform.machine() != "x86_64":
        return "this computer is no x86-64"
    return None if shutil.which("valgrind") else "valgrind is not installed"


def command(program, name, size, out):
    return ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *GEOMETRY,
            f"--cachegrind-out-file={out}", program, name, str(size)]


def counts_of(out):
    """Reads a file of cachegrind's: the sum of each event."""
    with open(out, encoding="utf-8") as file:
        lines = dict(line.split(": ", 1) for line in file if line.startswith(("events: ", "summary: ")))
    return dict(zip(lines["events"].split(), map(int, lines["summary"].split())))


def counted(program, name, size):
    """Returns the counts of a workload by cachegrind's events, without those of what precedes it."""
    with tempfile.TemporaryDirectory(prefix="vpmu-") as directory:
        found = []
        for more in ([], ["prepare"]):
            out = os.path.join(directory, "out")
            subprocess.run(command(program, name, size, out) + more, input=b"\n", check=True,
                           capture_output=True, timeout=guest.STEP_SECONDS)
            found.append(counts_of(out))
    return {event: n - found[1][event] for event, n in found[0].items()}


class Trial(guest.Trial):
    """Each workload runs in a valgrind of its own. Nothing is booted."""

    def __init__(self, program):
        super().__init__([])
        self.program = program

    def __enter__(self):
        return self

    def boot(self):
        pass

    def run(self, name, size, turn):
        if self.result["error"] or name in LEFT_OUT:
            return
        with self.errors_kept(), tempfile.TemporaryDirectory(prefix="vpmu-") as directory, \
                guest.Guest(command(self.program, name, size, "/dev/null"), directory,
                            monitored=False) as self.guest:
            self.until("end", guest.STEP_SECONDS, turn)

    def finish(self):
        pass
