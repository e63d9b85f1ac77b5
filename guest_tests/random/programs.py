# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random programs for Arm: the state of the machine before one starts, and its code. A seed always
gives the same program.
"""

import random
from typing import NamedTuple

import a32
import a64
from guests import ARM
from layout import MASK
from program import Program

NUMBERS = ARM.layout.numbers
COUNTERS = NUMBERS["PROGRAM_COUNTERS"]
PMU_COUNTERS = 6
DATA = NUMBERS["PLAYGROUND_BASE"] + NUMBERS["DATA_OFFSET"]
EDGE = NUMBERS["PLAYGROUND_BASE"] + NUMBERS["EDGE_OFFSET"]

# Events that instructions and exceptions count as. None of them is modelled or timed.
EVENTS = [0x00, 0x06, 0x07, 0x08, 0x08, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x12, 0x13,
          0x1b, 0x1c, 0x1e, 0x21, 0x66, 0x67, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x78, 0x79,
          0x7a, 0x7c, 0x7d, 0x7e, 0x81, 0x82, 0x83, 0x84, 0x86, 0x87, 0x88, 0x8a, 0x8b, 0x8c, 0x8d,
          0x8e, 0x8f,
          # What instructions do in detail.
          0x68, 0x69, 0x6c, 0x6d, 0x6e, 0x6f, 0x77, 0x90, 0x91, 0x9f, 0x8000, 0x8005, 0x8006, 0x8010,
          0x8014, 0x8018, 0x801c, 0x8028, 0x8038, 0x8043, 0x8074, 0x8075, 0x8076, 0x8077, 0x8079,
          0x8085, 0x8086, 0x8087, 0x8089, 0x808a, 0x80ad, 0x80bc, 0x80bd, 0x80c0, 0x80c1, 0x80e3,
          0x80eb]
# Events of the models of caches, TLBs, branches and the pipeline.
MODELLED = [0x01, 0x02, 0x03, 0x04, 0x05, 0x10, 0x11, 0x11, 0x14, 0x15, 0x16, 0x17, 0x23, 0x24,
            0x25, 0x2d, 0x33, 0x34, 0x35, 0x3c, 0x3f, 0x40, 0x42, 0x44, 0x45, 0x4c, 0x4d, 0x5c, 0x5e, 0x5f]


# The AArch32 bit of an SPSR.
PSTATE_NRW = 0x10


class Machine(NamedTuple):
    """
    The kind of machine that a program is for: its highest level, and whether cycles are modelled.
    """
    highest: int
    modelled: bool


def bit(n):
    return 1 << n


def chosen(rand, bits, chance):
    """Returns some of these bits."""
    value = 0
    for n in bits:
        if rand.random() < chance:
            value |= bit(n)
    return value


class Kind:
    """The properties of a program that are chosen before anything else."""

    def __init__(self, rand, highest, modelled):
        self.rand = rand
        self.highest = highest
        self.events = EVENTS + MODELLED if modelled else EVENTS
        self.modelled = modelled
        self.trapping = rand.random() < 0.6
        self.stepped = rand.random() < 0.15
        # An overflow freezes branch records.
        self.freezes = rand.random() < 0.3
        self.pan = rand.random() < 0.2
        self.levels = sorted(rand.sample(range(highest + 1), rand.randrange(1, highest + 2)))
        self.mask_choice = rand.choice(([0, 0], [0, 2], [0, 2, 2], [0, 0xf, 2], [7, 0xd], [0, 8]))
        self.wfi_trapped = []

    def masks(self, rand):
        return rand.choice(self.mask_choice)

    def masks32(self, rand):
        """The same as bits of the CPSR."""
        return (self.masks(rand) & 7) << 6

    def brbcr(self, rand):
        return brbcr(rand, self)

    @staticmethod
    def brbfcr(rand):
        return brbfcr(rand)

    def event_type(self, rand):
        event = rand.choice(self.events)
        if rand.random() < 0.35:
            event |= chosen(rand, range(24, 32), 0.3)
        return event


SCTLR_RES1 = bit(11) | bit(20) | bit(22) | bit(28) | bit(29)
SCTLR = SCTLR_RES1 | 0x1005 | bit(5) | bit(14) | bit(15) | bit(23) | bit(26)
# A granule of 4 KB, 39 bits of virtual and 36 of physical address; only TTBR0 is used.
TCR = 25 | bit(8) | bit(10) | 3 << 12 | bit(23) | bit(32)
# What AArch32 at EL1 has instead: EAE, 32 bits of address.
TTBCR = bit(31) | bit(8) | bit(10) | 3 << 12 | bit(23)
HCR_TRAPS = [13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30]
# Fine-grained traps of branch records, which 1 disables: HDFGRTR, HDFGWTR and HFGITR.
BRBE_FGT_R, BRBE_FGT_W, BRBE_FGT_I = [59, 60, 61], [60, 61], [55, 56]
BRBE_FGT = 7 << 59
PMU_FGT_R = [11, 12, 13, 14, 15, 16, 17, 19, 20, 22, 57, 58]
PMU_FGT_W = [12, 13, 14, 15, 16, 17, 19, 20, 21, 57]


def controls64(rand, kind):
    """Sets registers that say what is trapped, and to which level; sets kind.wfi_trapped."""
    c = {}
    traps = kind.trapping
    c["sctlr_el1"] = SCTLR | chosen(rand, (16, 18), 0.6) | chosen(rand, (1, 9), 0.1)
    c["sctlr_el1"] |= chosen(rand, (33,), 0.8)      # MSCEn
    c["hcrx_el2"] = chosen(rand, (11,), 0.9)        # MSCEn
    c["tcr_el1"] = TCR
    c["cpacr_el1"] = rand.choice((3, 3, 3, 3, 1, 0)) << 20 | rand.choice((3, 3, 3, 1, 0)) << 16
    c.update({f"zcr_el{el}": rand.choice((0xf, rand.getrandbits(4))) for el in (1, 2, 3)})
    secure = kind.highest == 3 and rand.random() < 0.25
    has_el2 = kind.highest == 2 or not secure or rand.random() < 0.5
    hcr = bit(31)
    if traps:
        hcr |= chosen(rand, HCR_TRAPS, 0.15) | chosen(rand, (13,), 0.2)
    hcr |= chosen(rand, (3, 4, 5), 0.4)
    if rand.random() < 0.06:
        hcr |= bit(27)                      # TGE
    if rand.random() < 0.08:
        hcr |= chosen(rand, (6, 7), 0.6)    # a virtual interrupt
    c["hcr_el2"] = hcr
    c["cptr_el2"] = 0x33ff & ~bit(10) & ~bit(8)
    if traps:
        c["cptr_el2"] |= chosen(rand, (10, 31), 0.1)
        c["hfgitr_el2"] = chosen(rand, range(55), rand.choice((0, 0, 0.05)))
        c["hfgrtr_el2"] = chosen(rand, range(50), rand.choice((0, 0, 0.05)))
        c["hfgwtr_el2"] = chosen(rand, range(50), rand.choice((0, 0, 0.05)))
        c["hdfgrtr_el2"] = chosen(rand, PMU_FGT_R, rand.choice((0, 0, 0.2)))
        c["hdfgwtr_el2"] = chosen(rand, PMU_FGT_W, rand.choice((0, 0, 0.2)))
    mdcr = rand.choice((PMU_COUNTERS, PMU_COUNTERS, rand.randrange(PMU_COUNTERS + 1)))
    mdcr |= chosen(rand, (7, 17, 23, 26), 0.3)
    if traps:
        mdcr |= chosen(rand, (5, 6, 8, 9, 10, 11), 0.12)
    c["mdcr_el2"] = mdcr
    if kind.highest == 3:
        scr = bit(10) | bit(8) | 0x30 | bit(16) | bit(17) | bit(27) | bit(38)
        scr |= 0 if secure else bit(0)
        scr |= bit(18) if secure and has_el2 else 0
        scr |= chosen(rand, (1, 2), 0.25)
        scr |= chosen(rand, (12, 13), 0.1) if traps else 0
        c["scr_el3"] = scr
        c["cptr_el3"] = bit(8) | (chosen(rand, (10, 31), 0.06) if traps else 0)
        mdcr3 = chosen(rand, (17, 23, 34, 35), 0.3) | rand.choice((0, 2, 3)) << 14
        if traps:
            mdcr3 |= chosen(rand, (6, 9, 10), 0.08)
        c["mdcr_el3"] = mdcr3
    brbe_controls(rand, kind, c)
    kind.wfi_trapped = wfi_trapped(c, kind, has_el2)
    return c


BRBCR_BITS = [0, 1, 3, 5, 6, 22, 23]
BRBCR_FZP = bit(8)
BRBFCR_BITS = [16, 17, 18, 19, 20, 21, 22]
# Mispredictions depend on what the models have seen, so only programs that count them record them.
BRBCR_MPRED = bit(4)


def brbcr(rand, kind):
    value = chosen(rand, BRBCR_BITS, rand.choice((0.5, 0.8, 1)))
    value |= rand.getrandbits(1) * BRBCR_MPRED if kind.modelled else 0
    return value | (rand.getrandbits(1) * BRBCR_FZP if kind.freezes else 0)


def brbfcr(rand):
    """Mostly all kinds of branches."""
    return rand.choice((0x7e << 16, 0x7e << 16, chosen(rand, BRBFCR_BITS, 0.5)))


def brbe_controls(rand, kind, c):
    """Sets what branch records need. Code of the runtime fills the records where EL2 or EL3 records."""
    for name, bits in (("hdfgrtr_el2", BRBE_FGT_R), ("hdfgwtr_el2", BRBE_FGT_W),
                       ("hfgitr_el2", BRBE_FGT_I)):
        c[name] = c.get(name, 0) | chosen(rand, bits, 0.9)
    c["brbcr_el1"] = brbcr(rand, kind)
    c["brbcr_el2"] = brbcr(rand, kind) & ~(0 if rand.random() < 0.2 else 3)
    c["brbfcr_el1"] = brbfcr(rand) | (rand.random() < 0.2) * bit(7)
    if kind.highest == 3:
        c["mdcr_el3"] |= rand.choice((3, 3, 3, 1, 0)) << 32
        c["mdcr_el3"] |= (rand.random() < 0.15) * chosen(rand, (37, 38), 0.7)


def wfi_trapped(c, kind, has_el2):
    """Returns the levels at which WFI is trapped whatever is pending."""
    levels = []
    twi = (has_el2 and c["hcr_el2"] & bit(13)) or c.get("scr_el3", 0) & bit(12)
    if twi or not c["sctlr_el1"] & bit(16) and not c["hcr_el2"] & bit(27):
        levels.append(0)
    if twi:
        levels.append(1)
    if kind.highest == 3 and c["scr_el3"] & bit(12):
        levels.append(2)
    return levels


def pmu_traps(c):
    return (c["mdcr_el2"] & 0x60 or c.get("mdcr_el3", 0) & bit(6) or
            (c["hdfgrtr_el2"] | c["hdfgwtr_el2"]) & ~BRBE_FGT)


def pmu(rand, kind, c):
    """Sets the PMU's registers: what counts, and how far from its overflow."""
    near = [-rand.getrandbits(rand.randrange(2, 15)) & MASK for _ in range(COUNTERS + 1)]
    values = {
        "pmevtyper": [kind.event_type(rand) for _ in range(COUNTERS)],
        "pmevcntr": [n if rand.random() < 0.6 else 0 for n in near[:COUNTERS]],
        "reload": [-1 - rand.getrandbits(rand.randrange(1, 15)) & MASK for _ in range(32)],
        "pmcntenset": rand.getrandbits(6) | rand.getrandbits(6),
        "pmintenset": rand.choice((rand.getrandbits(6), 0x3f, 0)),
        "pmuserenr_el0": rand.choice((0, 1, 0xf, rand.getrandbits(5))),
        "pmcr_el0": 0x41 | rand.choice((0, 0, 0x80, 0x20, 0x8)),
        "pmselr_el0": rand.randrange(PMU_COUNTERS),
        "pmccfiltr_el0": 0,
        "interrupts": rand.randrange(1, 24),
        "gicc_ctlr": rand.choice((1, 1, 1, 9)),
        "flags": 0,
    }
    if kind.modelled:
        values["pmcntenset"] |= rand.getrandbits(1) << 31
        values["pmintenset"] |= rand.getrandbits(1) << 31
    values["pmcntenset_el0"] = values.pop("pmcntenset")
    values["pmintenset_el1"] = values.pop("pmintenset")
    if not pmu_traps(c) and rand.random() < 0.5:
        values["flags"] |= NUMBERS["FLAG_DIRECT"]
    if rand.random() < 0.5:
        values["flags"] |= NUMBERS["FLAG_RFE"]
    return values


