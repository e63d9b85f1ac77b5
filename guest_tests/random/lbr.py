# SPDX-License-Identifier: GPL-2.0-or-later
"""
Last branch records that follow from a trace of branches_x86.c. This is written from the manuals of
Intel and AMD and not from the library: the records of a program must be the same.
"""

import struct

EVENT = struct.Struct("<QB15s4Q9Q")
DEBUGCTL, LBR_SELECT, ARCH_CTL, AMD_SELECT, AMD_EXTN_CFG = 0x1d9, 0x1c8, 0x14ce, 0xc000010e, 0xc000010f
ARCH_DEPTH, TOS = 0x14cf, 0x1c9
FREEZE = 1 << 11
# Kinds of branches: the bit of LBR_SELECT that suppresses it, that of IA32_LBR_CTL that selects it, BR_TYPE.
JCC, REL_CALL, IND_CALL, RET, IND_JMP, REL_JMP, FAR = ((2, 16, 0), (3, 19, 4), (4, 20, 3), (5, 21, 5),
                                                       (6, 18, 1), (7, 17, 2), (8, 22, 8))
CALLS, RETURNS = (REL_CALL, IND_CALL), (RET,)
# The same in a recording from outside, by the numbers of vpmu/branch.h. Far branches are system calls,
# exceptions and returns from them; or indirect ones, if the CPL stays the same.
RECORDED_KINDS = {JCC: {8}, REL_CALL: {2}, IND_CALL: {3}, RET: {5}, IND_JMP: {1}, REL_JMP: {0},
                  FAR: {1, 3, 5, 7, *range(0x20, 0x40)}}
# Call-stack mode, in LBR_SELECT and in IA32_LBR_CTL.
STACK_SELECT, STACK_CTL = 1 << 9, 1 << 3
DEBUG, PROTECTION = 1, 13
# IA32_DEBUGCTL: LBR, BTF and the freezes. IA32_LBR_CTL: enable, levels, call-stack mode, kinds.
DEBUGCTL_BITS, CTL_BITS = 1 << 0 | 1 << 1 | FREEZE | 1 << 12 | 1 << 14, 0x7f000f
DEPTHS = (8, 16, 32)
# The width of addresses; SapphireRapids has five levels of page tables.
BITS = {DEBUGCTL: 48, ARCH_CTL: 57, AMD_EXTN_CFG: 58}
LEGACY_TO, ARCH_FROM, ARCH_TO = range(0x6c0, 0x6e0), range(0x1500, 0x1520), range(0x1600, 0x1620)
LEGACY_FROM = range(0x680, 0x6a0)
# What the registers of records are, of which only some check addresses.
ADDRESSES = {*LEGACY_FROM, *LEGACY_TO, *ARCH_FROM, *ARCH_TO}
RECORDS = ADDRESSES | {TOS, ARCH_DEPTH, *range(0xdc0, 0xde0), *range(0x1200, 0x1220), *range(0xc0010300, 0xc0010320)}
CHECKED = ADDRESSES | {DEBUGCTL, LBR_SELECT, TOS, ARCH_CTL, ARCH_DEPTH, AMD_SELECT, AMD_EXTN_CFG}

ONE_BYTE = {0xe9: REL_JMP, 0xeb: REL_JMP, 0xe8: REL_CALL, 0xc2: RET, 0xc3: RET, 0xca: FAR, 0xcb: FAR, 0xcf: FAR}
TWO_BYTES = {0x05: FAR, 0x07: FAR, 0x34: FAR, 0x35: FAR}
IRET = 0xcf
GROUP_5 = {2: IND_CALL, 3: FAR, 4: IND_JMP, 5: FAR}
# INT1 is a trap, whose address is that of the next instruction.
INTERRUPTS = {0xcc: 3, 0xce: 4}


def sign_extended(address, bits):
    """QEMU executes a jump to an address that is not canonical, and then has a fault."""
    sign = 1 << bits - 1
    return ((address & 2 * sign - 1 ^ sign) - sign) & (1 << 64) - 1


def is_canonical(address, bits):
    return address == sign_extended(address, bits)


def opcode(code):
    """Returns the instruction without prefixes."""
    while len(code) > 1 and (code[0] in b"\x66\x67\xf0\xf2\xf3" or code[0] & 0xf0 == 0x40):
        code = code[1:]
    return code


