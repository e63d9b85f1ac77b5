# SPDX-License-Identifier: GPL-2.0-or-later
"""
Finds a kernel's switch between host and guest counters in its image.

The compiler inlines __pmu_switch_to_guest() and __pmu_switch_to_host() of an nVHE hypervisor into
__kvm_vcpu_run(), so they have no symbols. They are the code around the writes to PMCNTENCLR_EL0 and
PMCNTENSET_EL0. Both look like this, in a line or with the writes in a block of their own:

    loads of the masks; branches if a mask is 0; msr pmcntenclr_el0; ...; msr pmcntenset_el0
"""

import struct

MSR_PMCNTENCLR = 0xD51B9C40
MSR_PMCNTENSET = 0xD51B9C20
# A clear and its set are at most this far apart.
NEAR = 6


class Unknown(Exception):
    """The code has an unexpected form."""


def is_msr(word, what):
    return word & ~0x1F == what


def is_conditional(word):
    """CBZ, CBNZ, B.cond."""
    return word & 0x7E000000 == 0x34000000 or word & 0xFF000010 == 0x54000000


def is_branch(word):
    return word & 0xFC000000 == 0x14000000


def is_load(word):
    """LDR and LDUR of an X register, LDP of two."""
    return word & 0xFFC00000 in (0xF9400000, 0xF8400000) or word & 0xFFC00000 == 0xA9400000


def is_move(word):
    """MOVZ of a W register: the result of the inlined function."""
    return word & 0xFFE00000 == 0x52800000


def target(index, word):
    bits, shift = (26, 0) if is_branch(word) else (19, 5)
    offset = word >> shift & (1 << bits) - 1
    return index + offset - (1 << bits if offset >> bits - 1 else 0)


class Code:
    """A part of a kernel's image, as instructions."""

    def __init__(self, image, begin, end):
        self.begin = begin
        self.words = struct.unpack(f"<{(end - begin) // 4}I", image[begin:end])

    def offset(self, index):
        return self.begin + 4 * index

    def pairs(self):
        """Returns the indices of each clear and of the set that follows."""
        for clear, word in enumerate(self.words):
            if is_msr(word, MSR_PMCNTENCLR):
                for after in range(clear + 1, min(clear + NEAR, len(self.words))):
                    if is_msr(self.words[after], MSR_PMCNTENSET):
                        yield clear, after
                        break

    def first(self, index):
        """Returns the first of the loads and branches that lead to an instruction."""
        while is_load(self.words[index - 1]) or is_conditional(self.words[index - 1]):
            index -= 1
        return index

    def entered_by(self, index):
        """Returns the conditional branch that leads to a block of its own."""
        found = [i for i, word in enumerate(self.words)
                 if is_conditional(word) and target(i, word) == index]
        if len(found) != 1:
            raise Unknown(f"{len(found)} branches lead to the writes at {self.offset(index):#x}")
        return found[0]

    def left_by(self, index):
        """Returns where the code continues after a block of its own."""
        while is_move(self.words[index]):
            index += 1
        if not is_branch(self.words[index]):
            raise Unknown(f"no branch behind the writes at {self.offset(index):#x}")
        return target(index, self.words[index])

    def span(self, clear, after):
        """Returns the offsets of the first instruction, and of the one after the last."""
        first = self.first(clear)
        if first < clear:
            return self.offset(first), self.offset(after + 1)
        return (self.offset(self.first(self.entered_by(clear))),
                self.offset(self.left_by(after + 1)))


def find_switch(image, begin, end):
    """Returns the two spans in image[begin:end], in the order of execution."""
    code = Code(image, begin, end)
    spans = sorted(code.span(*pair) for pair in code.pairs())
    if len(spans) != 2:
        raise Unknown(f"{len(spans)} places write to PMCNTENCLR_EL0 and PMCNTENSET_EL0, not 2")
    return spans
