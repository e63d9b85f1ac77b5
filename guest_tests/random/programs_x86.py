# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random programs for x86-64: the state of the machine before one starts, and its code. A seed always
gives the same program.
"""

import random
from typing import NamedTuple

import x86
from guests import X86
from lbr import AMD_EXTN_CFG, AMD_SELECT, ARCH_CTL, ARCH_DEPTH, DEBUGCTL, FREEZE, LBR_SELECT, TOS
from layout import MASK
from program import Program
from x86_code import nop

NUMBERS = X86.layout.numbers
COUNTERS = NUMBERS["PROGRAM_COUNTERS"]
PLAYGROUND = NUMBERS["PLAYGROUND_BASE"]
DATA = PLAYGROUND + NUMBERS["DATA_OFFSET"]
EDGE = PLAYGROUND + NUMBERS["EDGE_OFFSET"]
STACK = PLAYGROUND + NUMBERS["STACK_OFFSET"]

# Bits of PERFEVTSEL and similar registers.
USR, OS, EDGE_DETECT, INT, ENABLE = (1 << n for n in (16, 17, 18, 20, 22))
ADAPTIVE, FIXED_ADAPTIVE = 1 << 34, 1 << 32
CR4_PCE = 1 << 8
CR4_PGE = 1 << 7

# Instructions, branches, loads, stores, accesses to a cache's lines: nothing that depends on time.
K7_EVENTS = [0xc0, 0xc0, 0xc2, 0xc2, 0x40]
ZEN_EVENTS = K7_EVENTS + [0xd1, 0x129, 0x229, 0x329]
# Events of Broadwell and Skylake.
INTEL_EVENTS = [0xc0, 0x1c0, 0xc4, 0xc4, 0x1c4, 0x8c4, 0x40c4, 0x2c2, 0x81d0, 0x82d0]
# Without stores: what PEBS says of them depends on the models.
PEBS_EVENTS = [event for event in INTEL_EVENTS if event != 0x82d0]
# The same of Icelake.
ICELAKE_EVENTS = [0xc0, 0xc0, 0xc4, 0xc4, 0x1c4, 0x10c4, 0x11c4, 0x20c4, 0x40c4, 0x80c4, 0x81d0]
# Events of which PEBS records describe the access.
PEBS_MODELLED = [0x1cd, 0x1cd, 0x1cd, 0x82d0, 0x82d0, 0x11d0, 0x12d0]
SAPPHIRE_MODELLED = PEBS_MODELLED + [0x2cd, 0x2cd]
# Events of the models of caches, TLBs and branch prediction.
ZEN_MODELLED = [0xc3, 0xc3, 0x80, 0x81, 0x84, 0x141, 0x241, 0xc860, 0xff60, 0x964, 0xff45, 0xf045,
                0xff85]
INTEL_MODELLED = [0xc5, 0xc5, 0x412e, 0x4f2e, 0x151, 0xe124, 0xe224, 0x8d1, 0x10d1, 0x20d1, 0x283,
                  0xe424, 0x108, 0x149, 0x185, 0x2085]


class LastBranches(NamedTuple):
    """The last branch records of a CPU."""
    control: int
    depth: int
    target: int
    step: int = 1
    stack: bool = False

    @property
    def others(self):
        """Registers of which there is one."""
        return {DEBUGCTL: (DEBUGCTL, LBR_SELECT, TOS), ARCH_CTL: (DEBUGCTL, ARCH_CTL, ARCH_DEPTH),
                AMD_EXTN_CFG: (DEBUGCTL, AMD_SELECT, AMD_EXTN_CFG)}[self.control]

    @property
    def arrays(self):
        """The first register of each array."""
        return {DEBUGCTL: (0x680, 0x6c0, 0xdc0), ARCH_CTL: (0x1500, 0x1600, 0x1200),
                AMD_EXTN_CFG: (0xc0010300, 0xc0010310)}[self.control]

    def filters(self, rand):
        """LBR_SELECT: levels and kinds that are suppressed, and Intel's call-stack mode."""
        value = rand.choice((0, 0, 1, 2)) | rand.choice((0, 0, rand.getrandbits(7) << 2))
        return value | (0x200 if self.stack and rand.random() < 0.2 else 0)

    def registers(self, rand):
        """Values of the registers; the one that switches records on comes last."""
        freeze = FREEZE if rand.random() < 0.15 else 0
        if self.control == DEBUGCTL:
            return {LBR_SELECT: self.filters(rand), DEBUGCTL: freeze | 1}
        if self.control == AMD_EXTN_CFG:
            return {DEBUGCTL: freeze, AMD_SELECT: self.filters(rand), AMD_EXTN_CFG: 1 << 6}
        kinds = rand.choice((0x7f, 0x7f, rand.getrandbits(7)))
        stack = 8 if rand.random() < 0.15 else 0
        return {DEBUGCTL: freeze, ARCH_CTL: 1 | rand.choice((2, 4, 6, 6)) | stack | kinds << 16}

    def values(self, rand):
        """The same as fields of a program."""
        registers = self.registers(rand)
        select = registers.get(AMD_SELECT if self.control == AMD_EXTN_CFG else LBR_SELECT, 0)
        return {"lbr_control": registers[self.control], "debugctl": registers[DEBUGCTL], "lbr_select": select}