def branch_of(code):
    """Returns the kind of a branch, or None."""
    first = code[0]
    if first & 0xf0 == 0x70 or first & 0xfc == 0xe0:
        return JCC
    if first == 0x0f:
        return JCC if code[1] & 0xf0 == 0x80 else TWO_BYTES.get(code[1])
    if first == 0xff:
        return GROUP_5.get(code[1] >> 3 & 7)
    return ONE_BYTE.get(first)


def vector_of(code):
    """Returns the vector of INT n and of instructions like it, or None."""
    return code[1] if code[0] == 0xcd else INTERRUPTS.get(code[0])


def returns_to(event, pc):
    return event.code[0] == IRET and event.value == pc


class Records:
    """The records of a CPU. control is the MSR that switches them on."""

    def __init__(self, control, depth, playground):
        self.control = control
        self.depth = depth
        # Code at lower addresses belongs to the runtime.
        self.playground = playground
        self.msr = {}
        self.records = []
        self.writes = 0
        self.unknown = False
        # What is wrong with a write.
        self.wrong = None
        # The records of each program; None if they are not known.
        self.programs = []
        # The CPL of the next instruction.
        self.cpl = 0

    # -- rules

    def on(self):
        bit = {DEBUGCTL: 0, ARCH_CTL: 0, AMD_EXTN_CFG: 6}[self.control]
        return self.msr.get(self.control, 0) >> bit & 1

    def stack_mode(self):
        if self.control == ARCH_CTL:
            return self.msr.get(ARCH_CTL, 0) & STACK_CTL
        return self.control == DEBUGCTL and self.msr.get(LBR_SELECT, 0) & STACK_SELECT

    def selects(self, cpl):
        return self.msr[ARCH_CTL] >> (2 if cpl else 1) & 1

    def recorded(self, kind, cpl):
        if not self.on() or (self.stack_mode() and kind not in CALLS + RETURNS):
            return False
        if self.control == ARCH_CTL:
            return self.selects(cpl) and self.msr[ARCH_CTL] >> kind[1] & 1
        select = self.msr.get(LBR_SELECT if self.control == DEBUGCTL else AMD_SELECT, 0)
        return not select >> (1 if cpl else 0) & 1 and not select >> kind[0] & 1

    def add(self, kind, source, target, cpl):
        if not self.recorded(kind, cpl):
            return
        if self.stack_mode() and kind in RETURNS:
            self.records = self.records[1:]
            return
        source, target = (sign_extended(at, BITS[self.control]) for at in (source, target))
        if self.control == ARCH_CTL and not self.selects(self.cpl):
            source = (1 << 64) - 1      # it does not show addresses of a CPL that is filtered out
        if self.control == AMD_EXTN_CFG:
            target = target & ~(7 << 61) | 1 << 63
        info = kind[2] << 56 if self.control == ARCH_CTL else 0
        self.records = [(source & ~(1 << 63), target, info)] + self.records[:self.depth - 1]

    def deliver(self, vector, source, target, cpl):
        """An interrupt or exception. A debug exception switches legacy records off first."""
        if vector == DEBUG and self.control == DEBUGCTL:
            self.msr[DEBUGCTL] = self.msr.get(DEBUGCTL, 0) & ~1
        self.add(FAR, source, target, cpl)
        self.cpl = cpl

    # -- the trace

    def refused(self, msr, value):
        """Returns whether Intel's manual has #GP for a write at CPL 0; None: this does not know."""
        if msr == DEBUGCTL:
            return bool(value & ~DEBUGCTL_BITS)
        if msr == LBR_SELECT:
            return bool(value >> (10 if self.depth == 32 else 9))
        if msr == ARCH_CTL:
            return bool(value & ~CTL_BITS)
        if msr == ARCH_DEPTH:
            return value not in DEPTHS
        if msr == TOS:
            return value >= self.depth
        if msr in LEGACY_TO[:self.depth] or (self.depth == 32 and msr in LEGACY_FROM):
            return not is_canonical(value, BITS[DEBUGCTL])
        if msr in (*ARCH_FROM[:self.depth], *ARCH_TO[:self.depth]):
            return not is_canonical(value, BITS[ARCH_CTL])
        return None

    def check(self, event):
        """Is a write refused that must be, and no other? AMD refuses none."""
        fault = event.frames and event.frames[0]
        refused = bool(fault) and fault[0] == PROTECTION and fault[1] == event.pc
        want = False if self.control == AMD_EXTN_CFG else self.refused(event.msr, event.value)
        if event.msr not in CHECKED or want is None or (refused and fault[2] & 3):
            return
        completed = not event.frames and event.next_pc != event.pc
        if want != refused and (refused or completed):
            self.wrong = f"writing {event.value:#x} to MSR {event.msr:#x} was {'refused' if refused else 'accepted'}"

    def write(self, event):
        self.unknown |= event.pc >= self.playground and event.msr in RECORDS
        self.msr[event.msr] = event.value
        if event.msr == ARCH_DEPTH:
            self.depth = event.value
        if self.writes == 2:
            self.unknown |= bool(self.msr.get(DEBUGCTL, 0) & FREEZE)
        if event.msr == self.control and event.pc < self.playground:
            self.count()

    def count(self):
        """The runtime has begun or ended a program."""
        self.writes = (self.writes + 1) % 3
        if self.writes == 2:
            self.records, self.wrong, self.unknown = [], None, bool(self.msr.get(DEBUGCTL, 0) & FREEZE)
        elif self.writes == 0:
            self.programs.append(self.wrong or (None if self.unknown else self.records))

    def lose(self):
        """The trace does not show what happened."""
        self.unknown = True

    def execute(self, event, next_pc, cs):
        """The instruction of an event, after which @next_pc is next."""
        # An interrupt before an IRET may return to it by that IRET itself.
        if next_pc == event.pc and not returns_to(event, next_pc):
            return      # it was refused, or is executed again
        if event.code[:2] == b"\x0f\x30":
            self.write(event)
            return
        kind = branch_of(event.code)
        if kind == JCC and next_pc == event.pc + event.size:
            # Was it taken? A displacement of 0 leads to the same address.
            if not any(event.code[2 if event.code[0] == 0x0f else 1:]):
                self.lose()
        elif kind:
            self.add(kind, event.pc, next_pc, cs & 3)
            self.cpl = cs & 3

    def follow(self, event):
        # An interrupt of a handler's first instruction returns to an entry of the vectors. That is no exception.
        frames = [] if returns_to(event, event.next_pc) else event.frames
        if event.code[:2] == b"\x0f\x30" and self.writes == 2:
            self.check(event)
        if not frames:
            self.execute(event, event.next_pc, event.cs)
            return
        if len(set(frames)) < len(frames):
            # The second one has overwritten the first one's frame, on the same stack.
            self.lose()
        vector, rip, cs = frames[0]
        source = rip
        if vector_of(event.code) == vector and rip == event.pc + event.size:
            source = event.pc
        else:
            self.execute(event, rip, cs)
        for n, (vector, rip, _) in enumerate(frames):
            target, to = (frames[n + 1][1:] if n + 1 < len(frames) else (event.next_pc, event.cs))
            self.deliver(vector, rip if n else source, target, to & 3)


