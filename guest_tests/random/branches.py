# SPDX-License-Identifier: GPL-2.0-or-later
"""
Branch records that follow from a trace of branches.c. This is written from the Arm ARM and not from the
library: the records of a program must be the same.
"""

import struct

EVENT = struct.Struct("<14Q")
RECORDS = 64
PAUSED = 1 << 7
FZP = 1 << 8

ERET = 0xd69f03e0
# A branch to itself.
LOOP = 0x14000000
# Instructions that branch: mask, value, TYPE, whether it has a condition, the filter of BRBFCR_EL1.
BRANCHES = (
    (0xfc000000, 0x14000000, 0x00, False, 17),
    (0xfc000000, 0x94000000, 0x02, False, 21),
    (0xff000000, 0x54000000, 0x08, True, 22),
    (0x7e000000, 0x34000000, 0x08, True, 22),
    (0x7e000000, 0x36000000, 0x08, True, 22),
    (0xfffffc1f, 0xd61f0000, 0x01, False, 18),
    (0xfffffc1f, 0xd63f0000, 0x03, False, 20),
    (0xfffffc1f, 0xd65f0000, 0x05, False, 19),
)
# Synchronous exceptions by ESR_ELx.EC; others are traps.
TYPES = {0x15: 0x22, 0x16: 0x22, 0x17: 0x22, 0x20: 0x2b, 0x21: 0x2b, 0x22: 0x2a, 0x24: 0x2c, 0x25: 0x2c,
         0x26: 0x2a, 0x2f: 0x24, 0x30: 0x26, 0x31: 0x26, 0x32: 0x26, 0x33: 0x26, 0x34: 0x27, 0x35: 0x27,
         0x3c: 0x26}
TRAP, IRQ, FIQ, SERROR = 0x23, 0x2e, 0x2f, 0x24
SVC, SMC = 0x15, 0x17


def branch_of(insn):
    """Returns (TYPE, conditional, filter), or None."""
    for mask, value, kind, conditional, select in BRANCHES:
        if insn & mask == value:
            return kind, conditional, select
    return None


