# SPDX-License-Identifier: GPL-2.0-or-later
"""
How long to wait for what may hang, on a computer that may have other work to do.

A clock on the wall would end a test because its neighbours are busy. So what counts is the
processor time that the processes waited for have taken since they last showed progress: a guest that
spins takes it at once, one that shares its processor takes it later, and neither is ended too early.
What waits for ever takes none; it is ended when it has hardly taken any for several times as long.
"""
import os
import signal
import subprocess
import sys
import threading
import time

# The wall's clock decides only after so many times the seconds, for what took less than the share.
IDLE_TIMES = 5
IDLE_SHARE = 0.1
# Seconds between two looks at the processes.
LOOK = 2
TICK = os.sysconf("SC_CLK_TCK")


def _end(number, _frame):
    """A script that is ended by a signal still ends what it started: it exits by an exception."""
    sys.exit(128 + number)


signal.signal(signal.SIGTERM, _end)


def _stat(pid):
    """Parent and processor time of a process, with that of its children that have ended."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name, in parentheses, may hold anything.
        fields = file.read().rpartition(b")")[2].split()
    return int(fields[1]), sum(int(field) for field in fields[11:15]) / TICK


def processor_time(root):
    """Seconds that a process and all that descends from it have taken."""
    children, times = {}, {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            parent, times[pid] = _stat(pid)
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(pid)
    total, pending = 0, [root]
    while pending:
        pid = pending.pop()
        total += times.get(pid, 0)
        pending += children.get(pid, ())
    return total


class Patience:
    """
    With a process, by default this one, and those that descend from it: for so many seconds of
    their processor time without progress.
    """

    def __init__(self, seconds, pid=None):
        self.seconds = seconds
        self.pid = pid or os.getpid()
        self.progress()

    def progress(self):
        """What is waited for has shown that it goes on."""
        self.wall = time.monotonic()
        self.look = self.wall + LOOK
        self.taken = None

    def over(self):
        """Why waiting longer is in vain; None if it is not. Looks every few seconds at most."""
        now = time.monotonic()
        if now < self.look:
            return None
        self.look = now + LOOK
        time_now = processor_time(self.pid)
        # Another thread may have seen progress meanwhile.
        taken = self.taken
        if taken is None:
            self.taken = time_now
            return None
        took, waited = time_now - taken, now - self.wall
        if took >= self.seconds:
            return f"no progress in {took:.0f} s of processor time"
        if waited >= IDLE_TIMES * self.seconds and took < IDLE_SHARE * self.seconds:
            return f"no progress in {waited:.0f} s, nothing runs"
        return None


def _watch(process, patience, ended):
    """Ends a command, and all that it started, when it makes no progress; says why in ended."""
    while process.poll() is None:
        time.sleep(LOOK)
        if why := patience.over():
            ended.append(why)
            os.killpg(process.pid, signal.SIGKILL)
            return


def follow(command, seconds, take):
    """
    Feeds the command's output to take, line by line; its status, and why it had to be ended. It
    does not outlive this script.
    """
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    patience, ended = Patience(seconds, process.pid), []
    threading.Thread(target=_watch, args=(process, patience, ended), daemon=True).start()
    try:
        for line in process.stdout:
            patience.progress()
            take(line)
        return process.wait(), " ".join(ended)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