class Machine(NamedTuple):
    """A CPU, its events, and its number of general counters."""
    cpu: str
    intel: bool
    counters: int
    events: list
    modelled: bool = False
    pebs: int = 0
    v2: bool = False
    lbr: LastBranches | None = None
    ibs: bool = False

    @property
    def is_global(self):
        """
        Returns whether one register starts and stops all counters, and one says which overflowed.
        """
        return self.intel or self.v2


MACHINES = {
    "max": Machine("max", False, 6, K7_EVENTS, v2=True),
    "zen": Machine("EPYC", False, 4, ZEN_EVENTS),
    "skylake": Machine("Skylake-Server", True, 4, INTEL_EVENTS),
    # Its records do not contain a time.
    "pebs": Machine("Broadwell", True, 4, PEBS_EVENTS, pebs=2),
    "pebs.model": Machine("Broadwell", True, 4, INTEL_EVENTS + INTEL_MODELLED + PEBS_MODELLED, True, pebs=2),
    # Records whose size the program chooses. Addresses have 48 bits, as on Skylake.
    "pebs4": Machine("Icelake-Server-v4,-la57,lbr=on,num-pmu-counters=6", True, 6, ICELAKE_EVENTS, pebs=4,
                     lbr=LastBranches(DEBUGCTL, 32, 0x6c0, stack=True)),
    "pebs4.model": Machine("SapphireRapids,num-pmu-counters=6", True, 6,
                           ICELAKE_EVENTS + INTEL_MODELLED + SAPPHIRE_MODELLED, True, pebs=4),
    # Formats 3 and 5, architectural, and AMD's.
    "lbr": Machine("Skylake-Server,lbr=on", True, 4, INTEL_EVENTS,
                   lbr=LastBranches(DEBUGCTL, 32, 0x6c0, stack=True)),
    "lbr.short": Machine("Nehalem,lbr=on", True, 4, INTEL_EVENTS, lbr=LastBranches(DEBUGCTL, 16, 0x6c0)),
    "lbr.arch": Machine("SapphireRapids,lbr=on,num-pmu-counters=6", True, 6, INTEL_EVENTS,
                        lbr=LastBranches(ARCH_CTL, 32, 0x1600)),
    "lbr.amd": Machine("EPYC-Genoa,lbr=on", False, 6, ZEN_EVENTS, v2=True,
                       lbr=LastBranches(AMD_EXTN_CFG, 16, 0xc0010301, 2)),
    "zen.model": Machine("EPYC,+perfctr-core", False, 6, ZEN_EVENTS + ZEN_MODELLED, True),
    # Instruction-based sampling.
    "ibs.model": Machine("EPYC-Genoa,+ibs", False, 6, ZEN_EVENTS + ZEN_MODELLED, True, v2=True,
                         ibs=True),
    "skylake.model": Machine("Skylake-Server", True, 4, INTEL_EVENTS + INTEL_MODELLED, True),
}