class Records:
    """The records of a CPU with version 2 of BRBE, or without EL3 of any version."""

    def __init__(self, highest, base):
        self.highest = highest
        # Code at lower addresses belongs to the runtime.
        self.base = base
        self.cr = {1: 0, 2: 0}
        self.fcr = self.mdcr_el3 = self.scr_el3 = self.hcr_el2 = 0
        self.inject = [0, 0, 0]
        self.vbar = {1: 0, 2: 0, 3: 0}
        self.el = highest
        self.records = []
        self.left = 0
        self.freezes = False
        # The records of each program; None if an overflow might have frozen them.
        self.programs = []

    # -- rules

    def secure(self):
        return self.highest == 3 and not self.scr_el3 & 1

    def el3_allowed(self):
        return self.highest == 3 and (self.mdcr_el3 >> 37 & 1) != (self.mdcr_el3 >> 38 & 1)

    def allowed(self, el):
        if self.fcr & PAUSED:
            return False
        if el == 3:
            return self.el3_allowed()
        if self.highest == 3:
            sbrbe = self.mdcr_el3 >> 32 & 3
            if sbrbe == 0:
                return False
            if self.secure() and sbrbe == 1:
                return False
        if el:
            return bool(self.cr[el] & 2)
        el2 = self.highest == 2 or not self.secure() or self.scr_el3 >> 18 & 1
        return bool(self.cr[2 if el2 and self.hcr_el2 >> 27 & 1 else 1] & 1)

    def exceptions_recorded(self, el):
        """Are exceptions to this level recorded?"""
        return self.el3_allowed() if el == 3 else self.cr[el] >> 23 & 1

    def returns_recorded(self):
        """Are exception returns from the present level recorded?"""
        return self.el3_allowed() if self.el == 3 else self.cr.get(self.el, 0) >> 22 & 1

    def selected(self, select):
        """Are branches with this filter recorded?"""
        return self.fcr >> select & 1 != self.fcr >> 16 & 1

    def add(self, *record):
        self.records = [record] + self.records[:RECORDS - 1]

    def insert(self, record):
        """BRB INJ."""
        self.add(*record)

    def branch(self, insn, pc, target):
        kind, _, select = branch_of(insn)
        if self.allowed(self.el) and self.selected(select):
            self.add(kind << 8 | self.el << 6 | 3, pc, target)

    def cross(self, kind, source, pc, target_el, target):
        from_valid, to_valid = self.allowed(source), self.allowed(target_el)
        if from_valid or to_valid:
            inf = kind << 8 | from_valid << 1 | to_valid | (target_el << 6 if to_valid else 0)
            self.add(inf, pc if from_valid else 0, target if to_valid else 0)

    def take_exception(self, vector, event, el, pc):
        """An exception from @pc to @vector."""
        kind = (vector >> 7) & 3
        esr = event.esr[el - 1]
        ec = esr >> 26 & 0x3f
        if kind == 0:
            kind = TYPES.get(ec, TRAP)
            tge = self.hcr_el2 >> 27 & 1
            by_itself = self.el == 2 or self.el == 0 and tge
            if ec == SMC and el != 3 or ec == SVC and el == 2 and not by_itself:
                kind = TRAP
        else:
            kind = (None, IRQ, FIQ, SERROR)[kind]
        if self.exceptions_recorded(el):
            self.cross(kind, self.el, pc, el, vector)
        self.el = el

    def exception_return(self, pc, el, target):
        recorded = self.returns_recorded()
        source, self.el = self.el, el
        if recorded:
            self.cross(7, source, pc, el, target)

    # -- the trace

    def vector(self, el, pc):
        """Is this an entry of the vectors of an exception level?"""
        return el and self.vbar[el] <= pc < self.vbar[el] + 0x800 and not pc & 0x7f

    def exceptions(self, event):
        """Returns the exceptions that were taken in a row: (vector, level), the first one first."""
        el, pc = event.cpsr >> 2 & 3, event.next_pc
        taken = []
        while self.vector(el, pc) and len(taken) < 4:
            taken.insert(0, (pc, el))
            el, pc = event.spsr[el - 1] >> 2 & 3, event.elr[el - 1]
        return taken

    def execute(self, event, next_pc, next_el, illegal):
        """
        The instruction of an event, after which @next_pc is next at @next_el. An illegal exception return,
        which sets PSTATE.IL, leaves no record.
        """
        insn = event.insn
        if next_pc == event.pc and insn != LOOP:
            return      # it was refused, or is executed again
        if branch_of(insn):
            conditional = branch_of(insn)[1]
            if not conditional or next_pc != event.pc + 4:
                self.branch(insn, event.pc, next_pc)
        elif insn == ERET:
            if not illegal:
                self.exception_return(event.pc, next_el, next_pc)
        else:
            self.system(event)

    def system(self, event):
        e12 = self.el == 2 and self.hcr_el2 >> 34 & 1
        insn, value = event.insn & ~31, event.value
        if insn == 0xd5119000:
            self.cr[2 if e12 else 1] = value
        elif insn == 0xd5149000:
            self.cr[2] = value
        elif insn == 0xd5159000:
            self.cr[1] = value
        elif insn == 0xd5119020:
            self.write_fcr(event.pc, value)
        elif insn in (0xd5119100, 0xd5119120, 0xd5119140):
            self.inject[insn >> 5 & 7] = value
        elif insn == 0xd50972a0:
            self.insert(injected(*self.inject))
        elif insn == 0xd5097280:
            self.records = []
            if event.pc < self.base:
                self.begin()
        elif insn == 0xd51e1320:
            self.mdcr_el3 = value
        elif insn == 0xd51e1100:
            self.scr_el3 = value
        elif insn == 0xd51c1100:
            self.hcr_el2 = value
        elif insn in (0xd518c000, 0xd51cc000, 0xd51ec000):
            self.vbar[{0: 1, 4: 2, 6: 3}[insn >> 16 & 7]] = value
        self.freezes |= bool((self.cr[1] | self.cr[2]) & FZP)

    def begin(self):
        """The runtime begins a program."""
        self.left, self.freezes = 2, False

    def write_fcr(self, pc, value):
        self.fcr = value
        if pc < self.base and self.left:
            self.left -= 1
            if not self.left:
                self.programs.append(None if self.freezes else self.records)

    def follow(self, event):
        # An interrupt of a handler's first instruction returns to a vector. That is no exception.
        returned = event.insn == ERET and self.el and event.elr[self.el - 1] == event.next_pc
        taken = [] if returned else self.exceptions(event)
        if not taken:
            self.execute(event, event.next_pc, event.cpsr >> 2 & 3, event.cpsr >> 20 & 1)
            return
        el = taken[0][1]
        pc, spsr = event.elr[el - 1], event.spsr[el - 1]
        self.execute(event, pc, spsr >> 2 & 3, spsr >> 20 & 1)
        for vector, el in taken:
            self.take_exception(vector, event, el, event.elr[el - 1])