def plain(state, values):
    """The usual values, for shrinking."""
    return {"sctlr_el1": SCTLR | bit(16) | bit(18) | bit(33),
            "hcrx_el2": bit(11), "zcr_el1": 0xf, "zcr_el2": 0xf, "zcr_el3": 0xf,
            "hcr_el2": values.get("hcr_el2", 0) & bit(31),
            "cptr_el2": 0x32ff, "cptr_el3": bit(8), "mdcr_el2": PMU_COUNTERS,
            "cpacr_el1": 0xf << 20 if state is StateA32 else 0x33 << 16}


def bytes_of(words):
    return b"".join((word & 0xffffffff).to_bytes(4, "little") for word in words)


class State:
    """What programs of both instruction sets have in common."""
    guest = ARM
    # What shrinking makes simpler: registers, and lists of counter settings.
    controls = ARM.layout.controls + ["steps", "flags"]
    # The program does not control these bits, or the machine needs them.
    kept = {"flags": NUMBERS["FLAG_AARCH32"]}
    fixed_controls = ("scr_el3", "tcr_el1", "pmcr_el0", "fpexc32_el2")
    whole_controls = ("sctlr_el1",)
    arrays = {"pmevtyper": PMU_COUNTERS, "pmevcntr": PMU_COUNTERS, "reload": PMU_COUNTERS}

    @classmethod
    def rounds(cls, values):
        return values["regs"][cls.rounds_reg]

    @classmethod
    def one_round(cls, values):
        regs = list(values["regs"])
        regs[cls.rounds_reg] = 1
        return {"regs": regs}

    @classmethod
    def described(cls, program, entry, size):
        """Returns the values of a struct program, for code at that address."""
        values = dict(program.values)
        values["entry"] = entry
        values["regs"] = list(values["regs"])
        values["regs"][NUMBERS[cls.resume]] = entry
        if program.break_at is not None and values.get("dbgbcr0_el1"):
            values["dbgbvr0_el1"] = entry + (int(size * program.break_at) & -4)
        return values

    @staticmethod
    def appendix(_program):
        """The code that follows the items."""
        return b""

    @staticmethod
    def stop(rand, _program, size):
        """An offset in the code at which an instruction may begin."""
        return rand.randrange(size) & -4

    @staticmethod
    def has_breakpoint(program):
        return any(program.values.get(f"dbgbcr{n}_el1") for n in (0, 1))

    @staticmethod
    def breaks_at_entry(_program):
        return False

    @staticmethod
    def traps_after_access(_program):
        """Watchpoints stop before the access."""
        return False

    @staticmethod
    def is_stepped32(program):
        return bool(program.values["spsr"] & PSTATE_NRW and program.values.get("mdscr_el1", 0) & 1)

    @classmethod
    def summary(cls, program, entry):
        """Returns lines: registers that have unusual values."""
        values = program.values
        lines = [f"program {program.name}, highest level {program.machine.highest}, from {entry:#x}, "
                 f"SPSR {values['spsr']:#x}, {cls.rounds(values)} rounds"]
        shown = [f"{name}={values.get(name, 0):#x}" for name in ARM.layout.controls
                 if values.get(name, 0) != program.plain.get(name, 0)]
        lines.append("  " + " ".join(shown))
        for n in range(PMU_COUNTERS):
            lines.append(f"  counter {n}: PMEVTYPER {values['pmevtyper'][n]:#x} "
                         f"PMEVCNTR {values['pmevcntr'][n]:#x} again {values['reload'][n]:#x}")
        letter = "r" if cls.name == "a32" else "x"
        lines.append("  " + " ".join(f"{letter}{n}={reg:#x}"
                                     for n, reg in enumerate(values["regs"]) if reg))
        lines.append(f"  flags={values['flags']:#x} steps={values.get('steps', 0)} "
                     f"interrupts={values['interrupts']} gicc_ctlr={values['gicc_ctlr']}")
        return lines