# Loads take 5 cycles and more.
THRESHOLDS = (0, 3, 4, 5, 12, 30, 44, 150, 0xffff)


def near_end(rand, longest=12):
    """A start value of a counter that soon overflows."""
    return -1 - rand.getrandbits(rand.randrange(1, longest)) & 0xffffffffffff


# A period of 32.
SHORTEST_RELOAD = -32 & 0xffffffffffff


class Kind:
    """The properties of a program that are chosen before anything else."""

    def __init__(self, rand, machine, bits):
        self.rand = rand
        self.machine = machine
        self.bits = bits
        self.vector = rand.choice((NUMBERS["VECTOR_PMI"], NUMBERS["VECTOR_PMI"], 0x400))
        self.steps = rand.random() < 0.15
        self.watched = rand.random() < 0.15
        # A quarter of the programs write any value to the registers of last branch records, or of IBS.
        self.wild = (machine.lbr or machine.ibs) and rand.random() < 0.25
        self.lvtpc_values = [NUMBERS["VECTOR_PMI"], 0x400, 0x10000 | NUMBERS["VECTOR_PMI"]]

    def select(self, rand):
        """An event, the levels at which it counts, and whether it interrupts."""
        where = rand.choice((USR | OS, USR | OS, USR, OS, 0))
        value = rand.choice(self.machine.events) | where | ENABLE | self.adaptive(rand, ADAPTIVE)
        return value | (INT if rand.random() < 0.7 else 0)

    def fixed_control(self, rand):
        """Instructions only: the others are clocks."""
        value = rand.choice((0, 1, 2, 3)) | (8 if rand.random() < 0.7 else 0)
        return value | self.adaptive(rand, FIXED_ADAPTIVE)

    def adaptive(self, rand, bit):
        """The bit of a counter whose records have groups."""
        return bit if self.machine.pebs >= x86.ADAPTIVE and rand.random() < 0.7 else 0

    def start(self, rand):
        return near_end(rand, 14) if rand.random() < 0.6 else 0

    def ibs_op(self, rand):
        """IbsOpCtl: an interval, of which bits 16 to 31 are 0 to 127, of ops or cycles, and the filter."""
        value = rand.getrandbits(rand.randrange(2, 8)) | 1 << 17 | rand.choice((1, 1, 0)) << 19
        return value | rand.choice((0, 0, 0, 1)) << 16 | rand.getrandbits(7) << 32

    def ibs_fetch(self, rand):
        """IbsFetchCtl: an interval, random or not, and the filter."""
        value = rand.getrandbits(rand.randrange(2, 8)) | 1 << 48 | rand.getrandbits(1) << 57
        return value | rand.choice((0, 0, 0, 1)) << 59 | rand.getrandbits(2) << 16

    def global_control(self, rand):
        value = rand.getrandbits(self.machine.counters)
        if self.machine.intel:
            value |= rand.getrandbits(1) << 32
        return value | rand.getrandbits(self.machine.counters)


def reload(rand, machine):
    """
    Returns from where a counter starts again. The runtime executes many instructions for a record whose
    size a program chooses, so that it would make records most of the time with shorter periods.
    """
    value = near_end(rand, 14)
    return min(value, SHORTEST_RELOAD) if machine.pebs >= x86.ADAPTIVE else value


