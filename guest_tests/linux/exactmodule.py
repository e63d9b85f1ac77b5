# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact profiles of functions of kernel modules that call other ones in each turn of a loop."""
import collections
import os
import signal
import subprocess

from kernelnames import functions_of
import looplines
from machine import Trouble
from recorder import samples_of

# How often the loop turns.
TURNS = 10000
RECORDED = ("--exact", "--calls", "-e", "instructions:k")


def calls_of(program, path):
    """Returns the number of calls by the names of both functions, as callgrind_annotate would read them."""
    text = subprocess.run([program, "convert", "--to", "callgrind", "-i", path], check=True,
                          capture_output=True, text=True).stdout
    found, function, called = collections.Counter(), None, None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key == "fn":
            function = value
        elif key == "cfn":
            called = value
        elif key == "calls":
            found[function, called] += int(value.split()[0])
    return found


def check_turns(equal, program, path, shell, function, called=None):
    """The function turns its loop, and calls the other one, if it is named, in each turn. Returns how often
    its instructions were executed."""
    modules = functions_of(shell.copy("/proc/kallsyms").decode(), True)
    start, = (at for at, names in modules.items() if function in names)
    end = min(at for at in modules if at > start)
    # Each CPU has a sample.
    times = collections.Counter()
    for s in samples_of(path):
        if s.event.startswith("instructions") and start <= s.pc < end:
            times[s.pc] += s.weight
    equal("module.turns", True, list(times.values()).count(TURNS) > 5)
    if called:
        equal("module.calls", TURNS, calls_of(program, path)[function, called])
    return times


def wait_active(machine):
    """There may have been no recording yet."""
    while True:
        try:
            if machine.command("query-vpmu-record")["state"] == "active":
                return
        except Trouble:
            pass
        machine.wait("a profile")


def check_lines(equal, program, shell, initrd, cross):
    """The module "profiled" turns its loop when it is loaded: each line of the source has its number, and so has the
    call in the loop."""
    module = os.path.join(os.path.dirname(initrd), "profiled.ko")
    lines = os.path.join(shell.directory, "module.out")
    with subprocess.Popen([program, "profile", "-e", "instructions:k", "--map", f"[profiled]={module}", "-o", lines,
                           os.path.join(shell.directory, "tools.qmp")]) as profile:
        try:
            wait_active(shell.machine)
            shell.run("busybox insmod /profiled.ko")
        finally:
            profile.send_signal(signal.SIGINT)
    equal("module.status", 0, profile.returncode)
    equal("module.lines", (looplines.lines_of(f"{cross}objdump", module), [looplines.TURNS]),
          looplines.profiled(lines))
