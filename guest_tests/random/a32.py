# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random A32 code, made as a64.py makes A64 code.

Registers: r0 to r5 are random data. r6 and r12 are for an item's own use. r7 is where to continue
after a jump to an invalid address, r8 the data, r9 its end, r10 the remaining rounds, r11 a device.
SP and LR belong to the handlers of each mode: nothing returns by LR where an exception may come in
between.
"""

from layout import ARM

NUMBERS = ARM.numbers

SCRATCH, RESUME, DATA, EDGE, ROUNDS, DEVICE, SCRATCH2 = 6, 7, 8, 9, 10, 11, 12
ALWAYS = 0xe0000000
ISB = 0xf57ff06f
PC = 15


def mrc(crn, crm, op2, rt, op1=0):
    return 0x0e100f10 | op1 << 21 | crn << 16 | rt << 12 | op2 << 5 | crm


def mcr(crn, crm, op2, rt, op1=0):
    return mrc(crn, crm, op2, rt, op1) & ~(1 << 20)


def movw(rd, imm):
    return ALWAYS | 0x03000000 | imm >> 12 << 16 | rd << 12 | imm & 0xfff


def movt(rd, imm):
    return movw(rd, imm) | 0x00400000


def mov32(rd, value):
    return [movw(rd, value & 0xffff), movt(rd, value >> 16)]


# Registers of coprocessor 15: CRn, CRm, opc2.
PMCR, PMCNTENSET, PMCNTENCLR, PMOVSR = (9, 12, 0), (9, 12, 1), (9, 12, 2), (9, 12, 3)
PMSWINC, PMSELR, PMCEID0, PMCEID1 = (9, 12, 4), (9, 12, 5), (9, 12, 6), (9, 12, 7)
PMXEVTYPER, PMXEVCNTR = (9, 13, 1), (9, 13, 2)
PMUSERENR, PMINTENSET, PMINTENCLR, PMOVSSET = (9, 14, 0), (9, 14, 1), (9, 14, 2), (9, 14, 3)
CONTEXTIDR, TPIDRURW, TPIDRURO, TPIDRPRW = (13, 0, 1), (13, 0, 2), (13, 0, 3), (13, 0, 4)
ISR = (12, 1, 0)
SWITCHED = [TPIDRURW, TPIDRURO, TPIDRPRW, CONTEXTIDR]


def pmevcntr(n):
    return (14, 8 + (n >> 3), n & 7)


def pmevtyper(n):
    return (14, 12 + (n >> 3), n & 7)


READABLE = [PMCR, PMCNTENSET, PMCNTENCLR, PMOVSR, PMSELR, PMCEID0, PMCEID1, PMXEVTYPER, PMXEVCNTR,
            PMUSERENR, PMINTENSET, PMINTENCLR, PMOVSSET, ISR] + SWITCHED * 2 + [
                (0, 0, 0), (0, 0, 1), (0, 0, 5), (0, 1, 0), (0, 1, 2), (0, 2, 0), (1, 0, 0),
                (1, 0, 1), (1, 0, 2), (2, 0, 0), (2, 0, 2), (3, 0, 0), (5, 0, 0), (5, 0, 1),
                (6, 0, 0), (6, 0, 2), (7, 4, 0), (10, 2, 0), (12, 0, 0)]
WRITABLE = SWITCHED * 3 + [PMSELR, PMOVSR, PMOVSSET, PMSWINC, PMXEVCNTR, PMCNTENCLR, PMINTENSET,
                           (5, 0, 0), (5, 0, 1), (6, 0, 0), (6, 0, 2), (7, 4, 0)]
MAINTENANCE = [(7, 5, 0), (7, 5, 6), (8, 7, 0), (8, 3, 0), (7, 1, 0), (7, 10, 4), (7, 10, 5),
               (7, 5, 4)]
BY_ADDRESS = [(7, 10, 1), (7, 11, 1), (7, 14, 1), (7, 6, 1), (7, 8, 0), (7, 8, 2), (7, 5, 1)]
MODES = [0x10, 0x13, 0x1f, 0x12, 0x17, 0x1b, 0x11, 0x10]


class Common:
    """
    What A32 and T32 have in common: coprocessors, which are unconditional in T32, and SVC's
    immediates.
    """

    def svc(self):
        """The immediate that asks to continue in another mode."""
        mode = MODES.index(self.pick(self.kind.modes))
        return 0x80 | mode | (self.kind.masks32(self.rand) >> 6) << 3

    def rounds(self):
        """Iterations of a loop: few, or so many that this level is far ahead of another."""
        return 2 + (self.bits(12) if self.bits(3) == 0 else self.bits(4))

    def read_cp(self):
        r = self.bits
        reg = pmevcntr(r(3)) if r(2) == 0 else self.pick(READABLE)
        return [mrc(*reg, self.reg())]

    def write_cp(self):
        r = self.bits
        words = [mcr(*self.pick(WRITABLE), self.reg())]
        if r(2) == 0:
            words = [mcr(*self.pick(MAINTENANCE), self.reg())]
        elif r(2) == 0:
            words = [mcr(*self.pick(BY_ADDRESS), self.pick((DATA, EDGE, DATA)))]
        return words

    def mrrc(self):
        r = self.bits
        form = r(2)
        if form == 0:
            return [0x0c500f02 | self.reg() << 12 | 12 << 16]       # TTBR0, 64 bits
        if form == 1:
            return [0x0c500f07 | self.reg() << 12 | 12 << 16]       # PAR
        return [0x0e100e10 | self.pick((0, 0x10000)) | self.reg() << 12 | r(1) << 5]   # CP14

    def float(self):
        r = self.bits
        form = r(3)
        d, n, m = r(4), r(4), r(4)
        if form < 2:
            return [0x0e300a00 | r(1) << 8 | n << 16 | d << 12 | r(1) << 6 | m]
        if form == 2:
            return [0x0e000a10 | r(1) << 20 | n << 16 | self.reg() << 12]
        if form == 3:
            return [0x0d800a00 | r(1) << 20 | r(1) << 8 | DATA << 16 | d << 12 | r(8)]
        if form == 4:
            return [0x0c800a00 | r(1) << 20 | DATA << 16 | d << 12 | 1 + r(2)]   # VLDM, VSTM
        if form == 5:
            return [0x0ef10a10 | self.pick((self.reg(), 15)) << 12]              # VMRS
        if form == 6:
            return [0x0e200a00 | r(1) << 8 | n << 16 | d << 12 | m]              # VMUL
        return [0x0eb00ac0 | d << 12 | m]                                        # VABS


class A32(Common):
    """The items of A32."""

    def __init__(self, rand, kind):
        self.rand = rand
        self.kind = kind
        self.bits = rand.getrandbits
        self.pick = rand.choice
        weighted = [(self.alu, 30), (self.alu2, 8), (self.memory, 16), (self.multiple, 5),
                    (self.exclusive, 3), (self.branch, 10), (self.loop, 4), (self.subroutine, 4),
                    (self.fault, 3), (self.cliff, 1), (self.cp, 10), (self.pmu, 8),
                    (self.floats, 4), (self.exception, 4), (self.mode, 4), (self.status, 3),
                    (self.exception_return, 2), (self.system, 3), (self.wait, 1),
                    (self.selfmod, 1), (self.device, 1),
                    (self.to_user, 2 if {0x10, 0x13} <= set(kind.modes) else 0)]
        self.functions = [f for f, _ in weighted]
        self.weights = [w * (0.2 + rand.random() * 1.8) for _, w in weighted]

    def items(self, count):
        return [("a32." + f.__name__, f()) for f in
                self.rand.choices(self.functions, self.weights, k=count)]

    def reg(self):
        return self.bits(5) % 6

    def cond(self):
        """The condition is "always" in most cases."""
        c = self.bits(5)
        return (c if c < 14 else 14) << 28

    def on(self, words):
        """Each instruction has a condition of its own, or all have "always"."""
        if self.bits(1):
            return [ALWAYS | word for word in words]
        return [self.cond() | word for word in words]

    def alu(self):
        r = self.bits
        op, s = r(4), r(1)
        if 8 <= op < 12:
            s = 1
        form = r(2)
        base = self.cond() | op << 21 | s << 20 | self.reg() << 16 | self.reg() << 12
        if form == 0:
            return [base | 0x02000000 | r(12)]
        if form == 1:
            return [base | r(5) << 7 | r(2) << 5 | self.reg()]
        if form == 2:
            return [base | self.reg() << 8 | r(2) << 5 | 1 << 4 | self.reg()]
        return [self.cond() | 0x03000000 | r(1) << 22 | r(4) << 16 | self.reg() << 12 | r(12)]

    def alu2(self):
        r = self.bits
        d, n, m, s = self.reg(), self.reg(), self.reg(), self.reg()
        c = self.cond()
        form = r(3)
        if form == 0:
            return [c | r(1) << 21 | r(1) << 20 | d << 16 | n << 12 | m << 8 | 0x90 | s]
        if form == 1:
            return [c | 0x00800090 | r(2) << 21 | r(1) << 20 | d << 16 | (d + 1) % 6 << 12 |
                    m << 8 | s]
        if form == 2:
            return [c | 0x016f0f10 | d << 12 | m]
        if form == 3:
            return [c | 0x06bf0f30 | r(1) << 7 | d << 12 | m]
        if form == 4:
            return [c | 0x0710f010 | r(1) << 21 | d << 16 | m << 8 | n]
        if form == 5:
            return [c | 0x06af0070 | r(1) << 20 | r(1) << 22 | d << 12 | m]
        if form == 6:
            return [c | 0x01000050 | r(2) << 21 | n << 16 | d << 12 | m]
        return [c | 0x07e00050 | r(4) << 16 | d << 12 | r(3) << 7 | m]

    def set_base(self, high):
        """r6 = the data + high * 256, and sometimes a little more."""
        words = [ALWAYS | 0x02800c00 | DATA << 16 | SCRATCH << 12 | high]
        if self.bits(2) == 0:
            words.append(ALWAYS | 0x02800000 | SCRATCH << 16 | SCRATCH << 12 | self.bits(3))
        return words

    def memory(self):
        r = self.bits
        t = self.reg()
        form = r(3)
        load = r(1) << 20
        if form < 3:
            return self.on([0x05800000 | r(1) << 22 | load | DATA << 16 | t << 12 |
                            r(11) & ~(3 if r(2) else 0)])
        if form == 3:
            return self.set_base(3) + self.on(
                [0x04000000 | self.pick((0, 1 << 24, 3 << 21 & 1 << 24 | 1 << 21)) | r(1) << 23 |
                 r(1) << 22 | load | SCRATCH << 16 | t << 12 | r(7)])
        if form == 4:
            return self.set_base(4) + self.on(
                [0x01400090 | r(1) << 23 | (r(2) % 3 + 1) << 5 | 1 << 20 | SCRATCH << 16 |
                 t << 12 | r(2) << 8 | r(4)])
        if form == 5:
            return [ALWAYS | 0x020000fc | self.reg() << 16 | SCRATCH << 12] + self.on(
                [0x07800000 | r(1) << 22 | load | DATA << 16 | t << 12 | 2 << 7 | SCRATCH])
        if form == 6:
            return self.on([0x01c000d0 | r(1) << 5 | DATA << 16 | (t & ~1) << 12 | r(3) << 8 |
                            8 * r(1)])
        return self.on([0x059f0000 | t << 12 | 4 * r(5)])

    def multiple(self):
        r = self.bits
        regs = r(6) or 1
        return self.set_base(4) + self.on(
            [0x08000000 | r(2) << 23 | r(1) << 21 | r(1) << 20 | SCRATCH << 16 | regs])

    def exclusive(self):
        base = self.set_base(2)
        t = self.reg()
        if self.bits(1):
            return base + [ALWAYS | 0x01900f9f | SCRATCH << 16 | t << 12,
                           ALWAYS | 0x01800f90 | SCRATCH << 16 | SCRATCH2 << 12 | self.reg()]
        return base + self.on([0x01900e9f | SCRATCH << 16 | t << 12,
                               0x0180fc90 | SCRATCH << 16 | self.reg()])

    def some(self, count):
        words = []
        for _ in range(count):
            words += self.pick((self.alu, self.alu, self.alu2, self.memory))()
        return words

    def branch(self):
        over = self.some(1 + self.bits(2))
        return [self.cond() | 0x0a000000 | len(over) - 1 & 0xffffff] + over

    def loop(self):
        body = self.some(1 + self.bits(2))
        # r12 has the round, which none of these instructions changes.
        return [movw(SCRATCH2, self.rounds())] + body + [
            ALWAYS | 0x02500001 | SCRATCH2 << 16 | SCRATCH2 << 12,
            0x1a000000 | -(len(body) + 3) & 0xffffff]

    def subroutine(self):
        """BL, and the return by LR if no handler can have changed it, or by r6."""
        body = [w for w in self.some(1) if w >> 12 & 15 != SCRATCH]
        over = ALWAYS | 0x0a000000 | len(body)
        back = 14 if self.kind.lr_safe else SCRATCH2
        return [ALWAYS | 0x028fc000,                # ADD r12, pc, #0
                ALWAYS | 0x0b000000,                # BL to after the next
                over, ] + body + [ALWAYS | 0x012fff10 | back]

    def fault(self):
        r = self.bits
        t = self.reg()
        form = r(3)
        if form == 0:
            words = [0x05900000 | EDGE << 16 | t << 12]
        elif form == 1:
            words = [0x05100002 | EDGE << 16 | t << 12]             # LDR [r9, #-2]
        elif form == 2:
            words = [0x05000001 | EDGE << 16 | t << 12]             # STR [r9, #-1]
        elif form == 3:
            words = [0x09000000 | r(1) << 20 | EDGE << 16 | 0x3f, 0x08800000 | EDGE << 16 | 3]
        elif form == 4:
            return [ALWAYS | 0x02400008 | EDGE << 16 | SCRATCH << 12] + self.on(
                [0x08800000 | r(1) << 21 | r(1) << 20 | SCRATCH << 16 | 0x3f])
        elif form == 5:
            words = [0x014000d4 | EDGE << 16 | 2 << 12]             # LDRD [r9, #-4]
        elif form == 6:
            words = [0x01900f9f | EDGE << 16 | t << 12]
        else:
            words = [0x0d900a00 | EDGE << 16 | r(4) << 12]
        return self.some(1) + self.on(words) + self.some(1)

    def cliff(self):
        page = self.pick((NUMBERS["PAGE_CLIFF32"], NUMBERS["PAGE_CLIFF16"]))
        target = NUMBERS["PLAYGROUND_BASE"] + (page + 1) * 4096 - 4 * self.bits(3)
        if page == NUMBERS["PAGE_CLIFF16"]:
            target = (target | 1) - (2 if self.bits(1) else 0)
        return mov32(SCRATCH2, target) + [ALWAYS | 0x028f7000, ALWAYS | 0x012fff1c]

    def cp(self):
        return self.on(self.pick((self.read_cp, self.read_cp, self.write_cp, self.mrrc))())

    def floats(self):
        if self.bits(2) == 0:
            return [0xf2200840 | self.bits(3) << 13 | self.bits(3) << 17 | self.bits(3)]
        return self.on(self.float())

    def put(self, reg, value):
        return mov32(SCRATCH, value & 0xffffffff)[:1 if value < 0x10000 else 2] + \
            [self.pick((ALWAYS, ALWAYS, self.cond())) | mcr(*reg, SCRATCH)]

    def pmu(self):
        r = self.bits
        form = r(4)
        n = r(3) % 6
        if form < 4:
            words = self.put(pmevcntr(n), -r(5 + r(2)) & 0xffffffff)
        elif form < 6:
            words = self.put(pmevtyper(n), self.kind.event_type(self.rand))
        elif form < 8:
            words = self.put(self.pick((PMCNTENSET, PMCNTENCLR)), r(6))
        elif form == 8:
            words = self.put(self.pick((PMINTENSET, PMINTENCLR)), r(6))
        elif form < 11:
            words = self.put(self.pick((PMOVSR, PMOVSSET, PMSWINC)), r(6))
        elif form == 11:
            words = self.put(PMCR, self.pick((0x41, 0x41, 0x43, 0x40, 0xc1, 0x61, 0x47)))
        elif form == 12:
            words = self.put(PMSELR, r(3)) + [ALWAYS | mrc(*PMXEVCNTR, self.reg())]
        elif form == 13:
            words = self.put(PMSELR, r(3)) + self.put(PMXEVCNTR, -r(7) & 0xffffffff)
        elif form == 14:
            words = self.put(PMUSERENR, r(5))
        else:
            words = [ALWAYS | mrc(*pmevcntr(n), self.reg()), ALWAYS | mrc(*PMOVSR, self.reg())]
        if r(1):
            words.append(ISB)
        return words

    def exception(self):
        r = self.bits
        form = r(3)
        if form < 4:
            imm = self.svc() if r(1) else r(6)
            return [self.cond() | 0x0f000000 | imm]
        if form == 4:
            return [ALWAYS | 0x01400070 | r(3)]                     # HVC
        if form == 5:
            return [movw(0, r(8)), self.cond() | 0x01600070 | r(3)]   # SMC, but not a PSCI call
        if form == 6:
            return [ALWAYS | 0x01200070 | r(4)]                     # BKPT
        return [self.cond() | 0x07f000f0 | r(4)]                    # UDF

    def mode(self):
        """Changes the mode by CPS or MSR, or changes the masks."""
        r = self.bits
        mode = self.pick(self.kind.modes)
        masks = self.kind.masks32(self.rand)
        form = r(2)
        if form == 0:
            return [0xf10e0000 | masks & 0x1c0 | mode]              # CPSID, mode
        if form == 1:
            return [0xf1020000 | mode]                              # CPS, mode
        if form == 2:
            return [self.cond() | 0x0321f000 | masks & 0xc0 | mode]  # MSR CPSR_c, imm
        return [movw(SCRATCH, masks & 0xc0 | mode), self.cond() | 0x0121f000 | SCRATCH]

    def to_user(self):
        """
        Stays in User mode for a while, then in Supervisor mode, where a counter is set to overflow.
        From there it returns to User mode without an exception return. User mode has counted more
        than that counter may.
        """
        r = self.bits
        n = r(2)
        user = 0xd0
        words = [0xf1020000 | 0x10, movw(SCRATCH2, 2 + r(9 + r(3) % 7)),
                 ALWAYS | 0x02500001 | SCRATCH2 << 16 | SCRATCH2 << 12, 0x1afffffd,
                 ALWAYS | 0x0f000000 | 0x80 | MODES.index(0x13) | 3 << 3]
        words += mov32(SCRATCH, self.pick((8, 8, 0x1b, 6, 0x21)))
        words += [ALWAYS | mcr(*pmevtyper(n), SCRATCH)]
        words += mov32(SCRATCH, -r(6 + r(3)) & 0xffffffff)
        words += [ALWAYS | mcr(*pmevcntr(n), SCRATCH), movw(SCRATCH, 1 << n),
                  ALWAYS | mcr(*PMCNTENSET, SCRATCH), ALWAYS | mcr(*PMINTENSET, SCRATCH),
                  movw(SCRATCH, 0x41), ALWAYS | mcr(*PMCR, SCRATCH)]
        leave = [0x0321f000 | ALWAYS | user] if r(1) else [0xf1020000 | 0x10]
        return words + leave + self.some(2)

    def status(self):
        r = self.bits
        form = r(3)
        if form == 0:
            return [self.cond() | 0x010f0000 | self.reg() << 12]
        if form == 1:
            return [self.cond() | 0x014f0000 | self.reg() << 12]
        if form == 2:
            return [self.cond() | 0x0128f000 | self.reg()]          # CPSR_f
        if form == 3:
            return [self.cond() | 0x0328f000 | 4 << 8 | r(4) << 4]
        if form == 4:
            return [0xf1010000 | r(1) << 9 if r(3) == 0 else self.alu()[0]]   # SETEND
        return [0xf1080000 | r(1) << 18 | self.kind.masks32(self.rand) & 0x1c0]

    def exception_return(self):
        """MOVS PC, or RFE, to where it continues. In User mode neither exists."""
        r = self.bits
        mode = self.pick(self.kind.modes)
        cpsr = [ALWAYS | 0x010f0000 | SCRATCH << 12,                 # MRS r6, CPSR
                ALWAYS | 0x03c600df | SCRATCH << 12,                 # BIC r6, r6, #0xdf
                ALWAYS | 0x03860000 | SCRATCH << 12 | mode | self.kind.masks32(self.rand) & 0xc0]
        if r(1):
            return cpsr + [ALWAYS | 0x016ff000 | SCRATCH,            # MSR SPSR_fsxc, r6
                           ALWAYS | 0x028fc000,                      # ADD r12, pc, #0
                           ALWAYS | 0x01b0f00c]                      # MOVS pc, r12
        return cpsr + [ALWAYS | 0x0588602c, ALWAYS | 0x028f6008,     # STR r6, [r8, #44]
                       ALWAYS | 0x05886028,                          # STR r6 = PC, [r8, #40]
                       ALWAYS | 0x02886028,                          # ADD r6, r8, #40
                       0xf8960a00]                                   # RFEIA r6

    def system(self):
        r = self.bits
        if r(1):
            return [self.pick((0xf57ff05f, 0xf57ff04f, ISB, 0xf57ff01f, 0xf5d8f000))]
        cond = self.cond()
        # NOP, YIELD, WFE, SEV; an event, by SEVL, lets WFE not wait.
        hint = self.pick(([0x0320f000], [0x0320f001], [0x0320f005, 0x0320f002], [0x0320f004]))
        return [cond | word for word in hint]

    def wait(self):
        r = self.bits
        if self.kind.wfi_trapped32 and r(1):
            return [self.cond() | 0x0320f003]
        return [0xf10c00c0, movw(SCRATCH2, 0x41), ALWAYS | mcr(*PMCR, SCRATCH2),
                movw(SCRATCH, 1 << r(2)), ALWAYS | mcr(*PMINTENSET, SCRATCH),
                ALWAYS | mcr(*PMOVSSET, SCRATCH), ISB, movw(SCRATCH2, 0),
                ALWAYS | mrc(*ISR, SCRATCH2), ALWAYS | 0x031c00c0,   # TST r12, #0xc0
                0x1320f003, ALWAYS | mcr(*PMOVSR, SCRATCH)]

    def selfmod(self):
        new = self.alu()[0]
        over = self.some(1)
        head = mov32(SCRATCH2, new) + [
            0xf1010000,                                              # SETEND LE, like the code
            ALWAYS | 0x02866101,                                     # ADD r6, r6, #0x40000000
            ALWAYS | 0x0586c000,                                     # STR r12, [r6]
            ALWAYS | 0x02466101, ALWAYS | mcr(7, 11, 1, SCRATCH), 0xf57ff04f,
            ALWAYS | mcr(7, 5, 1, SCRATCH), 0xf57ff04f, ISB]
        site = 4 * (len(head) + len(over) + 1) - 8
        return [ALWAYS | 0x028f6000 | site] + head + over + [ALWAYS | 0x01a00000]

    def device(self):
        return [self.cond() | 0x05900fe0 | DEVICE << 16 | self.reg() << 12 | 4 * self.bits(2)]


def add32(rd, rn, imm):
    """ADDW, T32."""
    return 0xf2000000 | (imm >> 11 & 1) << 26 | rn << 16 | (imm >> 8 & 7) << 12 | rd << 8 | \
        imm & 0xff


def movw_t32(rd, imm, top=False):
    return 0xf2400000 | top << 23 | (imm >> 11 & 1) << 26 | imm >> 12 << 16 | \
        (imm >> 8 & 7) << 12 | rd << 8 | imm & 0xff


class T32(Common):
    """The items of T32. Numbers from 0x10000 on are instructions of 32 bits."""

    def __init__(self, rand, kind):
        self.rand = rand
        self.kind = kind
        self.bits = rand.getrandbits
        self.pick = rand.choice
        weighted = [(self.narrow, 30), (self.wide, 18), (self.memory, 16), (self.multiple, 4),
                    (self.it, 10), (self.branch, 10), (self.loop, 4), (self.table, 2),
                    (self.subroutine, 3), (self.fault, 3), (self.cliff, 1), (self.cp, 8),
                    (self.pmu, 6), (self.floats, 3), (self.exception, 4), (self.mode, 3),
                    (self.status, 3), (self.system, 3)]
        self.functions = [f for f, _ in weighted]
        self.weights = [w * (0.2 + rand.random() * 1.8) for _, w in weighted]

    def items(self, count):
        return [("t32." + f.__name__, f()) for f in
                self.rand.choices(self.functions, self.weights, k=count)]

    def reg(self):
        return self.bits(5) % 6

    def narrow(self):
        r = self.bits
        d, n, m = self.reg(), self.reg(), self.reg()
        form = r(2)
        if form == 0:
            return [0x2000 | r(2) << 11 | d << 8 | r(8)]
        if form == 1:
            return [0x4000 | r(4) << 6 | m << 3 | d]
        if form == 2:
            return [r(2) % 3 << 11 | r(5) << 6 | m << 3 | d]
        return [self.pick((0x1800 | r(2) << 9 | m << 6 | n << 3 | d, 0x4600 | m << 3 | d,
                           0xb200 | r(2) << 6 | m << 3 | d, 0xba00 | m << 3 | d))]

    def wide(self):
        r = self.bits
        d, n, m = self.reg(), self.reg(), self.reg()
        form = r(2)
        if form == 0:
            op = self.pick((0, 1, 2, 3, 4, 8, 10, 11, 13, 14))
            return [0xf0000000 | r(1) << 26 | op << 21 | r(1) << 20 | n << 16 | r(3) << 12 |
                    d << 8 | r(8)]
        if form == 1:
            op = self.pick((0, 1, 2, 3, 4, 8, 10, 11, 13, 14))
            return [0xea000000 | op << 21 | r(1) << 20 | n << 16 | r(3) << 12 | d << 8 |
                    r(4) << 4 | m]
        if form == 2:
            return [self.pick((0xfb00f000 | n << 16 | d << 8 | m,
                               0xfb90f0f0 | r(1) << 21 | n << 16 | d << 8 | m,
                               0xfab0f080 | m << 16 | d << 8 | m))]
        return [movw_t32(d, r(16), r(1))]

    def memory(self):
        r = self.bits
        t = self.reg()
        form = r(3)
        if form < 2:
            return [add32(SCRATCH, DATA, r(11)),
                    self.pick((0x6000, 0x6800, 0x7000, 0x7800, 0x8000, 0x8800)) | r(3) << 6 |
                    SCRATCH << 3 | t]
        if form < 4:
            return [0xf8800000 | r(1) << 22 | r(1) << 20 | DATA << 16 | t << 12 | r(11) & 0x7fc]
        if form == 4:
            return [add32(SCRATCH, DATA, 0x300 + r(2)),
                    0xf8400900 | r(1) << 20 | r(1) << 10 | r(1) << 9 | SCRATCH << 16 | t << 12 |
                    r(7)]
        if form == 5:
            return [0xe9c00000 | r(1) << 20 | DATA << 16 | t << 12 | (t + 1) % 6 << 8 | r(5)]
        if form == 6:
            return [0x4800 | t << 8 | r(4)]
        return [add32(SCRATCH, DATA, 4 * r(6)), 0xe8500f00 | SCRATCH << 16 | t << 12,
                0xe8400000 | SCRATCH << 16 | (t + 1) % 6 << 12 | (t + 2) % 6 << 8]

    def multiple(self):
        r = self.bits
        base = [add32(SCRATCH, DATA, 0x400 + (r(2) if r(2) == 0 else 0))]
        if r(1):
            return base + [0xc000 | r(1) << 11 | SCRATCH << 8 | (r(6) or 1)]
        return base + [0xe8800000 | r(1) << 21 | r(1) << 20 | SCRATCH << 16 | 3 << r(2) |
                       (r(1) << 5)]

    def plain(self):
        return self.pick((self.narrow, self.narrow, self.wide))()

    def it(self):
        """IT, and one to four instructions under it, including branches, calls and faults."""
        r = self.bits
        count = 1 + r(2)
        mask = (r(4) & ~((1 << (4 - count)) - 1) | 1 << (4 - count)) & 0xf
        words = [0xbf00 | r(4) % 14 << 4 | mask]
        for _ in range(count):
            words.append(self.pick((self.plain, self.plain, self.one_memory, self.cp1,
                                    self.undefined, self.one_fault))()[0])
        return words

    def one_memory(self):
        r = self.bits
        return [0xf8c00000 | r(1) << 20 | DATA << 16 | self.reg() << 12 | r(11) & 0x7fc]

    def one_fault(self):
        r = self.bits
        return [0xf8400c02 | r(1) << 20 | EDGE << 16 | self.reg() << 12]

    def undefined(self):
        r = self.bits
        return [self.pick((0xde00 | r(4), 0xdf00 | r(5), 0xf7f0a000))]

    def cp1(self):
        return [ALWAYS | self.pick((self.read_cp, self.read_cp, self.write_cp, self.mrrc))()[0]]

    cp = cp1

    def floats(self):
        return [ALWAYS | self.float()[0]]

    def some(self, count):
        words = []
        for _ in range(count):
            words += self.pick((self.narrow, self.narrow, self.wide, self.memory))()
        return words

    def branch(self):
        r = self.bits
        over = self.some(1 + r(2))
        distance = size_t32(over) - 2
        form = r(2)
        if form == 0:
            return [0xd000 | r(4) % 14 << 8 | distance >> 1] + over
        if form == 1:
            return [0xb100 | r(1) << 11 | (distance >> 1) << 3 | self.reg()] + over
        if form == 2:
            return [0xe000 | distance >> 1] + over
        return [0xf0008000 | r(4) % 14 << 22 | distance + 2 >> 1] + over

    def loop(self):
        body = self.some(1 + self.bits(2))
        size = size_t32(body)
        return [movw_t32(SCRATCH2, self.rounds())] + body + [
            0xf1bc0c01, 0xd100 | -(size + 8 >> 1) & 0xff]            # SUBS r12, #1; BNE

    def table(self):
        """TBB through the table that follows it, to one of two places."""
        over = self.some(1)
        size = size_t32(over)
        return [movw_t32(SCRATCH, self.bits(1)), 0xe8dff006,         # TBB [pc, r6]
                1 | (1 + (size >> 1)) << 8] + over

    def subroutine(self):
        """BL to what follows; the return is by r12."""
        body = self.pick((self.narrow, self.wide))()
        over = size_t32(body) + 2
        return [0xf000f801, 0xe000 | over - 2 >> 1] + body + [0x4770 if self.kind.lr_safe
                                                               else 0xe7ff]

    def fault(self):
        r = self.bits
        t = self.reg()
        word = self.pick((0xf8d00000 | EDGE << 16 | t << 12, 0xf8500c02 | EDGE << 16 | t << 12,
                          0xf8400c01 | EDGE << 16 | t << 12, 0xe8900000 | EDGE << 16 | 0x3f,
                          0xe9500101 | EDGE << 16 | 2 << 12 | 3 << 8))
        return self.some(1) + [word] + self.some(1) if r(2) else [word]

    def cliff(self):
        page = NUMBERS["PAGE_CLIFF16"]
        target = (NUMBERS["PLAYGROUND_BASE"] + (page + 1) * 4096 - 2 * self.bits(3)) | 1
        # ADR r7 uses an aligned PC. NOPs follow, so that it points to one of these.
        return [movw_t32(SCRATCH2, target & 0xffff), movw_t32(SCRATCH2, target >> 16, True),
                0xf20f0707, 0x4760, 0xbf00, 0xbf00, 0xbf00]

    def put(self, reg, value):
        words = [movw_t32(SCRATCH, value & 0xffff)]
        if value >> 16:
            words.append(movw_t32(SCRATCH, value >> 16 & 0xffff, True))
        return words + [ALWAYS | mcr(*reg, SCRATCH)]

    pmu = A32.pmu
    ISB_T32 = 0xf3bf8f6f

    def exception(self):
        r = self.bits
        form = r(3)
        if form < 4:
            imm = self.svc() if r(1) else r(6)
            return [0xdf00 | imm]
        if form == 4:
            return [0xf7e08000 | r(3)]                              # HVC
        if form == 5:
            return [0x2000, 0xf7f08000 | r(3) << 16]                # SMC, but not a PSCI call
        if form == 6:
            return [0xbe00 | r(4)]
        return [self.pick((0xde00, 0xf7f0a000)) | r(4)]

    def mode(self):
        r = self.bits
        mode = self.pick(self.kind.modes)
        if r(1):
            return [0xf3af8100 | mode]                              # CPS.W
        return [movw_t32(SCRATCH, self.kind.masks32(self.rand) & 0xc0 | mode),
                0xf3808100 | SCRATCH << 16]                         # MSR CPSR_c

    def status(self):
        r = self.bits
        form = r(2)
        if form == 0:
            return [0xf3ef8000 | r(1) << 20 | self.reg() << 8]
        if form == 1:
            return [0xf3808800 | self.reg() << 16]                  # MSR CPSR_f
        return [0xb660 | r(1) << 4 | self.kind.masks32(self.rand) >> 6 & 7]

    def system(self):
        # SEVL is before WFE, as in A32.
        return self.pick(([0xbf00], [0xbf10], [0xbf50, 0xbf20], [0xbf40], [0xf3bf8f6f], [0xf3bf8f4f],
                          [0xf3bf8f5f], [0xf3bf8f2f], [0xf898f000]))


def size_t32(words):
    return sum(4 if word >= 0x10000 else 2 for word in words)


def bytes_t32(words):
    code = b""
    for word in words:
        if word >= 0x10000:
            code += (word >> 16).to_bytes(2, "little")
        code += (word & 0xffff).to_bytes(2, "little")
    return code


def bytes_a32(words):
    return b"".join((word & 0xffffffff).to_bytes(4, "little") for word in words)


def pieces(items):
    """
    The code: name, address, bytes, instruction set. Between items there is code that changes from
    A32 to T32 and back. The end is A32.
    """
    at = 0
    thumb = False
    for name, words in items:
        to = name.startswith("t32")
        code = change_set(at, thumb, to)
        if code:
            yield "change", at, code, "t32" if thumb else "a32"
            at += len(code)
        # An ISB may be one that A32.pmu has put there.
        code = bytes_t32([T32.ISB_T32 if word == ISB else word for word in words]) if to \
            else bytes_a32(words)
        yield name, at, code, "t32" if to else "a32"
        thumb = to
        at += len(code)
    code = change_set(at, thumb, False)
    if code:
        yield "change", at, code, "t32"
        at += len(code)
    back = -(at + 12) >> 2
    code = bytes_a32([ALWAYS | 0x025aa001,                         # SUBS r10, r10, #1
                       0x1a000000 | back & 0xffffff] +
                      [ALWAYS | 0x0f000000 | NUMBERS["CALL_END"]] * 3 + [0xeafffffe])
    yield "end", at, code, "a32"


def change_set(at, thumb, to):
    if to and not thumb:
        return bytes_a32([0xe28f6001, 0xe12fff16])                  # ADD r6, pc, #1; BX r6
    if thumb and not to:
        return bytes_t32(([0xbf00] if at & 2 else []) + [0x4778, 0xbf00])   # BX pc
    return b""
