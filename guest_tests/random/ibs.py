# SPDX-License-Identifier: GPL-2.0-or-later
"""
Samples of AMD's IBS Op: compares the instruction and the access of each one that a program has taken with those
that a plugin traces, in the order of execution.
"""

from accessed import LOAD, STORE, untagged

# A sample: IbsOpRip, IbsOpData, IbsOpData3, IbsDcLinAd.
WORDS = 4
RIP_INVALID, LINEAR_VALID = 1 << 38, 1 << 17
REPEATS = (0xf2, 0xf3)


class Samples:
    """How far the samples have been found in a trace."""

    def __init__(self, trace):
        self.trace = trace
        self.at = 0
        self.compared = 0

    def fault(self, sample, code):
        """Returns what is wrong with a sample of an instruction that is known to access memory, or None."""
        rip, _, data3, linear = sample
        if not data3 & (LOAD | STORE):
            # A repeated instruction accesses nothing if its count is 0.
            return None if any(prefix in code[:4] for prefix in REPEATS) else "has no access"
        if not data3 & LINEAR_VALID:
            return "has an access without an address"
        # What loads and stores has the address of its load.
        kind = LOAD if data3 & LOAD else STORE
        found = self.trace.index((rip, untagged(linear), kind), self.at)
        if found == len(self.trace.accesses):
            return f"is a {'load' if kind == LOAD else 'store'} that the program did not do then"
        self.at = found + 1
        return None

    def program(self, words, place, starts, code, is_traced):
        """
        Compares the samples of one program, which has begun at place. starts: the offsets of its instructions;
        code(pc): the bytes at an address. Returns what is wrong with the first one, or None.
        """
        first, size = place
        for n in range(0, len(words), WORDS):
            sample = words[n:n + WORDS]
            rip = sample[0]
            if not first <= rip < first + size or sample[1] & RIP_INVALID:
                continue
            self.compared += 1
            fault = None
            if rip - first not in starts:
                fault = "is at no instruction"
            elif rip in self.trace.known and is_traced(rip):
                fault = self.fault(sample, code(rip))
            if fault:
                return f"sample {n // WORDS}, {' '.join(map(hex, sample))}: {fault}"
        return None
