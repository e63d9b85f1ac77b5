# SPDX-License-Identifier: GPL-2.0-or-later
"""
Decides how long to wait for something that may hang, on a computer that may have other work.

A limit of elapsed time would end a test because other programs use the processors. Therefore the
limit is the processor time that the processes have used since they last made progress. A guest that
spins uses it up at once; a guest that shares its processor uses it up later. A guest that waits for
ever uses none, so it is ended when it has used hardly any during several times the limit of elapsed
time.
"""
import os
import signal
import subprocess
import sys
import threading
import time

# Elapsed time decides after so many times the limit, if the processes used less than this share.
IDLE_TIMES = 5
IDLE_SHARE = 0.1
# Seconds between two checks of the processes.
LOOK = 2
TICK = os.sysconf("SC_CLK_TCK")


def _end(number, _frame):
    """A script that a signal ends must still end what it started, so it exits with an exception."""
    sys.exit(128 + number)


signal.signal(signal.SIGTERM, _end)


def _stat(pid):
    """
    Returns the parent and the processor time of a process, including its children that have ended.
    """
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name, in parentheses, may contain any character.
        fields = file.read().rpartition(b")")[2].split()
    return int(fields[1]), sum(int(field) for field in fields[11:15]) / TICK


def processor_time(root):
    """Returns the processor seconds that a process and all its descendants have used."""
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
    Limits the processor time without progress of a process, by default this one, and its
    descendants. The limit is in seconds.
    """

    def __init__(self, seconds, pid=None):
        self.seconds = seconds
        self.pid = pid or os.getpid()
        self.progress()

    def progress(self):
        """Records progress."""
        self.wall = time.monotonic()
        self.look = self.wall + LOOK
        self.taken = None

    def over(self):
        """Returns why waiting longer is in vain, or None. It looks every few seconds at most."""
        now = time.monotonic()
        if now < self.look:
            return None
        self.look = now + LOOK
        time_now = processor_time(self.pid)
        # Another thread may have recorded progress meanwhile.
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
    """
    Ends a command and all that it started when it makes no progress. `ended` then holds the reason.
    """
    while process.poll() is None:
        time.sleep(LOOK)
        if why := patience.over():
            ended.append(why)
            os.killpg(process.pid, signal.SIGKILL)
            return


def follow(command, seconds, take):
    """
    Passes the command's output to `take`, line by line. Returns its status and why it was ended, if
    it was. The command does not outlive this script.
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