def pmu(rand, kind):
    """Sets the PMU's registers: what counts, and how far from its overflow."""
    machine = kind.machine
    count = machine.counters
    values = {
        "select": [kind.select(rand) for _ in range(count)] + [0] * (COUNTERS - count),
        "counter": [kind.start(rand) for _ in range(count)] + [0] * (COUNTERS - count),
        "reload": [reload(rand, machine) for _ in range(COUNTERS + 1)],
        "interrupts": rand.randrange(1, 40),
        "lvtpc": kind.vector,
    }
    if machine.intel:
        values["fixed_control"] = kind.fixed_control(rand)
        values["fixed"] = kind.start(rand)
        # 32 bits are written, and the sign is extended.
        values["counter"] = [v & 0xffffffff for v in values["counter"]]
    if machine.is_global:
        values["global_control"] = kind.global_control(rand)
    if machine.pebs:
        values.update(pebs(rand, machine))
        values["load_latency"] = rand.choice(THRESHOLDS)
    if machine.ibs:
        values["eilvt"] = kind.vector
        values["ibs_op"] = kind.ibs_op(rand) if rand.random() < 0.9 else 0
        values["ibs_fetch"] = kind.ibs_fetch(rand) if rand.random() < 0.5 else 0
    return values


def pebs(rand, machine):
    """Sets which counters make records, and what of."""
    if machine.pebs < x86.ADAPTIVE:
        return {"pebs_enable": rand.getrandbits(4) & rand.getrandbits(4) | rand.getrandbits(4) << 32}
    return {"pebs_enable": rand.getrandbits(6) & rand.getrandbits(6) | rand.getrandbits(1) << 32,
            "pebs_data_cfg": rand.getrandbits(4) | rand.choice((0, 7, 31, rand.getrandbits(8))) << 24}