def injected(inf, source, target):
    """Returns the record of BRB INJ."""
    if not inf & 3:
        return (0, 0, 0)
    kind = inf >> 8 & 0x3f
    kept = kind << 8 | inf & 3 | (inf & 0xc0 if inf & 1 else 0)
    return (kept, source if inf & 2 else 0, target if inf & 1 else 0)


# Writes of these change the address space: CONTEXTIDR_EL1, _EL2 and _EL12; HCR_EL2 and SCR_EL3, which say in which
# world of Arm's the CPU is.
SPACES = (0xd518d020, 0xd51cd020, 0xd51dd020, 0xd51c1100, 0xd51e1100)


class All(Records):
    """All branches of each program: what a recording of all branches has, whatever BRBE's registers say."""

    def __init__(self, highest, base):
        super().__init__(highest, base)
        # Of each program: (TYPE, address, target, level there) in the order in which they were taken, and how many
        # there were when the address space changed.
        self.programs = []

    def begin(self):
        super().begin()
        self.programs.append(([], []))

    def system(self, event):
        super().system(event)
        if self.programs and event.insn & ~31 in SPACES:
            taken, moves = self.programs[-1]
            moves.append(len(taken))

    def write_fcr(self, pc, value):
        """The end of a program is of no interest."""

    def allowed(self, el):
        return True

    exceptions_recorded = selected = allowed

    def returns_recorded(self):
        return True

    def insert(self, record):
        """Only BRBE has that record."""

    def add(self, inf, source, target):
        if self.programs:
            self.programs[-1][0].append((inf >> 8, source, target, inf >> 6 & 3))


class Event:
    """One struct event of branches.c."""

    def __init__(self, words):
        self.pc, self.insn, self.value, self.next_pc, self.cpsr = words[:5]
        self.elr, self.spsr, self.esr = words[5:8], words[8:11], words[11:14]


def from_trace(data, highest, base):
    """Returns the records of each program."""
    return followed(Records(highest, base), data)


def all_from_trace(data, highest, base):
    """Returns all branches of each program."""
    return followed(All(highest, base), data)


def followed(records, data):
    for words in EVENT.iter_unpack(data):
        records.follow(Event(words))
    return records.programs


# BRBINF<n>_EL1 without CCU, CC and MPRED.
COMPARED = ~(0x7fff << 32 | 1 << 5)


def fault(expected, words):
    """Compares records with those of a result. Returns what is different, or None."""
    for n in range(RECORDS):
        inf, source, target = words[3 * n:3 * n + 3]
        want = expected[n] if n < len(expected) else (0, 0, 0)
        if (inf & COMPARED, source, target) != want:
            got = f"{inf & COMPARED:#x} {source:#x} {target:#x}"
            return f"branch record {n} is {got}, not {want[0]:#x} {want[1]:#x} {want[2]:#x}"
    return None
