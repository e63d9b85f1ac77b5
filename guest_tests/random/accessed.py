# SPDX-License-Identifier: GPL-2.0-or-later
"""
A recording of accesses to memory from outside: compares the access of each sample with those that a plugin
traces, in the order of execution, and its level of the cache with the misses that were counted.
"""
import collections
import struct

import recorded

# vpmu_record_access of vpmu/record.h: the head, and the fields up to flags.
ACCESS = struct.Struct("<HHI3QHBBB3x")
ACCESS_TYPE, SAMPLE_TYPE = 12, recorded.SAMPLE_TYPE
LOAD, STORE = 1, 2
# Each miss is a sample. The observer that was added last is sampled first, so a miss precedes the samples of
# the load or store that missed. The other periods are different primes, so that samples lie everywhere in loops.
EVENTS = ({"event": "mem-loads", "period": 7}, {"event": "mem-stores", "period": 5},
          {"event": "L1-dcache-load-misses", "period": 1})
KINDS = (LOAD, STORE)
MISS = len(KINDS)
# Latencies by enum vpmu_data_level and enum vpmu_translated of vpmu/latency.h, issue included.
L1, MISSED = 1, range(2, 5)
LEVELS = (1, 5, 13, 41, 151, 151)
TRANSLATIONS = (0, 0, 4, 30)
# An access as accesses.c writes it.
TRACED = struct.Struct("<3Q")

Access = collections.namedtuple("Access", "pc address flags level translated latency")


def untagged(address):
    """Returns an address without a tag. Bit 55 is never a part of it."""
    low = address & (1 << 56) - 1
    return low | (low >> 55) * (0xff << 56)


def samples(stream):
    """Yields the number of each sample's event, and its access or None."""
    at, access = 0, None
    while at + recorded.HEAD.size <= len(stream):
        kind, size, _ = recorded.HEAD.unpack_from(stream, at)
        if kind == ACCESS_TYPE:
            *_, pc, address, _, latency, level, translated, flags = ACCESS.unpack_from(stream, at)
            access = Access(pc, address, flags, level, translated, latency)
        elif kind == SAMPLE_TYPE:
            yield recorded.SAMPLE.unpack_from(stream, at)[8], access
            access = None
        at += size


class Trace:
    """What the plugin has traced, and how far the samples of each kind have been found in it."""

    def __init__(self, data):
        whole = len(data) // TRACED.size * TRACED.size
        self.accesses = [(pc, untagged(address), STORE if is_store else LOAD)
                         for pc, address, is_store in TRACED.iter_unpack(data[:whole])]
        self.known = {pc for pc, _, _ in self.accesses}
        # Instructions that may load several times: no other one loads in between.
        loads = [pc for pc, _, kind in self.accesses if kind == LOAD]
        self.several = {a for a, b in zip(loads, loads[1:]) if a == b}
        self.at = dict.fromkeys(KINDS, 0)

    def index(self, access, start):
        try:
            return self.accesses.index(access, start)
        except ValueError:
            return len(self.accesses)

    def find(self, kind, access):
        """
        Goes to the next access like that of a sample, and returns whether there is one. An atomic loads and stores.
        """
        kinds = KINDS if access.flags & LOAD and access.flags & STORE else (kind,)
        at = min(self.index((access.pc, untagged(access.address), each), self.at[kind]) for each in kinds)
        if at == len(self.accesses):
            return False
        self.at[kind] = at + 1
        return True


class Comparison:
    """The samples so far."""

    def __init__(self, trace, guest):
        self.trace = trace
        self.guest = guest
        self.miss = None

    def fault(self, event, access):
        """Returns what is wrong with an access, or None."""
        if access.latency != LEVELS[access.level] + TRANSLATIONS[access.translated]:
            return "has a latency that is not that of its level and translation"
        if event == MISS:
            self.miss = access
            # Of several accesses, the slowest may be another one that hit, with a slow translation.
            slow = self.guest.describes_slowest and access.pc in self.trace.several and \
                access.latency >= LEVELS[MISSED[0]]
            return None if access.level in MISSED or slow else "missed, but has another level"
        kind = KINDS[event]
        if not access.flags & kind or not self.trace.find(kind, access):
            return f"is a sample of {'loads' if kind == LOAD else 'stores'}, but the program did not access that then"
        if kind & self.guest.missing and access.level in MISSED and access != self.miss:
            return f"did not miss; the last miss is {self.miss}"
        return None


def compare(recording, trace, first, places, is_traced, guest):
    """
    Compares the samples of a recording with a trace. Left out are instructions without traced accesses, because
    QEMU's helpers access memory without telling plugins, and those of which is_traced(pc) is false. Returns what is
    wrong by the program's number, and how many accesses were compared.
    """
    comparison, faults, compared = Comparison(trace, guest), {}, 0
    recording.thread.join()
    for event, access in samples(recording.stream):
        if access is None or access.pc not in comparison.trace.known:
            continue
        number = next((n for n in range(first, len(places)) if 0 <= access.pc - places[n][0] < places[n][1]), None)
        if number is None or number in faults or not is_traced(access.pc):
            continue
        fault = comparison.fault(event, access)
        if fault:
            faults[number] = f"{access} {fault}"
        compared += 1
    return faults, compared
