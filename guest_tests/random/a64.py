# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random A64 code: items, each a list of instructions that work wherever they are.

Registers: x0 to x17 are random data. x19 to x22 are for an item's own use. x23 is the alias of the
program's code, x24 a device, x25 where to continue after a jump to an invalid address, x26 the
remaining rounds, x27 the end of the data, after which nothing is mapped, x28 the data.
"""

from layout import ARM

NUMBERS = ARM.numbers

SCRATCH, SCRATCH2 = 19, 20
ALIAS, DEVICE, RESUME, ROUNDS, EDGE, DATA = 23, 24, 25, 26, 27, 28
NOP = 0xd503201f
ISB = 0xd5033fdf
ERET = 0xd69f03e0


def sysreg(op0, op1, crn, crm, op2):
    return op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5


def mrs(rt, reg):
    return 0xd5200000 | reg | rt


def msr(reg, rt):
    return 0xd5000000 | reg | rt


def movz(rd, imm, hw=0):
    return 0xd2800000 | hw << 21 | imm << 5 | rd


def movk(rd, imm, hw):
    return 0xf2800000 | hw << 21 | imm << 5 | rd


def mov_imm(rd, value):
    """MOVZ and as many MOVK as needed."""
    words = [movz(rd, value & 0xffff)]
    for hw in range(1, 4):
        part = value >> 16 * hw & 0xffff
        if part:
            words.append(movk(rd, part, hw))
    return words


def mov32(rd, value):
    """Always two instructions."""
    return [movz(rd, value & 0xffff), movk(rd, value >> 16, 1)]


def adr(rd, offset):
    return 0x10000000 | (offset & 3) << 29 | (offset >> 2 & 0x7ffff) << 5 | rd


def add_imm(rd, rn, imm):
    return 0x91000000 | imm << 10 | rn << 5 | rd


def b(offset):
    return 0x14000000 | offset >> 2 & 0x3ffffff


def cbnz(rt, offset):
    return 0xb5000000 | (offset >> 2 & 0x7ffff) << 5 | rt


def call(name, imm):
    return {"svc": 0xd4000001, "hvc": 0xd4000002, "smc": 0xd4000003, "brk": 0xd4200000,
            "hlt": 0xd4400000}[name] | imm << 5


# System registers that may be read and written at any time. The names are for readers of this file.
PMCR = sysreg(3, 3, 9, 12, 0)
PMCNTENSET = sysreg(3, 3, 9, 12, 1)
PMCNTENCLR = sysreg(3, 3, 9, 12, 2)
PMOVSCLR = sysreg(3, 3, 9, 12, 3)
PMSWINC = sysreg(3, 3, 9, 12, 4)
PMSELR = sysreg(3, 3, 9, 12, 5)
PMCEID0 = sysreg(3, 3, 9, 12, 6)
PMCEID1 = sysreg(3, 3, 9, 12, 7)
PMCCNTR = sysreg(3, 3, 9, 13, 0)
PMXEVTYPER = sysreg(3, 3, 9, 13, 1)
PMXEVCNTR = sysreg(3, 3, 9, 13, 2)
PMUSERENR = sysreg(3, 3, 9, 14, 0)
PMOVSSET = sysreg(3, 3, 9, 14, 3)
PMINTENSET = sysreg(3, 0, 9, 14, 1)
PMINTENCLR = sysreg(3, 0, 9, 14, 2)
PMCCFILTR = sysreg(3, 3, 14, 15, 7)
NZCV = sysreg(3, 3, 4, 2, 0)
DAIF = sysreg(3, 3, 4, 2, 1)
FPCR = sysreg(3, 3, 4, 4, 0)
FPSR = sysreg(3, 3, 4, 4, 1)
CURRENT_EL = sysreg(3, 0, 4, 2, 2)
TPIDR_EL0 = sysreg(3, 3, 13, 0, 2)
TPIDRRO_EL0 = sysreg(3, 3, 13, 0, 3)
TPIDR_EL1 = sysreg(3, 0, 13, 0, 4)
CONTEXTIDR = sysreg(3, 0, 13, 0, 1)
ELR = {1: sysreg(3, 0, 4, 0, 1), 2: sysreg(3, 4, 4, 0, 1), 3: sysreg(3, 6, 4, 0, 1)}
SPSR = {1: sysreg(3, 0, 4, 0, 0), 2: sysreg(3, 4, 4, 0, 0), 3: sysreg(3, 6, 4, 0, 0)}
ISR = sysreg(3, 0, 12, 1, 0)
TTBR0 = sysreg(3, 0, 2, 0, 0)
TTBR1 = sysreg(3, 0, 2, 0, 1)
MDSCR = sysreg(2, 0, 0, 2, 2)


BRBCR = [sysreg(2, 1, 9, 0, 0), sysreg(2, 4, 9, 0, 0), sysreg(2, 5, 9, 0, 0)]  # EL1, EL2, EL12
BRBFCR = sysreg(2, 1, 9, 0, 1)
BRBTS = sysreg(2, 1, 9, 0, 2)
BRBIDR0 = sysreg(2, 1, 9, 2, 0)
BRBE_INJECTED = [sysreg(2, 1, 9, 1, 0), sysreg(2, 1, 9, 1, 1), sysreg(2, 1, 9, 1, 2)]
BRB_IALL, BRB_INJ = 0xd509729f, 0xd50972bf


def branch_record(n, part):
    """BRBINF<n>, BRBSRC<n> or BRBTGT<n>."""
    return sysreg(2, 1, 8, n & 15, n >> 4 << 2 | part)


def pmevcntr(n):
    return sysreg(3, 3, 14, 8 + (n >> 3), n & 7)


def pmevtyper(n):
    return sysreg(3, 3, 14, 12 + (n >> 3), n & 7)


READABLE = [
    PMCR, PMCNTENSET, PMCNTENCLR, PMOVSCLR, PMSELR, PMCEID0, PMCEID1, PMXEVTYPER, PMXEVCNTR,
    PMUSERENR, PMOVSSET, PMINTENSET, PMINTENCLR, PMCCFILTR, NZCV, DAIF, FPCR, FPSR, CURRENT_EL,
    TPIDR_EL0, TPIDRRO_EL0, TPIDR_EL1, CONTEXTIDR, TTBR0,
    sysreg(3, 3, 0, 0, 1),    # CTR_EL0
    sysreg(3, 3, 0, 0, 7),    # DCZID_EL0
    sysreg(3, 0, 0, 0, 0),    # MIDR_EL1
    sysreg(3, 0, 0, 0, 5),    # MPIDR_EL1
    sysreg(3, 0, 0, 4, 0),    # ID_AA64PFR0_EL1
    sysreg(3, 0, 0, 5, 0),    # ID_AA64DFR0_EL1
    sysreg(3, 0, 0, 6, 0),    # ID_AA64ISAR0_EL1
    sysreg(3, 0, 0, 1, 0),    # ID_PFR0_EL1
    sysreg(3, 0, 1, 0, 0),    # SCTLR_EL1
    sysreg(3, 0, 1, 0, 2),    # CPACR_EL1
    sysreg(3, 0, 2, 0, 2),    # TCR_EL1
    sysreg(3, 0, 5, 2, 0),    # ESR_EL1
    sysreg(3, 0, 6, 0, 0),    # FAR_EL1
    sysreg(3, 0, 7, 4, 0),    # PAR_EL1
    sysreg(3, 0, 10, 2, 0),   # MAIR_EL1
    sysreg(3, 0, 12, 0, 0),   # VBAR_EL1
    ISR,
    sysreg(3, 0, 4, 2, 0),    # SPSel
    sysreg(3, 4, 1, 1, 0),    # HCR_EL2
    sysreg(3, 4, 1, 1, 1),    # MDCR_EL2
    sysreg(3, 4, 5, 2, 0),    # ESR_EL2
    sysreg(3, 6, 1, 1, 0),    # SCR_EL3
    sysreg(3, 6, 1, 3, 1),    # MDCR_EL3
    MDSCR,
    sysreg(2, 0, 1, 1, 4),    # OSLSR_EL1
    sysreg(2, 0, 0, 0, 5),    # DBGBCR0_EL1
    sysreg(2, 3, 0, 1, 0),    # MDCCSR_EL0
]

# Any value may be written to these, because nothing depends on them.
WRITABLE = [PMSELR, PMOVSCLR, PMOVSSET, PMSWINC, PMXEVCNTR, NZCV, FPSR, TPIDR_EL0, TPIDRRO_EL0,
            TPIDR_EL1, CONTEXTIDR, PMCNTENCLR, PMINTENSET,
            sysreg(3, 0, 5, 2, 0), sysreg(3, 0, 6, 0, 0), sysreg(3, 0, 7, 4, 0),
            sysreg(3, 4, 13, 0, 2), sysreg(3, 6, 13, 0, 2)]

# Maintenance operations that take no address, or any address.
MAINTENANCE = [
    0xd508751f,                # IC IALLU
    0xd508711f,                # IC IALLUIS
    0xd508871f,                # TLBI VMALLE1
    0xd508831f,                # TLBI VMALLE1IS
    0xd50c871f,                # TLBI ALLE2
    0xd50e871f,                # TLBI ALLE3
]
BY_ADDRESS = [
    0xd50b7a20,                # DC CVAC
    0xd50b7b20,                # DC CVAU
    0xd50b7e20,                # DC CIVAC
    0xd50b7420,                # DC ZVA
    0xd5087620,                # DC IVAC
    0xd5087800,                # AT S1E1R
    0xd5087840,                # AT S1E0R
    0xd50c7800,                # AT S1E2R
    0xd50b7520,                # IC IVAU
]
BARRIERS = [0xd5033fbf, 0xd5033f9f, ISB, 0xd5033bbf, 0xd503309f]
# SEVL and WFE: with an event, WFE neither waits nor traps. Without one it waits in QEMU 11.1, and is
# a NOP in earlier versions.
WFE = [0xd50320bf, 0xd503205f]
# The hints: NOP, YIELD, WFE, SEV, SEVL, CSDB, BTI, PACIASP and similar ones.
HINTS = [[0xd503201f], [0xd503203f], WFE, [0xd503209f], [0xd50320bf], [0xd503229f], [0xd503245f],
         [0xd503221f]]


class Generator:
    """Makes items from a source of random numbers, for a program of some kind."""

    def __init__(self, rand, kind):
        self.rand = rand
        self.kind = kind
        self.bits = rand.getrandbits
        self.pick = rand.choice
        self.weighted = [(self.alu, 30), (self.alu2, 10), (self.memory, 22), (self.pair, 6),
                         (self.atomic, 5), (self.vector, 6), (self.sve, 4),
                         (self.memory_operation, 3), (self.branch, 14), (self.loop, 4),
                         (self.call, 5), (self.indirect, 3), (self.fault, 3), (self.cliff, 1),
                         (self.read_register, 7), (self.write_register, 4), (self.pmu, 7), (self.brbe, 4),
                         (self.exception, 4), (self.level_down, 2), (self.masks, 3),
                         (self.system, 4), (self.wait, 1), (self.selfmod, 1), (self.device, 2),
                         (self.illegal, 1), (self.psci, 3 if kind.highest == 2 else 0)]
        self.functions = [f for f, _ in self.weighted]
        self.weights = [w * (0.2 + rand.random() * 1.8) for _, w in self.weighted]

    def items(self, count):
        return [(f.__name__, f()) for f in
                self.rand.choices(self.functions, self.weights, k=count)]

    # -- parts

    def reg(self):
        return self.bits(5) % 18

    def reg_or_zero(self):
        n = self.bits(5)
        return n % 18 if n < 30 else 31

    def offset(self, align):
        """An offset in the data."""
        return self.bits(12) & ~(align - 1) & 0x7ff

    # -- items

    def rounds(self):
        """Iterations of a loop: few, or so many that this level is far ahead of another."""
        return 2 + (self.bits(12) if self.bits(3) == 0 else self.bits(4))

    def alu(self):
        r = self.bits
        rd, rn, rm = self.reg_or_zero(), self.reg(), self.reg_or_zero()
        sf = r(1) << 31
        form = r(3)
        if form == 0:
            return [sf | 0x11000000 | r(2) << 29 | r(12) << 10 | rn << 5 | rd % 18]
        if form == 1:
            return [sf | 0x12000000 | r(2) << 29 | (sf >> 31 & r(1)) << 22 | r(5) << 16 |
                    r(5) << 10 | rn << 5 | rd % 18]
        if form == 2:
            return [sf | 0x0a000000 | r(2) << 29 | r(2) << 22 | r(1) << 21 | rm << 16 |
                    (r(5)) << 10 | rn << 5 | rd]
        if form == 3:
            return [sf | 0x0b000000 | r(2) << 29 | r(2) % 3 << 22 | rm << 16 | r(5) << 10 |
                    rn << 5 | rd]
        if form == 4:
            return [0xd2800000 | r(1) << 29 | r(2) << 21 | r(16) << 5 | rd % 18]
        if form == 5:
            return [sf | 0x1a000000 | r(2) << 29 | rm << 16 | rn << 5 | rd]   # ADC
        if form == 6:
            return [sf | 0x1a800000 | r(1) << 30 | r(1) << 10 | r(4) << 12 | rm << 16 |
                    rn << 5 | rd]   # CSEL
        return [sf | 0x3a400000 | r(1) << 30 | r(1) << 11 | rm << 16 | r(4) << 12 | rn << 5 |
                r(4)]   # CCMP

    def alu2(self):
        r = self.bits
        rd, rn, rm = self.reg(), self.reg(), self.reg()
        sf = r(1) << 31
        form = r(2)
        if form == 0:
            op = self.pick((2, 3, 8, 9, 10, 11))
            return [sf | 0x1ac00000 | rm << 16 | op << 10 | rn << 5 | rd]
        if form == 1:
            op = self.pick((0, 1, 2, 4, 5))
            return [sf | 0x5ac00000 | op << 10 | rn << 5 | rd]
        if form == 2:
            return [0x9b000000 | self.pick((0, 1, 2, 5, 6)) << 21 | rm << 16 | r(1) << 15 |
                    self.reg() << 10 | rn << 5 | rd]
        n = sf >> 31
        return [sf | 0x13000000 | r(2) % 3 << 29 | n << 22 | r(5) << 16 | r(5) << 10 | rn << 5 |
                rd]

    def memory(self):
        r = self.bits
        rt = self.reg_or_zero()
        size = r(2)
        opc = self.pick((0, 0, 1, 1, 2, 3)) if size < 2 else self.pick((0, 0, 1, 1, 2)) \
            if size == 2 else r(1)
        base = size << 30 | 0x38000000 | opc << 22
        form = r(3)
        if form < 3:   # unsigned immediate
            imm = self.offset(1) >> size
            return [base | 1 << 24 | imm << 10 | DATA << 5 | rt]
        if form == 3:  # unscaled, also unaligned
            return [add_imm(SCRATCH, DATA, 0x200), base | (r(9) << 12) | SCRATCH << 5 | rt]
        if form == 4:  # before or after
            return [add_imm(SCRATCH, DATA, 0x300 + r(4)),
                    base | r(9) << 12 | (1 + 2 * r(1)) << 10 | SCRATCH << 5 | rt]
        if form == 5:  # a register
            return [0x927d1c00 | self.reg() << 5 | SCRATCH2,    # AND x20, xN, #0x7f8
                    base | 1 << 21 | SCRATCH2 << 16 | 3 << 13 | 2 << 10 | DATA << 5 | rt]
        if form == 6:  # literal
            return [0x58000000 | r(1) << 30 | r(6) << 5 | self.reg()]
        acquire = self.pick((0x08dffc00, 0x089ffc00))
        imm = self.offset(8)
        return [add_imm(SCRATCH, DATA, imm), size << 30 | acquire | SCRATCH << 5 | rt]

    def pair(self):
        r = self.bits
        rt, rt2 = self.reg(), self.reg()
        if rt == rt2:
            rt2 = 31
        load = r(1)
        form = 1 + r(2) % 3
        wide = r(1)
        return [add_imm(SCRATCH, DATA, 0x400 + (r(3) if r(2) == 0 else 0)),
                wide << 31 | 0x28000000 | form << 23 | load << 22 | r(7) << 15 | rt2 << 10 |
                SCRATCH << 5 | rt]

    def atomic(self):
        r = self.bits
        size = 2 + r(1)
        address = add_imm(SCRATCH, DATA, self.offset(8))
        rs, rt = self.reg(), self.reg_or_zero()
        form = r(2)
        if form == 0:   # LDADD and similar ones, SWP
            op = r(4) % 9
            return [address, size << 30 | 0x38200000 | r(2) << 22 | rs << 16 | op << 12 |
                    SCRATCH << 5 | rt]
        if form == 1:   # CAS
            return [address, size << 30 | 0x08a07c00 | r(1) << 22 | r(1) << 15 | rs << 16 |
                    SCRATCH << 5 | rt]
        load = size << 30 | 0x085f7c00 | SCRATCH << 5 | rt
        store = size << 30 | 0x08007c00 | SCRATCH2 << 16 | SCRATCH << 5 | rs
        if form == 2:   # exclusives that succeed
            return [address, load, store, 0x2a000000 | SCRATCH2 << 16 | 31 << 5 | self.reg()]
        return [address, self.pick((load, store, 0xd503305f)), store]

    def vector(self):
        r = self.bits
        rd, rn, rm = r(5), r(5), r(5)
        form = r(3)
        if form == 0:
            return [0x1e202800 | r(1) << 22 | rm << 16 | (r(2) & 1) << 12 | rn << 5 | rd]
        if form == 1:
            return [0x0e208400 | r(1) << 30 | r(1) << 29 | r(2) % 3 << 22 | rm << 16 | rn << 5 | rd]
        if form == 2:
            return [0x1e260000 | self.reg() | rn << 5]     # FMOV w, s
        if form == 3:
            return [0x9e670000 | self.reg() << 5 | rd]     # FMOV d, x
        if form == 4:
            return [0x3dc00000 | (self.offset(16) >> 4) << 10 | DATA << 5 | rd]
        if form == 5:
            return [0x3d800000 | (self.offset(16) >> 4) << 10 | DATA << 5 | rd]
        if form == 6:
            return [add_imm(SCRATCH, DATA, self.offset(8)),
                    0x0c402000 | r(1) << 30 | r(2) << 10 | self.pick((7, 10)) << 12 |
                    r(1) << 22 | SCRATCH << 5 | rd]
        return [0xad400000 | r(1) << 22 | r(4) << 15 | rm << 10 | DATA << 5 | rd]

    def somewhere(self):
        """Puts an address of the data, or one shortly before the hole, into SCRATCH."""
        if self.bits(2):
            return add_imm(SCRATCH, DATA, 0x400 + (self.bits(3) if self.bits(2) == 0 else 0))
        return 0xd1000000 | self.bits(8) << 10 | EDGE << 5 | SCRATCH    # SUB

    def sve(self):
        """Accesses as many elements as a predicate says, some of which may be unmapped."""
        r = self.bits
        pg, zt, zn = r(3), r(5), r(5)
        words = [0x2518e000 | r(2) << 22 | r(5) << 5 | pg, self.somewhere()]    # PTRUE
        near = ((r(3) - 4) & 0xf) << 16
        form = r(3)
        if form == 0:
            return words + [0xa400a000 | r(4) << 21 | near | pg << 10 | SCRATCH << 5 | zt]  # LD1
        if form == 1:
            msz = r(2)
            return words + [0xe400e000 | msz << 23 | self.rand.randrange(msz, 4) << 21 | near |
                            pg << 10 | SCRATCH << 5 | zt]                       # ST1
        if form == 2:
            return words + [0xa410a000 | r(4) << 21 | near | pg << 10 | SCRATCH << 5 | zt]  # LDNF1
        if form == 3:
            return words + [0xa4006000 | r(4) << 21 | 31 << 16 | pg << 10 | SCRATCH << 5 | zt]  # LDFF1
        if form == 4:   # LASTB to a general register
            return words + [0x0521a000 | r(2) << 22 | pg << 10 | zn << 5 | self.reg()]
        words.append(0x04e04400 | r(5) << 16 | SCRATCH << 5 | zn)               # INDEX
        if form == 5:   # ST1D to each element's address
            return words + [0xe5c0a000 | pg << 10 | zn << 5 | zt]
        return words + [0xc5a0c000 | r(1) << 13 | pg << 10 | zn << 5 | zt]      # LD1D, LDFF1D

    def memory_operation(self):
        """FEAT_MOPS: prologue, main part and epilogue of a set or a copy."""
        r = self.bits
        size = SCRATCH + 2
        first = self.pick((0x19c00400, 0x19000400, 0x1d000400))
        step = 0x4000 if first == 0x19c00400 else 0x400000
        source = self.reg_or_zero() if step == 0x4000 else SCRATCH2
        return [self.somewhere(), add_imm(SCRATCH2, DATA, self.offset(1) >> 1), movz(size, r(9))] + [
            first + part * step | source << 16 | size << 5 | SCRATCH for part in range(3)]

    def some(self, count):
        words = []
        for _ in range(count):
            words += self.pick((self.alu, self.alu, self.memory, self.alu2))()
        return words

    def branch(self):
        """A forward branch over a few instructions."""
        r = self.bits
        over = self.some(1 + r(2))
        offset = 4 * (len(over) + 1)
        form = r(2)
        if form == 0:
            return [0x54000000 | (offset >> 2) << 5 | r(4)] + over
        if form == 1:
            return [r(1) << 31 | 0x34000000 | r(1) << 24 | (offset >> 2) << 5 | self.reg()] + over
        if form == 2:
            return [r(1) << 31 | 0x36000000 | r(1) << 24 | r(5) << 19 | (offset >> 2) << 5 |
                    self.reg()] + over
        return [b(offset)] + over

    def loop(self):
        """A few iterations of a few instructions, which may be interrupted anywhere."""
        body = self.some(1 + self.bits(2))
        return [movz(SCRATCH + 2, self.rounds())] + body + [
            0xd1000400 | (SCRATCH + 2) << 5 | SCRATCH + 2,
            cbnz(SCRATCH + 2, -4 * (len(body) + 1))]

    def call(self):
        """BL, and RET from there."""
        body = self.some(1 + self.bits(1))
        return [0x94000002, b(4 * (len(body) + 2))] + body + [0xd65f03c0]

    def indirect(self):
        over = self.some(1 + self.bits(2))
        jump = self.pick((0xd61f0000, 0xd63f0000, 0xd65f0000))
        return [adr(SCRATCH, 4 * (len(over) + 2)), jump | SCRATCH << 5] + over

    def fault(self):
        """Accesses that fault in the middle of a block."""
        r = self.bits
        rt, rt2 = self.reg(), (self.reg() + 1)
        form = r(3)
        if form == 0:
            words = [0xf9400000 | EDGE << 5 | rt]                   # LDR x, [edge]
        elif form == 1:
            words = [0xf8400000 | (0x1fc << 12) | EDGE << 5 | rt]   # LDUR x, [edge, #-4]
        elif form == 2:
            words = [0xf8000000 | (0x1fc << 12) | EDGE << 5 | rt]   # STUR
        elif form == 3:
            words = [0xa9000000 | r(1) << 22 | 0x7f << 15 | rt2 << 10 | EDGE << 5 | rt]
        elif form == 4:
            words = [0xf9000000 | (PAGE_TO_READ_ONLY >> 3) << 10 | EDGE << 5 | rt]
        elif form == 5:
            words = [0xb9400000 | RESUME << 5 | rt]                 # LDR of code
        elif form == 6:
            words = movz_high(SCRATCH, 0x0e00) + [0xf9400000 | SCRATCH << 5 | rt]
        else:
            words = [0xc85f7c00 | EDGE << 5 | rt]                     # LDXR
        return self.some(1) + words + self.some(1)

    def cliff(self):
        """
        Code that runs over the end of its page to an unmapped page, or a jump straight into that.
        """
        r = self.bits
        target = NUMBERS["PLAYGROUND_BASE"] + (NUMBERS["PAGE_CLIFF"] + 1) * 4096 - 4 * r(4)
        if r(3) == 0:
            target += 2     # not aligned
        words = mov_imm(SCRATCH, target)
        return [adr(RESUME, 4 * (len(words) + 2))] + words + [0xd61f0000 | SCRATCH << 5]

    def read_register(self):
        reg = pmevcntr(self.bits(3)) if self.bits(2) == 0 else self.pick(READABLE)
        return [mrs(self.reg(), reg)]

    def write_register(self):
        reg = self.pick(WRITABLE)
        words = [msr(reg, self.reg_or_zero())]
        if self.bits(1):
            words.append(ISB)
        return words

    def pmu(self):
        """Writes values to the PMU's registers that have an effect."""
        r = self.bits
        form = r(4)
        n = r(3) % 6
        if form < 4:       # close to the end
            words = [0x92800000 | r(5 + r(2)) << 5 | SCRATCH, msr(pmevcntr(n), SCRATCH)]
        elif form < 6:
            words = mov_imm(SCRATCH, self.kind.event_type(self.rand)) + [msr(pmevtyper(n), SCRATCH)]
        elif form < 8:
            words = [movz(SCRATCH, r(6)), msr(self.pick((PMCNTENSET, PMCNTENCLR)), SCRATCH)]
        elif form == 8:
            words = [movz(SCRATCH, r(6)), msr(self.pick((PMINTENSET, PMINTENCLR)), SCRATCH)]
        elif form < 11:
            words = [movz(SCRATCH, r(6)), msr(self.pick((PMOVSCLR, PMOVSSET, PMSWINC)), SCRATCH)]
        elif form == 11:
            words = [movz(SCRATCH, self.pick((0x41, 0x41, 0x41, 0x43, 0x40, 0xc1, 0x61, 0x47))),
                     msr(PMCR, SCRATCH)]
        elif form == 12:
            words = [movz(SCRATCH, r(5) % 8), msr(PMSELR, SCRATCH), mrs(self.reg(), PMXEVCNTR)]
        elif form == 13:
            words = [movz(SCRATCH, r(3)), msr(PMSELR, SCRATCH),
                     0x92800000 | r(7) << 5 | SCRATCH, msr(PMXEVCNTR, SCRATCH)]
        elif form == 14:
            words = [movz(SCRATCH, r(5)), msr(PMUSERENR, SCRATCH)]
        else:
            words = [mrs(self.reg(), pmevcntr(n)), mrs(self.reg(), PMOVSCLR)]
        if r(1):
            words.append(ISB)
        return words

    def brbe(self):
        """Reads and writes registers of branch records. BRBTS_EL1 is a time, so it is only written."""
        r = self.bits
        form = r(4)
        if form < 6:
            return [mrs(self.reg(), branch_record(r(5), r(2) % 3))]
        if form < 9:    # not PAUSED too often: nothing more would be recorded
            words = mov_imm(SCRATCH, self.kind.brbfcr(self.rand) | (r(2) == 0) << 7 | r(2) << 28)
            words.append(msr(BRBFCR, SCRATCH))
        elif form < 11:
            words = mov_imm(SCRATCH, self.kind.brbcr(self.rand)) + [msr(self.pick(BRBCR), SCRATCH)]
        elif form == 11:
            words = [BRB_IALL if r(1) else BRB_INJ]
        elif form < 14:
            words = [msr(self.pick(BRBE_INJECTED + [BRBTS]), self.reg_or_zero())]
            if r(1):
                words += [ISB, BRB_INJ]
        else:
            words = [mrs(self.reg(), self.pick(BRBCR + [BRBFCR, BRBIDR0] + BRBE_INJECTED))]
        if r(1):
            words.append(ISB)
        return words

    def exception(self):
        """
        Calls, which may ask to continue at another level; breakpoints; undefined instructions.
        """
        r = self.bits
        form = r(3)
        if form < 5:
            name = self.pick(("svc", "svc", "hvc", "smc"))
            imm = (r(4) & 7) | 8 | self.kind.masks(self.rand) << 4 if r(1) else r(3)
            words = [call(name, imm)]
            if name == "smc":
                words.insert(0, movz(0, r(8)))     # not a PSCI call
            return words
        if form == 5:
            return [call("brk", r(16))]
        if form == 6:
            return [call("hlt", r(8))]
        return [r(16)]

    def level_down(self):
        """ERET to where it continues, at this level or below."""
        level = self.pick(self.kind.levels)
        if level == 0:
            return [ERET] if self.bits(3) == 0 and not self.kind.levels else self.alu()
        to = self.bits(4) % (level + 1)
        spsr = to << 2 | (self.bits(1) if to else 0) | self.kind.masks(self.rand) << 6 | \
            self.bits(4) << 28
        words = mov_imm(SCRATCH, spsr)
        # At another level the registers are refused or belong to someone else, and ERET would go to
        # some ELR. So the item is skipped there.
        check = [mrs(SCRATCH2, CURRENT_EL),
                 0xf1000000 | level << 2 << 10 | SCRATCH2 << 5 | 31]   # CMP x20, #level << 2
        # Nothing that changes ELR may come in between: it would return to itself for ever.
        rest = [0xd5034fdf, msr(SPSR[level], SCRATCH), adr(SCRATCH, 12), msr(ELR[level], SCRATCH),
                ERET]
        return [movz(SCRATCH2, 0)] + check + [0x54000001 | (len(words) + len(rest) + 1) << 5] + \
            words + rest

    def masks(self):
        r = self.bits
        form = r(3)
        if form < 5:
            return [self.pick((0xd50340df, 0xd50340ff)) | (self.kind.masks(self.rand) or 2) << 8]
        if form == 5:
            return [0xd50040bf | r(1) << 8]                 # SPSel
        if form == 6:
            return [movz(SCRATCH, self.kind.masks(self.rand) << 6), msr(DAIF, SCRATCH)]
        return [0xd500409f | r(1) << 8] if self.kind.pan else [mrs(self.reg(), DAIF)]

    def system(self):
        r = self.bits
        form = r(2)
        if form == 0:
            return [self.pick(BARRIERS)]
        if form == 1:
            return list(self.pick(HINTS))
        if form == 2:
            return [self.pick(MAINTENANCE)]
        return [self.pick(BY_ADDRESS) | self.pick((DATA, EDGE, DATA))]

    def wait(self):
        """
        WFE with an event; WFI where it is trapped, or with a pending interrupt that is masked; never
        where nothing would wake it.
        """
        r = self.bits
        form = r(2)
        trapped = self.kind.wfi_trapped
        if form == 0 or (form == 1 and not trapped):
            return list(WFE)
        if form == 1:
            level = self.pick(trapped)
            return [movz(SCRATCH2, 0), mrs(SCRATCH2, CURRENT_EL),
                    0xf1000000 | level << 2 << 10 | SCRATCH2 << 5 | 31,
                    0x54000001 | 2 << 5, 0xd503207f]
        return [0xd50343df, movz(SCRATCH, 1 << r(2)),               # MSR DAIFSet, #3
                msr(PMINTENSET, SCRATCH), msr(PMOVSSET, SCRATCH),
                movz(SCRATCH2, 0x41), msr(PMCR, SCRATCH2), ISB,
                movz(SCRATCH2, 0), mrs(SCRATCH2, ISR),
                0xb4000000 | 2 << 5 | SCRATCH2, 0xd503207f,
                msr(PMOVSCLR, SCRATCH)]

    def psci(self):
        """Calls that QEMU answers itself, if the machine has no EL3."""
        function = self.pick((0x84000000, 0x84000006, 0x8400000a, 0xc4000004, 0x84000002 + 100))
        words = []
        if 1 in self.kind.wfi_trapped and self.bits(2):
            # CPU_SUSPEND is a WFI, so it is only for EL1, where WFI is trapped.
            function = 0x84000001 | self.bits(1) << 30
            words = [movz(SCRATCH2, 0), mrs(SCRATCH2, CURRENT_EL),
                     0xf1000000 | 1 << 2 << 10 | SCRATCH2 << 5 | 31, 0x54000001 | 5 << 5]
        return words + mov32(0, function) + [movz(1, 0), call("smc", self.bits(3))]

    def selfmod(self):
        """Writes an instruction that follows, through its other address."""
        new = self.alu()[0]
        r = self.bits
        over = self.some(1 + r(1))
        # adr x19, site; mov w20, new; add x19, x19, x23; str; dc; ic; isb
        head = mov_imm(SCRATCH2, new)
        tail = [0x8b000000 | ALIAS << 16 | SCRATCH << 5 | SCRATCH + 2,
                0xb9000000 | (SCRATCH + 2) << 5 | SCRATCH2,
                0xd50b7b20 | SCRATCH + 2, 0xd5033f9f, 0xd50b7520 | SCRATCH, 0xd5033f9f, ISB]
        body = head + tail + over
        return [adr(SCRATCH, 4 * (len(body) + 1))] + body + [NOP]

    def device(self):
        """A device's identification, which never changes. The access leaves the block."""
        r = self.bits
        imm = 0xfe0 + 4 * r(3)
        load = 0xb9400000 | (imm >> 2) << 10 | DEVICE << 5 | self.reg()
        return self.some(r(1)) + [load] + self.some(r(1))

    def illegal(self):
        """An illegal return: PSTATE.IL, which a handler clears."""
        level = self.pick(self.kind.levels)
        if level == 0:
            return [self.bits(32) & 0x01ffffff]
        check = [movz(SCRATCH2, 0), mrs(SCRATCH2, CURRENT_EL),
                 0xf1000000 | level << 2 << 10 | SCRATCH2 << 5 | 31]
        rest = [0xd5034fdf, movz(SCRATCH, self.pick((0x3c3, 0x3d2, 0x3cf, 0x3c2))), msr(SPSR[level], SCRATCH),
                adr(SCRATCH, 12), msr(ELR[level], SCRATCH), ERET]
        return check + [0x54000001 | (len(rest) + 1) << 5] + rest


PAGE_TO_READ_ONLY = (NUMBERS["PAGE_READ_ONLY"] - NUMBERS["PAGE_DATA"] -
                     NUMBERS["PAGE_DATA_COUNT"]) * 4096


def movz_high(rd, high):
    return [movz(rd, high, 1)]


def loop_start():
    return []


def loop_end(body_words):
    """Counts a round; branches back to the beginning, or to the end."""
    words = [0xd1000400 | ROUNDS << 5 | ROUNDS]
    words.append(0xb4000000 | 2 << 5 | ROUNDS)              # CBZ: over the branch back
    words.append(b(-4 * (body_words + 2)))
    return words + [call("svc", NUMBERS["CALL_END"])] * 3 + [b(0)]