class All(Records):
    """All branches of each program: what a recording of all branches has, whatever LBR's registers say."""

    def count(self):
        self.writes = (self.writes + 1) % 3
        if self.writes == 2:
            self.programs.append(([], []))

    def lose(self):
        if self.programs:
            self.programs[-1] = None

    def add(self, kind, source, target, cpl):
        if self.programs and self.programs[-1] is not None:
            self.programs[-1][0].append((kind, source, target, int(not cpl)))


class Event:
    """One struct event of branches_x86.c."""

    def __init__(self, words):
        self.pc, self.size, insn, self.msr, self.value, self.next_pc, self.cs = words[:7]
        self.code = opcode(insn[:self.size])
        frames = [words[n:n + 3] for n in (7, 10, 13)]
        # The one that was taken first comes first.
        self.frames = [(number - 1, rip, cs) for number, rip, cs in reversed(frames) if number]


def from_trace(data, control, depth, playground):
    """Returns the records of each program."""
    return followed(Records(control, depth, playground), data)


def all_from_trace(data, control, depth, playground):
    """Returns all branches of each program; None if they are not known."""
    return followed(All(control, depth, playground), data)


def followed(records, data):
    for words in EVENT.iter_unpack(data):
        records.follow(Event(words))
    return records.programs


def fault(expected, words):
    """Compares records with those of a result. Returns what is different or was wrong, or None."""
    if isinstance(expected, str):
        return expected
    for n in range(len(words) // 3):
        got = words[3 * n:3 * n + 3]
        want = expected[n] if n < len(expected) else None
        if got != want and not (want is None and not any(got[:2])):
            shown = " ".join(map(hex, want)) if want else "none"
            return f"branch record {n} is {' '.join(map(hex, got))}, not {shown}"
    return None