class StateA64(State):
    """How an A64 program is put together."""
    name = "a64"
    resume = "RESUME_REG"
    rounds_reg = a64.ROUNDS
    fixed = {a64.ALIAS, a64.DEVICE, a64.RESUME, a64.ROUNDS, a64.EDGE, a64.DATA}

    @staticmethod
    def nops(_name, _word):
        return a64.NOP

    @staticmethod
    def pieces(items):
        at = 0
        for name, words in items:
            yield name, at, bytes_of(words), "a64"
            at += 4 * len(words)
        yield "end", at, bytes_of(a64.loop_end(at // 4)), "a64"

    @staticmethod
    def registers(rand, rounds):
        regs = [rand.choice((rand.getrandbits(64), rand.getrandbits(8), rand.getrandbits(32),
                             DATA + 8 * rand.getrandbits(6))) for _ in range(31)]
        regs[a64.ALIAS] = NUMBERS["ALIAS_BASE"] - NUMBERS["RAM_BASE"]
        regs[a64.DEVICE] = NUMBERS["UART_BASE"]
        regs[a64.RESUME] = 0    # set to the entry when its address is known
        regs[a64.ROUNDS] = rounds
        regs[a64.EDGE] = EDGE
        regs[a64.DATA] = DATA
        return regs


def finished(program, rand, highest, modelled):
    program.break_at = rand.random()
    program.plain = plain(program.state, program.values)
    program.machine = Machine(highest, modelled)
    return program


def debug(rand, kind, values):
    """Steps, breakpoints and watchpoints."""
    values["steps"] = rand.randrange(1, 60)
    values["mdscr_el1"] = rand.choice((1, 1, 0x8000, 0x8001)) | rand.choice((0, 0x2000))
    # Breakpoint 0's address is set when the code has one.
    values["dbgbcr0_el1"] = rand.choice((0, 0x1e7, 0x1e5))
    values["dbgwvr0_el1"] = DATA + 8 * rand.getrandbits(7)
    values["dbgwcr0_el1"] = rand.choice((0, 0x1fff & ~0x6 | 0x6 | rand.choice((8, 0x10, 0x18))))
    values["spsr"] |= bit(21)


def program_a64(seed, highest, modelled, length):
    rand = random.Random(f"a64 {highest} {modelled} {length} {seed}")
    kind = Kind(rand, highest, modelled)
    values = controls64(rand, kind)
    values.update(pmu(rand, kind, values))
    level = rand.choice(kind.levels)
    values["spsr"] = level << 2 | (rand.getrandbits(1) if level else 0) | kind.masks(rand) << 6
    rounds = rand.choice((1, 2, 3, 5, 9))
    values["regs"] = StateA64.registers(rand, rounds)
    values["data_seed"] = rand.getrandbits(63) | 1
    if kind.stepped:
        debug(rand, kind, values)
    count = rand.randrange(length // 10, length)
    items = a64.Generator(rand, kind).items(count)
    program = Program(f"a64-{seed}", StateA64, values, items, 4 * rand.getrandbits(10))
    return finished(program, rand, highest, modelled)


class StateA32(State):
    """How a program of A32 and T32 is put together."""
    name = "a32"
    resume = "RESUME_REG32"
    rounds_reg = a32.ROUNDS
    fixed = {7, 8, 9, 10, 11} | set(range(13, 31))

    @staticmethod
    def nops(name, word):
        if not name.startswith("t32"):
            return 0xe1a00000
        return 0xf3af8000 if word >= 0x10000 else 0xbf00

    @staticmethod
    def pieces(items):
        return a32.pieces(items)

    @staticmethod
    def registers(rand, rounds):
        regs = [rand.choice((rand.getrandbits(32), rand.getrandbits(8),
                             DATA + 8 * rand.getrandbits(6))) for _ in range(31)]
        high = [DATA, EDGE, rounds, NUMBERS["UART_BASE"], 0]
        regs[8:13] = high
        regs[24:29] = high          # of FIQ mode
        return regs


def to_aarch32(rand, kind, c, at_el1):
    """Sets those controls that differ for AArch32 at EL0, or at EL1 as well."""
    c["fpexc32_el2"] = bit(30)
    c["cpacr_el1"] = rand.choice((0xf, 0xf, 0xf, 0)) << 20
    c["hstr_el2"] = chosen(rand, [n for n in range(16) if n not in (4, 14)],
                           rand.choice((0, 0.1, 0.3))) if kind.trapping else 0
    c["hcr_el2"] &= ~bit(27)
    # HCR_EL2.TGE is not for EL1, and nothing may prevent an AArch32 handler from asking a higher
    # level.
    if at_el1:
        c["hcr_el2"] &= ~bit(31)
        c["tcr_el1"] = TTBCR
        if kind.highest == 3 and not c["scr_el3"] & (bit(0) | bit(18)):
            # HVC is undefined there, because QEMU looks only at HCE.
            c["scr_el3"] &= ~(bit(10) | bit(8))
    trapped = wfi_trapped(c, kind, kind.highest == 2 or c["scr_el3"] & (bit(0) | bit(18)))
    kind.wfi_trapped32 = 0 in trapped and (1 in trapped or not at_el1)


def program_a32(seed, highest, modelled, length):
    rand = random.Random(f"a32 {highest} {modelled} {length} {seed}")
    kind = Kind(rand, highest, modelled)
    values = controls64(rand, kind)
    at_el1 = rand.random() < 0.75
    to_aarch32(rand, kind, values, at_el1)
    values.update(pmu(rand, kind, values))
    modes = rand.choice((rand.sample(a32.MODES[:-1], rand.randrange(1, 5)), [0x10, 0x13]))
    kind.modes = modes if at_el1 else [0x10]
    kind.lr_safe = set(kind.modes) <= {0x10, 0x13, 0x1f} and rand.random() < 0.7
    values["spsr"] = rand.choice(kind.modes) if at_el1 else 0x10
    values["spsr"] |= kind.masks32(rand) if at_el1 else 0
    if at_el1:
        values["flags"] |= NUMBERS["FLAG_AARCH32"]
    rounds = rand.choice((1, 2, 3, 5, 9))
    values["regs"] = StateA32.registers(rand, rounds)
    values["data_seed"] = rand.getrandbits(63) | 1
    if kind.stepped:
        debug(rand, kind, values)
    sets = rand.choice(((a32.A32,), (a32.T32,), (a32.A32, a32.T32)))
    count = rand.randrange(length // 10, length)
    items = []
    while len(items) < count:
        items += rand.choice(sets)(rand, kind).items(min(count, rand.randrange(20, 120)))
    program = Program(f"a32-{seed}", StateA32, values, items, 4 * rand.getrandbits(10))
    return finished(program, rand, highest, modelled)
