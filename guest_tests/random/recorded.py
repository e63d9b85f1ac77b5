# SPDX-License-Identifier: GPL-2.0-or-later
"""
A recording of branches from outside: starts it by a machine's monitor, reads the stream of vpmu/record.h, and
compares the branches of each sample with all branches that a program took.
"""
import json
import os
import socket
import struct
import threading

HEAD = struct.Struct("<HHI")
SAMPLE = struct.Struct("<HHI3QIHBBBBHHH")
BRANCH = struct.Struct("<QQIBBBB")
SAMPLE_TYPE = 3
# How many branches a sample has.
DEPTH = 32
# Kinds of vpmu/branch.h: exceptions, system calls and interrupts, and the returns from them.
CROSSINGS = {0x07, *range(0x20, 0x40)}


class Recording:
    """Samples events while a machine runs. It reads until the machine ends. what: what a sample has."""

    def __init__(self, guest, events, **what):
        ours, theirs = os.pipe()
        connection = guest.open_socket(guest.monitor_path)
        guest.monitor = connection.makefile("rw")
        guest.greet()
        request = {"execute": "getfd", "arguments": {"fdname": "samples"}}
        socket.send_fds(connection, [json.dumps(request).encode() + b"\n"], [theirs])
        os.close(theirs)
        guest.monitor.readline()
        guest.command("vpmu-record-start", fd="samples", full="wait", events=list(events), **what)
        self.period = events[0]["period"]
        self.stream = bytearray()
        self.thread = threading.Thread(target=self.read, args=(ours,), daemon=True)
        self.thread.start()

    def read(self, descriptor):
        with open(descriptor, "rb", buffering=0) as file:
            while data := file.read(1 << 16):
                self.stream += data

    def samples(self):
        """Returns (address, branches) of each sample; a branch is (kind, from, to, level), the newest first."""
        self.thread.join()
        at = 0
        while at + HEAD.size <= len(self.stream):
            kind, size, _ = HEAD.unpack_from(self.stream, at)
            if kind == SAMPLE_TYPE:
                words = SAMPLE.unpack_from(self.stream, at)
                first = at + size - words[-1] * BRANCH.size
                yield words[4], [(b[3], b[0], b[1], b[4])
                                 for b in BRANCH.iter_unpack(self.stream[first:at + size])]
            at += size


class Program:
    """
    All branches of a program, the oldest first, how many there were when the address space changed, and the
    samples that lie in it.
    """

    def __init__(self, taken, moves, guest):
        self.taken = taken
        self.moves = moves
        self.guest = guest
        # The newest branch of the last sample, and of all samples.
        self.at = 0
        self.ends = set()

    def equal(self, n, got):
        kind, *rest = self.taken[n]
        return tuple(rest) == got[1:] and self.guest.same_kind(kind, got[0])

    def fits(self, n, pc, got):
        """May the sample be between branch n and the next one, and are its branches those up to n?"""
        if n + 1 < len(self.taken) and not self.taken[n][2] <= pc <= self.taken[n + 1][1] + self.guest.trap_size:
            return False
        return all(self.equal(n - i, branch) for i, branch in enumerate(got[:n + 1]))

    def complete(self, n, got, period):
        """
        All branches before are dropped when the address space has changed, of which Arm's worlds are a part. QEMU
        looks at it at exception returns and at samples, of which there is one in each period.
        """
        before = n - len(got)
        return len(got) == DEPTH or before < 0 or before in self.ends or got[-1][0] in CROSSINGS or \
            any(0 <= before + 1 - move <= period for move in self.moves)

    def fault(self, pc, got, period):
        """Returns what is wrong with the sample that follows those before, or None."""
        found = next((n for n in range(self.at, len(self.taken)) if self.fits(n, pc, got)), None)
        if found is None or not self.complete(found, got, period):
            shown = " ".join(f"{kind:#x}:{source:#x}->{to:#x}" for kind, source, to, _ in got[:4])
            return f"a sample at {pc:#x} has {len(got)} branches, {shown} ..., which the program did not take"
        self.at = found
        self.ends.add(found)
        return None


def compare(recording, programs, places, guest):
    """
    Compares the samples of a recording with the branches of each program, which is None if they are not known.
    Returns what is wrong by the program's number, and how many branches were compared.
    """
    known = {n: Program(*found, guest) for n, found in programs.items() if found}
    faults, compared, number = {}, 0, 0
    for pc, got in recording.samples():
        number = next((n for n in range(number, len(places)) if 0 <= pc - places[n][0] < places[n][1]), number)
        if not got or number not in known or number in faults or not 0 <= pc - places[number][0] < places[number][1]:
            continue
        fault = known[number].fault(pc, got, recording.period)
        if fault:
            faults[number] = fault
        compared += len(got)
    return faults, compared