class State:
    """How a program is put together."""
    guest = X86
    controls = ["rflags", "steps", "cr4", "dr7", "lvtpc", "fixed_control", "fixed", "global_control",
                "pebs_enable", "pebs_data_cfg", "load_latency", "debugctl", "lbr_select", "lbr_control",
                "eilvt", "ibs_fetch", "ibs_op"]
    kept = {"rflags": 2}
    fixed_controls = ()
    whole_controls = ("steps", "fixed")
    arrays = {"select": COUNTERS, "counter": COUNTERS, "reload": COUNTERS + 1}
    fixed = {x86.RSP, x86.RBP, *range(x86.R12, x86.R15 + 1)}

    def __init__(self, bits):
        self.name = f"x86-{bits}"
        self.generator = {64: x86.Code64, 32: x86.Code32}[bits]

    @staticmethod
    def nops(_name, word):
        return nop(len(word))

    def pieces(self, items):
        at = 0
        for name, words in [*items, ("end", self.generator.end(self._size(items)))]:
            code = b"".join(words)
            yield name, at, code, self.name
            at += len(code)

    @staticmethod
    def _size(items):
        return sum(len(word) for _, words in items for word in words)

    @staticmethod
    def rounds(values):
        return values["rounds"]

    @staticmethod
    def one_round(values):
        regs = list(values["regs"])
        regs[x86.R12] = 1
        return {"rounds": 1, "regs": regs}

    def starts(self, program):
        """Returns the offsets at which instructions begin."""
        at = 0
        for _, words in [*program.items, ("end", self.generator.end(self._size(program.items)))]:
            for word in words:
                yield at
                at += len(word)

    def described(self, program, entry, size):
        values = dict(program.values)
        values["entry"] = entry
        values["size"] = size
        values["starts"] = entry + (size + 7 & -8)
        values["regs"] = list(values["regs"])
        values["regs"][NUMBERS["RESUME_REG"]] = entry
        if values.get("dr7") and program.break_at is not None:
            starts = list(self.starts(program))
            values["dr"] = [entry + starts[int(len(starts) * program.break_at)], *values["dr"][1:]]
        return values

    def appendix(self, program):
        """Returns a bit for each byte of the code: whether an instruction begins there."""
        bits = bytearray((len(program.code()) + 7) // 8)
        for at in self.starts(program):
            bits[at // 8] |= 1 << at % 8
        return bytes(bits)

    def stop(self, rand, program, _size):
        return rand.choice(list(self.starts(program)))

    @staticmethod
    def has_breakpoint(program):
        return bool(program.values.get("dr7"))

    def breaks_at_entry(self, program):
        return self.has_breakpoint(program) and not self.described(program, 0, 0)["dr"][0]

    @staticmethod
    def traps_after_access(program):
        return bool(program.values.get("dr7", 0) & 0xc)

    @staticmethod
    def is_stepped32(_program):
        return False

    @classmethod
    def summary(cls, program, entry):
        values = program.values
        lines = [f"program {program.name}, {program.machine.cpu}, from {entry:#x}, "
                 f"CS {values['cs']:#x}, {values['rounds']} rounds",
                 "  " + " ".join(f"{name}={values.get(name, 0):#x}" for name in cls.controls)]
        for n in range(program.machine.counters):
            lines.append(f"  counter {n}: select {values['select'][n]:#x} "
                         f"from {values['counter'][n]:#x} again {values['reload'][n]:#x}")
        lines.append("  " + " ".join(f"r{n}={reg:#x}" for n, reg in enumerate(values["regs"]) if reg))
        lines.append(f"  interrupts={values['interrupts']} dr={values.get('dr')}")
        return lines


STATES = {bits: State(bits) for bits in (64, 32)}


def registers(rand, rounds, bits):
    regs = [rand.choice((rand.getrandbits(bits), rand.getrandbits(8), rand.getrandbits(32),
                         DATA + 8 * rand.getrandbits(6))) for _ in range(16)]
    regs[x86.RSP] = regs[x86.RBP] = STACK
    if bits == 64:
        regs[x86.R12] = rounds
        regs[x86.R13] = EDGE
        regs[x86.R14] = DATA
    else:
        regs[8:] = [0] * 8
    return regs


def points(rand, values):
    """A breakpoint in the code, and a watchpoint on data that is written, or accessed."""
    watched = DATA + 8 * rand.getrandbits(7)
    values["dr"] = [0, watched, 0, 0]
    values["dr7"] = 0x400 | rand.choice((0, 2)) | rand.choice((0, 8)) | \
        rand.choice((1, 3)) << 20 | rand.choice((0, 1, 3)) << 22
    if not values["dr7"] & 0xff:
        values["dr7"] = 0


def program(seed, name, length):
    rand = random.Random(f"x86 {name} {length} {seed}")
    machine = MACHINES[name]
    bits = rand.choice((64, 64, 32))
    kind = Kind(rand, machine, bits)
    values = pmu(rand, kind)
    kernel = rand.random() < 0.5
    if bits == 64:
        values["cs"] = NUMBERS["KERNEL_CS" if kernel else "USER_CS"]
    else:
        values["cs"] = NUMBERS["KERNEL_CS32" if kernel else "USER_CS32"]
    values["rflags"] = 2 | rand.choice((0, 0x200, 0x200)) | rand.choice((0, 0x3000))
    values["cr4"] = rand.choice((0, CR4_PCE)) | rand.choice((0, CR4_PGE))
    values["steps"] = rand.randrange(1, 60)
    rounds = rand.choice((1, 2, 3, 5, 9))
    values["rounds"] = rounds
    values["regs"] = registers(rand, rounds, bits)
    values["data_seed"] = rand.getrandbits(63) | 1
    if kind.watched:
        points(rand, values)
    if kind.steps:
        values["rflags"] |= 0x100
    if machine.lbr:
        values.update(machine.lbr.values(rand))
    # Its samples are not only what it has executed.
    values["wild"] = kind.wild
    state = STATES[bits]
    items = state.generator(rand, kind).items(rand.randrange(length // 10, length))
    made = Program(f"x86-{seed}", state, values, items, rand.getrandbits(12))
    made.break_at = rand.random()
    made.plain = {"rflags": 2, "lvtpc": 0x10000}
    made.machine = machine
    return made
