# SPDX-License-Identifier: GPL-2.0-or-later
"""
Random x86 code, of 64 and of 32 bits: items, each a list of instructions that work wherever they
are and at any privilege level.

RAX to RDI and R8 to R11 are random data, and for an item's own use. Between items RBP equals RSP.
In 64-bit code R12 is the remaining rounds, R13 the edge, R14 the data, R15 where to continue after
a jump to an invalid address. In 32-bit code all of these are in memory.
"""

from guests import X86
from x86_code import (Code, Mem, imm, nop, RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R12, R13, R14,
                      R15)

NUMBERS = X86.layout.numbers
PLAYGROUND = NUMBERS["PLAYGROUND_BASE"]
DATA = PLAYGROUND + NUMBERS["DATA_OFFSET"]
EDGE = PLAYGROUND + NUMBERS["EDGE_OFFSET"]
FAR_EDGE = PLAYGROUND + NUMBERS["FAR_EDGE_OFFSET"]
STACK = PLAYGROUND + NUMBERS["STACK_OFFSET"]
READ_ONLY = PLAYGROUND + NUMBERS["PAGE_READ_ONLY"] * 4096
PRIVATE = PLAYGROUND + NUMBERS["PAGE_PRIVATE"] * 4096
CLIFF = PLAYGROUND + NUMBERS["PAGE_CLIFF"] * 4096
STACK_PAGE = PLAYGROUND + NUMBERS["PAGE_STACK"] * 4096
LAPIC = NUMBERS["LAPIC_BASE"]
DATA_BYTES = 0x7f0

EFLAGS_TF, EFLAGS_IF, EFLAGS_AC, EFLAGS_ID = 1 << 8, 1 << 9, 1 << 18, 1 << 21
INT3, STD, CLD, IRET, RET, SYSCALL = b"\xcc", b"\xfd", b"\xfc", 0xcf, b"\xc3", b"\x0f\x05"
NON_CANONICAL = 0x8000_0000_0000

# MSRs of the PMUs.
INTEL_SELECT, INTEL_COUNTER, INTEL_FIXED = 0x186, 0xc1, 0x309
INTEL_FIXED_CONTROL, INTEL_STATUS, INTEL_CONTROL, INTEL_CLEAR = 0x38d, 0x38e, 0x38f, 0x390
INTEL_CAPABILITIES, INTEL_PEBS_ENABLE, INTEL_LOAD_LATENCY, INTEL_FULL_COUNTER = 0x345, 0x3f1, 0x3f6, 0x4c1
INTEL_PEBS_DATA_CFG = 0x3f2
# The first format of PEBS whose records have a chosen size. Fixed counters make records, too.
ADAPTIVE = 4
IBS_FETCH_CTL, IBS_OP_CTL, IBS_REGISTERS = 0xc0011030, 0xc0011033, range(0xc0011030, 0xc001103e)
V2_STATUS, V2_CONTROL, V2_CLEAR, V2_SET = range(0xc0000300, 0xc0000304)
K7_SELECT, K7_COUNTER, CORE_SELECT, CORE_COUNTER = 0xc0010000, 0xc0010004, 0xc0010200, 0xc0010201


class Generator:
    """Makes items from a source of random numbers, for a program of some kind."""
    bits_of_code = 64

    def __init__(self, rand, kind):
        self.rand = rand
        self.kind = kind
        self.bits = rand.getrandbits
        self.pick = rand.choice
        self.code = Code(self.bits_of_code)
        self.wide = self.code.wide
        self.free = [RAX, RCX, RDX, RBX, RSI, RDI] + ([R8, 9, 10, 11] if self.wide else [])
        self.avoid = ()
        # With a watchpoint there is no REP: with -icount QEMU, with or without vpmu, stops after
        # the element that hits it, otherwise after all elements.
        self.repeats = (b"",) if kind.watched else (b"\xf3", b"\xf3", b"\xf3", b"\xf2", b"")
        self.weighted = [(self.alu, 26), (self.memory, 24), (self.modify, 10), (self.stack, 8),
                         (self.vector, 7), (self.branch, 14), (self.loop, 5), (self.call, 5),
                         (self.indirect, 4), (self.string, 8), (self.fault, 5), (self.lazy, 5),
                         (self.cliff, 1), (self.interrupt, 5), (self.system_call, 3),
                         (self.level_down, 3), (self.far, 2), (self.flags, 4), (self.single_steps, 1),
                         (self.pmu, 10), (self.read_pmu, 5), (self.lvtpc, 1), (self.system, 5),
                         (self.address_space, 2), (self.device, 2), (self.selfmod, 2)]
        if kind.machine.lbr:
            self.weighted.append((self.last_branches, 8))
        if kind.machine.ibs:
            self.weighted.append((self.ibs, 8))
        self.functions = [f for f, _ in self.weighted]
        self.weights = [w * (0.2 + rand.random() * 1.8) for _, w in self.weighted]
        # In about half of the programs, most strings cross the end of a page. Such elements are split, and QEMU
        # executes them again when they overflow a counter.
        self.anywhere = self.weights[1] > self.weighted[1][1]

    def items(self, count):
        return [(f.__name__, f()) for f in
                self.rand.choices(self.functions, self.weights, k=count)]

    # -- parts

    def reg(self):
        while True:
            reg = self.pick(self.free)
            if reg not in self.avoid:
                return reg

    def w(self):
        return self.wide and bool(self.bits(1))

    def offset(self):
        """An address in the data: anywhere, or across a line or the border of the pages."""
        form = self.bits(3)
        if form == 0:
            return 64 * (1 + self.bits(4)) - self.bits(3)
        if form == 1:
            return 0x400 - self.bits(4)
        if form < 5:
            return 8 * self.bits(7)
        return self.bits(11) % DATA_BYTES

    def place(self, address):
        """The same address in one form or another."""
        if self.wide and self.bits(2):
            return Mem(R14, address - DATA) if self.bits(1) else Mem(R13, address - EDGE)
        return Mem(None, address)

    def data(self):
        return self.place(DATA + self.offset())

    def some(self, count):
        words = []
        for _ in range(count):
            words += self.pick((self.alu, self.alu, self.memory, self.modify))()
        return words

    def here(self, reg, distance):
        """The address this many bytes after the instruction, in a register."""
        words = self.code.here(reg, distance)
        return words if isinstance(words, list) else [words]

    def set_resume(self, distance):
        if self.wide:
            return self.here(R15, distance)
        store = self.code.store(Mem(None, PLAYGROUND + NUMBERS["RESUME_OFFSET"]), RAX)
        return self.here(RAX, distance + len(store)) + [store]

    def restore_stack(self):
        return self.code.mov(RSP, RBP)

    def int_n(self, vector):
        return b"\xcd" + bytes([vector])

    def jump(self, distance):
        if self.bits(1) and -128 <= distance < 128:
            return b"\xeb" + imm(distance, 1)
        return b"\xe9" + imm(distance, 4)

    # -- items

    def alu(self):
        r = self.bits
        form = r(3)
        a, b, w, insn = self.reg(), self.reg(), self.w(), self.code.insn
        if form < 2:
            op = self.pick((0x01, 0x09, 0x11, 0x19, 0x21, 0x29, 0x31, 0x39, 0x85))
            return [insn(op, b, a, w)]
        if form == 2:
            return [insn(0x81, r(3), a, w, imm(r(32), 4))]
        if form == 3:
            count = imm(r(5), 1)
            op = self.pick((0, 1, 4, 5, 7))
            return [insn(0xc1, op, a, w, count) if r(1) else insn(0xd3, op, a, w)]
        if form == 4:
            return [self.code.lea(a, Mem(b, r(7) - 64, self.reg(), r(2)))]
        if form == 5:
            op = self.pick((0x40, 0xaf, 0xb6, 0xbe, 0xb7, 0xbf, 0x90))
            if op in (0x40, 0x90):
                op |= r(4)
            return [insn(bytes([0x0f, op]), b, a, w)]
        if form == 6:
            return [self.pick((insn(0xf7, self.pick((2, 3)), a, w), insn(0xff, r(1), a, w),
                               insn(0x87, b, a, w)))]
        return [self.code.mov_imm(a, self.pick((r(32), r(8), DATA + r(11))))]

    def memory(self):
        """A load, or a store."""
        insn, w, reg, mem = self.code.insn, self.w(), self.reg(), self.data()
        form = self.bits(3)
        if form == 0 and self.bits(1):
            index = self.reg()
            return [insn(0x81, 4, index, imm=imm(0x3f8, 4)),
                    insn(0x8b, reg, Mem(index, DATA + self.bits(9)), w)]
        if form < 3:
            op = self.pick((0x8b, 0x8a, 0x03, 0x2b, 0x33, 0x3b, 0x39, 0x85, b"\x0f\xb6", b"\x0f\xbf"))
            return [insn(op, reg, mem, w)]
        if form == 3:
            return [insn(self.pick((b"\x0f\x4c", b"\x0f\x44")), reg, mem, w)] \
                if self.bits(1) else [insn(0xf6, 0, mem, imm=imm(self.bits(8), 1))]
        if form == 4:
            return [insn(0xc7, 0, mem, w, imm(self.bits(32), 4))]
        if form == 5:
            return [insn(0x89, reg, mem, prefix=b"\x66")]
        return [insn(self.pick((0x89, 0x89, 0x88, b"\x0f\x92")), reg, mem, w)]

    def modify(self):
        """Reads and writes, LOCK or not."""
        insn, w, reg, mem = self.code.insn, self.w(), self.reg(), self.data()
        lock = self.pick((b"", b"", b"\xf0"))
        form = self.bits(3)
        if form < 2:
            return [insn(self.pick((0x01, 0x09, 0x11, 0x21, 0x29, 0x31)), reg, mem, w, prefix=lock)]
        if form == 2:
            return [insn(0xff, self.bits(1), mem, w, prefix=lock)]
        if form == 3:
            return [insn(0xf7, self.pick((2, 3)), mem, w, prefix=lock)]
        if form == 4:
            return [insn(self.pick((b"\x0f\xc1", b"\x0f\xb1", b"\x0f\xb0", b"\x87", b"\x86")), reg, mem,
                         w, prefix=self.pick((b"", lock)))]
        if form == 5:
            return [insn(b"\x0f\xc7", 1, mem, w, prefix=lock)]      # CMPXCHG8B, CMPXCHG16B
        # No BTS and similar ones: their undefined flags differ from block to block.
        return [self.pick((insn(0xd1, self.pick((0, 1, 4, 5)), mem, w),
                           insn(0x81, 0, mem, w, imm(self.bits(31), 4)),
                           insn(b"\x0f\xa4", reg, mem, w, imm(self.bits(5), 1))))]

    def push_or_pop(self):
        form = self.bits(3)
        insn, reg = self.code.insn, self.reg()
        if form < 2:
            return self.code.push(reg)
        if form < 4:
            return self.code.pop(reg)
        if form == 4:
            return b"\x68" + imm(self.bits(31), 4)
        if form == 5:
            return insn(0xff, 6, self.data())
        if form == 6:
            return insn(0x8f, 0, self.data())
        return b"\x9c"                                          # PUSHF

    def stack(self):
        words = []
        if self.bits(2) == 0:
            place = self.pick((STACK_PAGE + self.bits(5), STACK_PAGE + 4096 - self.bits(5),
                               STACK - self.bits(6)))
            words.append(self.code.mov_imm(RSP, place))
        words += [self.push_or_pop() for _ in range(1 + self.bits(2))]
        return words + [self.restore_stack()]

    def vector(self):
        """
        No arithmetic: QEMU, with or without vpmu, loses flags of MXCSR in a migration, and FXSAVE
        shows them.
        """
        r, insn, mem = self.bits, self.code.insn, self.data()
        xmm, other = (r(4), r(4)) if self.wide else (r(3), r(3))
        form = r(4)
        if form < 3:
            return [insn(b"\x0f\x10", xmm, mem, prefix=self.pick((b"", b"\x66", b"\xf2", b"\xf3")))]
        if form < 5:
            return [insn(b"\x0f\x11", xmm, mem, prefix=self.pick((b"", b"\x66", b"\xf2", b"\xf3")))]
        if form < 7:
            aligned = self.place(DATA + 16 * r(6) + self.pick((0, 0, 0, 8)))
            return [insn(self.pick((b"\x0f\x28", b"\x0f\x29", b"\x0f\xd4", b"\x0f\xe7", b"\x0f\xfc")),
                         xmm, aligned, prefix=b"\x66")]
        if form == 7:
            return [insn(b"\x0f\xf0", xmm, mem, prefix=b"\xf2")]
        if form == 8:
            return [insn(b"\x0f\x6e", xmm, self.reg(), self.w(), prefix=b"\x66")]
        if form == 9:
            return [insn(b"\x0f\x7e", xmm, self.reg(), self.w(), prefix=b"\x66")]
        if form == 10:
            return [insn(self.pick((b"\x0f\xef", b"\x0f\xd4", b"\x0f\xeb")), xmm, other, prefix=b"\x66")]
        if form < 13:
            # FXSAVE, of 8 or 9 lines: a few of them are many events in few instructions.
            return [insn(b"\x0f\xae", 0, self.place(DATA + 16 * r(6) + self.pick((0, 0, 0, 8))))
                    for _ in range(1 + r(2))]
        if form < 15:
            return [insn(b"\x0f\xc3", self.reg(), mem, self.w())]
        return [self.code.lea(RDI, mem), insn(b"\x0f\xf7", xmm, other, prefix=b"\x66")]

    def branch(self):
        """A forward branch over a few instructions."""
        over = self.some(1 + self.bits(2))
        distance = sum(map(len, over))
        form = self.bits(3)
        if form < 3 and distance < 128:
            return [bytes([0x70 | self.bits(4)]) + imm(distance, 1)] + over
        if form < 5:
            return [bytes([0x0f, 0x80 | self.bits(4)]) + imm(distance, 4)] + over
        if form == 5 and distance < 128:
            return [bytes([0xe0 | self.bits(2)]) + imm(distance, 1)] + over     # LOOP, JRCXZ
        return [self.jump(distance)] + over

    def loop(self):
        """A few iterations of a few instructions, which may be interrupted anywhere."""
        # BH is a byte register of 32-bit code.
        counter = self.pick((RCX, RCX, RSI, RBX if self.wide else RSI))
        self.avoid = (counter,)
        body = self.some(1 + self.bits(2))
        self.avoid = ()
        rounds = 2 + (self.bits(10) if self.bits(3) == 0 else self.bits(4))
        words = [self.code.mov_imm(counter, rounds)] + body
        size = sum(map(len, body))
        if counter == RCX and size < 120:
            return words + [b"\xe2" + imm(-size - 2, 1)]
        back = self.code.insn(0xff, 1, counter, self.wide)
        return words + [back, b"\x0f\x85" + imm(-size - len(back) - 6, 4)]

    def call(self):
        """CALL, and RET from there."""
        body = self.some(1 + self.bits(1))
        ret = RET if self.bits(1) else b"\xc2" + imm(8 * self.bits(2), 2)
        jump = b"\xe9" + imm(sum(map(len, body)) + len(ret), 4)
        return [b"\xe8" + imm(len(jump), 4), jump] + body + [ret, self.restore_stack()]

    def indirect(self):
        over = self.some(1 + self.bits(2))
        size = sum(map(len, over))
        reg, insn = self.reg(), self.code.insn
        form = self.bits(2)
        if form == 0:
            jump = [insn(0xff, self.pick((2, 4)), reg)]
        elif form == 1:
            mem = self.data()
            jump = [self.code.store(mem, reg), insn(0xff, self.pick((2, 4)), mem)]
        else:
            jump = [self.code.push(reg), RET]
        distance = sum(map(len, jump)) + size
        return self.here(reg, distance) + jump + over + [self.restore_stack()]

    def somewhere(self):
        """An address at which a string begins, with what may follow it."""
        form = self.bits(3)
        if form < 3:
            return DATA + self.offset()
        if form < 6 or not self.anywhere:
            return EDGE - self.bits(6)
        if form == 6:
            return FAR_EDGE - self.bits(6)
        return self.pick((READ_ONLY + self.bits(6), EDGE + 0x1000 - self.bits(5), READ_ONLY - self.bits(6)))

    def string(self):
        r, code = self.bits, self.code
        words = [self.int_n(NUMBERS["VECTOR_UNMAP"])] if r(2) == 0 else []
        words += [CLD, code.lea(RSI, Mem(None, self.somewhere())),
                  code.lea(RDI, Mem(None, self.somewhere())),
                  code.mov_imm(RCX, self.pick((0, 1, 1, r(3), r(5), r(5), r(6), r(9))))]
        if r(2) == 0:
            words.append(STD)
        op = self.pick((0xa4, 0xa4, 0xa6, 0xaa, 0xaa, 0xac, 0xae))
        prefix = self.pick(self.repeats)
        size = r(2)
        if size == 1:
            prefix += b"\x66"
        elif size == 2 and r(1):
            prefix += b"\x67" if self.wide else b""
        return words + [code.insn(op | (size != 0), w=self.w(), prefix=prefix), CLD]

    def undefined(self):
        return self.pick((b"\x0f\x0b", b"\x0f\xff\xc0", b"\xf0\x90", b"\x0f\xb9\xc1",
                          b"\xf0\x01\xc0"))

    def fault(self):
        """Instructions that are refused in the middle of a block."""
        r, code, insn = self.bits, self.code, self.code.insn
        form = r(3)
        if form == 0:
            words = [self.undefined()]
        elif form == 1:
            words = [insn(0xf7, self.pick((6, 7)), self.pick((RCX, RBX)), self.w())]
        elif form == 2:
            words = [insn(0x31, RCX, RCX), insn(0xf7, self.pick((6, 7)), RCX)]
        elif form == 3:
            words = self.protection()
        else:
            words = [self.access(self.nowhere())]
        return self.some(1) + words + [self.restore_stack()] + self.some(1)

    def nowhere(self):
        """An address that is not mapped, read-only, or the kernel's."""
        return self.pick((FAR_EDGE, FAR_EDGE - 1 - self.bits(3), READ_ONLY + 8, PRIVATE + 8,
                          READ_ONLY - 1 - self.bits(2), PRIVATE - 4))

    def access(self, address):
        insn, reg, w = self.code.insn, self.reg(), self.w()
        mem = Mem(None, address)
        return self.pick((insn(0x8b, reg, mem, w), insn(0x89, reg, mem, w), insn(0x01, reg, mem, w),
                          insn(0xff, 6, mem), insn(0x8f, 0, mem),
                          insn(0xff, 2, Mem(None, FAR_EDGE)),
                          insn(b"\x0f\x10", 1, mem), insn(b"\x0f\x11", 1, mem), insn(0x87, reg, mem, w),
                          insn(b"\x0f\xb1", reg, mem, w, prefix=b"\xf0"),
                          insn(0xff, 0, mem, w, prefix=b"\xf0")))

    def protection(self):
        code, insn, form = self.code, self.code.insn, self.bits(3)
        if form < 3 and self.wide:
            words = [code.mov_imm64(RAX, NON_CANONICAL + self.bits(20))]
            if form == 0:
                return words + [code.mov(RSP, RAX), code.push(RCX)]
            return words + [self.pick((insn(0x8b, RCX, Mem(RAX)), insn(0x01, RCX, Mem(RAX)),
                                       insn(0xff, 4, RAX), insn(0xff, 6, Mem(RAX))))]
        if form == 3:
            return [code.mov_imm(RAX, 0x7f8), b"\x8e\xd8"]      # MOV DS
        if form == 4:
            return [b"\xe4\x21"]                                # IN, if IOPL allows it
        if form == 5:
            # HLT, where it is refused.
            return [b"\x8c\xc8", b"\xa8\x03", b"\x74\x01", b"\xf4"]
        return [self.int_n(self.pick((NUMBERS["VECTOR_ABSENT"], 0xf0, NUMBERS["VECTOR_KERNEL"])))]

    def lazy(self):
        """Accesses that fault once."""
        words = [self.int_n(NUMBERS["VECTOR_UNMAP"])] if self.bits(1) else []
        for _ in range(1 + self.bits(1)):
            address = EDGE + self.pick((0, 0x1000)) + self.bits(5) - 12
            form = self.bits(3)
            if form == 0:
                words += [self.code.mov_imm(RSP, EDGE + self.bits(3)), self.code.push(self.reg()),
                          self.code.pop(self.reg()), self.restore_stack()]
            elif form == 1:
                words.append(self.code.insn(b"\x0f\xae", 0, Mem(None, EDGE - 16 * self.bits(5))))
            else:
                # No CALL.
                op = self.pick((0x8b, 0x89, 0x01, 0x87, b"\x0f\x10", b"\x0f\x11", b"\x0f\xc1"))
                words.append(self.code.insn(op, self.reg() & 7, self.place(address), self.w()))
        return words

    def cliff(self):
        """
        Code that runs over the end of its page to an unmapped page, or a jump straight into that,
        or into data.
        """
        r = self.bits
        target = self.pick((CLIFF + 4096 - 2 * r(4), CLIFF + 4096 - r(4), CLIFF + 4096 + r(8),
                            DATA + r(8)))
        jump = [self.code.mov_imm(RDX, target), self.code.insn(0xff, self.pick((2, 4)), RDX)]
        return self.set_resume(sum(map(len, jump))) + jump + [self.restore_stack()]

    def interrupt(self):
        form = self.bits(3)
        if form == 0:
            return [INT3]
        if form == 1:
            return [b"\xf1"]                                    # a debug trap
        if form == 2 and not self.wide:
            return [self.code.insn(0x01, RAX, RAX), b"\xce"]    # INTO
        if form == 3 and not self.wide:
            return [self.code.insn(0x62, RAX, self.data())]     # BOUND
        vector = self.pick(("SERVICE", "CPL", "CPL", "UNMAP", "INTERRUPTS"))
        return [self.int_n(NUMBERS["VECTOR_" + vector])]

    def system_call(self):
        if self.bits(2):
            return [self.code.mov_imm(RAX, self.bits(2)), SYSCALL]
        return self.set_resume(2) + [b"\x0f\x34"]               # SYSENTER

    def new_flags(self):
        return 2 | self.pick((0, EFLAGS_IF, EFLAGS_IF)) | self.pick((0, 0x3000)) | \
            (self.bits(8) & 0xd5) | (EFLAGS_TF if self.bits(4) == 0 else 0)

    def level_down(self):
        """
        A return to where it continues, at this level or below. If it is refused, it is skipped.
        """
        form = self.bits(2)
        if form == 0 and self.wide:
            rest = [self.code.mov_imm(11, self.new_flags()), b"\x48\x0f\x07"]       # SYSRET
            return self.here(RCX, sum(map(len, rest))) + rest
        if form == 1:
            rest = [self.code.mov_imm(RCX, STACK),
                    b"\x48\x0f\x35" if self.wide else b"\x0f\x35"]                   # SYSEXIT
            return self.here(RDX, sum(map(len, rest))) + rest
        kernel = self.bits(1)
        cs, ss = self.selectors(kernel)
        push = lambda value: b"\x68" + imm(value, 4)
        iret = b"\x48\xcf" if self.wide else b"\xcf"
        rest = [push(ss), self.code.push(RBP), push(self.new_flags()), push(cs), self.code.push(RAX), iret]
        return self.here(RAX, sum(map(len, rest))) + rest + [self.restore_stack()]

    def selectors(self, kernel):
        suffix = "" if self.wide else "32"
        if kernel:
            return NUMBERS["KERNEL_CS" + suffix], NUMBERS["KERNEL_SS"]
        return NUMBERS["USER_CS" + suffix], NUMBERS["USER_SS"]

    def far(self):
        """RETF, JMP or CALL to the same segment."""
        read_cs = b"\x8c\xc8"                                   # MOV EAX, CS
        if self.bits(1):
            rest = [self.code.push(RAX), self.code.push(RDX), b"\x48\xcb" if self.wide else b"\xcb"]
        else:
            pointer = 8 * self.bits(7)
            rest = [self.code.insn(0x89, RDX, self.place(DATA + pointer)),
                    self.code.insn(0x89, RAX, self.place(DATA + pointer + 4)),
                    self.code.insn(0xff, self.pick((3, 5)), self.place(DATA + pointer))]
        return [read_cs] + self.here(RDX, sum(map(len, rest))) + rest + [self.restore_stack()]

    def flags(self):
        form = self.bits(3)
        if form < 2:
            return [b"\xfb"] + ([self.pick((b"\xfa", b"\x90"))] if self.bits(1) else [])
        if form == 2:
            return [b"\xfa"]
        if form < 5:
            return [b"\x8c\xd0", b"\x8e\xd0"]                   # MOV EAX, SS; MOV SS, EAX
        if form == 5 and not self.wide:
            return [b"\x16", b"\x17"]                           # PUSH SS; POP SS
        if form == 6:
            return [self.pick((STD, CLD))]
        value = self.new_flags() & ~EFLAGS_TF | self.pick((0, EFLAGS_AC, EFLAGS_ID))
        return [b"\x68" + imm(value, 4), b"\x9d"]

    def single_steps(self):
        """POPF makes each instruction raise #DB, until there were enough."""
        top = Mem(RSP)
        return [b"\x9c", self.code.insn(0x81, 1, top, imm=imm(EFLAGS_TF, 4)), b"\x9d"]

    # -- the PMU

    def wrmsr(self, msr, value):
        code = self.code
        return [code.mov_imm(RCX, msr), code.mov_imm(RAX, value & 0xffffffff),
                code.mov_imm(RDX, value >> 32 & 0xffffffff), b"\x0f\x30"]

    def counter(self):
        n = self.bits(3) % (self.kind.machine.counters + (self.bits(4) == 0))
        if self.kind.machine.intel:
            return INTEL_COUNTER + n
        if self.kind.machine.counters == 4 or (n < 4 and self.bits(2) == 0):
            return K7_COUNTER + n
        return CORE_COUNTER + 2 * n

    def selector(self):
        n = self.bits(3) % self.kind.machine.counters
        if self.kind.machine.intel:
            return INTEL_SELECT + n
        if self.kind.machine.counters == 4 or (n < 4 and self.bits(2) == 0):
            return K7_SELECT + n
        return CORE_SELECT + 2 * n

    def near(self):
        value = -1 - self.bits(self.pick((1, 3, 5, 8))) & 0xffffffffffff
        return value if self.bits(4) else value | self.bits(64)

    def pmu(self):
        """Writes values to the PMU's registers that have an effect."""
        r, kind = self.bits, self.kind
        form = r(4)
        if form < 7:
            return self.wrmsr(self.counter(), self.near())
        if form < 10 or not kind.machine.is_global:
            value = kind.select(self.rand)
            if r(4) == 0:
                value |= 1 << self.pick((18, 19, 21, 23, 32, 40, 41, 63))
            return self.wrmsr(self.selector(), value)
        if form < 12 or (form == 12 and kind.machine.v2):
            value = kind.global_control(self.rand)
            msr = V2_CONTROL if kind.machine.v2 else INTEL_CONTROL
            return self.wrmsr(msr, value if r(4) else value | 1 << r(6))
        if kind.machine.v2:
            return self.wrmsr(self.pick((V2_CLEAR, V2_CLEAR, V2_SET, V2_STATUS)), r(6))
        if form == 12:
            value = kind.fixed_control(self.rand)
            return self.wrmsr(INTEL_FIXED_CONTROL, value if r(3) else value | 1 << 12 + r(5))
        if form == 13:
            return self.wrmsr(INTEL_FIXED, self.near())
        if form == 14 and kind.machine.pebs:
            return self.pebs()
        return self.wrmsr(self.pick((INTEL_CLEAR, INTEL_CLEAR, INTEL_STATUS)), r(4) | r(1) << 32)

    def pebs(self):
        r, machine = self.bits, self.kind.machine
        form = r(2)
        if form < 2:
            return self.wrmsr(INTEL_LOAD_LATENCY, r(self.pick((3, 6, 8))) if r(4) else r(20))
        if form == 2 and machine.pebs >= ADAPTIVE:
            return self.wrmsr(INTEL_PEBS_DATA_CFG, r(4) | r(5) << 24 if r(4) else r(self.pick((32, 64))))
        if r(4) == 0:
            return self.wrmsr(INTEL_PEBS_ENABLE, r(36) | r(1) << 63)
        return self.wrmsr(INTEL_PEBS_ENABLE, r(6) | r(1) << 32 if machine.pebs >= ADAPTIVE else r(4) | r(4) << 32)

    def read_pmu(self):
        r, kind = self.bits, self.kind
        if r(1):
            n = r(3) % (kind.machine.counters + (r(4) == 0))
            if kind.machine.intel and r(2) == 0:
                n = 1 << 30
            return [self.code.mov_imm(RCX, n), b"\x0f\x33"]
        msr = self.pick((self.counter(), self.selector()))
        if kind.machine.intel and r(1):
            msr = self.pick((INTEL_STATUS, INTEL_CONTROL, INTEL_FIXED, INTEL_FIXED_CONTROL,
                             INTEL_CAPABILITIES))
        if kind.machine.v2 and r(1):
            msr = self.pick((V2_STATUS, V2_CONTROL, V2_CLEAR, V2_SET))
        return [self.code.mov_imm(RCX, msr), b"\x0f\x32"]

    def last_branches(self):
        """
        Writes a register of last branch records, or reads the target of one. The sources may tell
        predictions, which are not migrated.
        """
        lbr = self.kind.machine.lbr
        if self.kind.wild and self.bits(2):
            return self.wild_branches(lbr)
        if self.bits(2) == 0:
            return [self.code.mov_imm(RCX, lbr.target + lbr.step * self.bits(3)), b"\x0f\x32"]
        msr, value = self.pick(list(lbr.registers(self.rand).items()))
        return self.wrmsr(msr, value if self.bits(3) else value ^ 1 << self.bits(5))

    def wild_branches(self, lbr):
        """Writes any value to any register of last branch records, which may refuse it."""
        r = self.bits
        msr = self.pick((*lbr.others, self.pick(lbr.others), self.pick(lbr.arrays) + r(5), self.pick(lbr.arrays)))
        value = self.pick((r(64), r(5), 1 << r(6), 8 * r(3), r(48), ~r(47), r(63) & 0x7f000f | r(1) << r(6)))
        return self.wrmsr(msr, value & 0xffff_ffff_ffff_ffff)

    def ibs(self):
        """Starts a unit of instruction-based sampling, or reads any of its registers, or writes it if wild."""
        form = self.bits(3)
        if form < 3:
            return self.wrmsr(IBS_OP_CTL, self.kind.ibs_op(self.rand))
        if form == 3:
            return self.wrmsr(IBS_FETCH_CTL, self.kind.ibs_fetch(self.rand))
        msr = self.pick(IBS_REGISTERS)
        if form < 6 or not self.kind.wild:
            return [self.code.mov_imm(RCX, msr), b"\x0f\x32"]
        return self.wrmsr(msr, self.pick((self.bits(64), self.bits(32), 1 << self.bits(6))))

    def lvtpc(self):
        return [self.code.mov_imm(RDX, LAPIC + 0x340),
                self.code.insn(0xc7, 0, Mem(RDX), imm=imm(self.pick(self.kind.lvtpc_values), 4))]

    # -- the machine

    def system(self):
        r, code, insn = self.bits, self.code, self.code.insn
        form = r(3)
        if form < 2:
            return [insn(b"\x0f\x01", 7, self.place(self.pick((DATA, EDGE, EDGE - 8, STACK))))]
        if form == 2:
            return [code.mov_imm(RAX, self.pick((0, 1, 10, 0x80000001))), b"\x0f\xa2"]
        if form == 3:
            return [self.pick((b"\x0f\xae\xe8", b"\x0f\xae\xf0", b"\x0f\xae\xf8", b"\xf3\x90",
                               b"\x0f\x09"))]
        if form == 4:
            return [insn(b"\x0f\xae", 7, self.data()), insn(b"\x0f\x18", 1, self.data())]
        if form == 5:
            return [b"\x0f\x21" + bytes([0xc0 | self.pick((6, 7, 0)) << 3 | RBX])]
        if form == 6:
            return [b"\x0f\x20" + bytes([0xc0 | self.pick((0, 2)) << 3 | RSI])]
        return [self.pick((b"\x0f\x06", b"\x0f\x01\xe0"))]      # CLTS, SMSW

    def address_space(self):
        """CR3, the same one or the other; CR4's bits for translation and for RDPMC."""
        if self.bits(2):
            words = [b"\x0f\x20\xd8"]
            if self.bits(1):
                words.append(self.code.insn(0x81, 6, RAX, imm=imm(0x1000, 4)))
            return words + [b"\x0f\x22\xd8"]
        return [b"\x0f\x20\xe0", self.code.insn(0x81, 6, RAX, imm=imm(self.pick((0x80, 0x100)), 4)),
                b"\x0f\x22\xe0"]

    def device(self):
        """A device's identification, which never changes. The access leaves the block."""
        code, insn, form = self.code, self.code.insn, self.bits(2)
        words = [code.mov_imm(RSI, LAPIC + 0x30)]
        if form == 0:
            return words + [insn(0x8b, self.reg(), Mem(RSI))]
        if form == 1:
            return words + [insn(0x03, RAX, Mem(RSI))] + self.some(1)
        if form == 2:
            return words + [code.lea(RDI, Mem(None, DATA + self.offset())), CLD, code.mov_imm(RCX, 1),
                            self.pick(self.repeats) + b"\xa5"]
        return [code.mov_imm(RSI, LAPIC + 0x80), insn(0xc7, 0, Mem(RSI), imm=imm(0, 4))]    # TPR

    def selfmod(self):
        """
        Writes an instruction that follows, or one that it has just executed, through one of its
        addresses.
        """
        code, insn = self.code, self.code.insn
        between = self.some(self.bits(1))
        if self.bits(2) == 0 and not self.kind.watched:
            # REP over code.
            count = 1 + self.bits(3)
            tail = [CLD, code.mov_imm(RAX, 0x90), code.mov_imm(RCX, count), b"\xf3\xaa"] + between
            return self.here(RDI, sum(map(len, tail))) + tail + [b"\x90"] * count
        new = self.pick((b"\x0f\x0b\x90\x90", b"\xcc\x90\x90\x90", b"\x83\xc0\x05\x90", b"\x50\x58\x90\x90",
                         b"\x75\x00\x90\x90", b"\xf3\x90\xf3\x90", nop(4), b"\x31\xdb\x31\xc0"))
        write = []
        if self.bits(1):
            write.append(insn(0x81, 0, RDX, self.wide, imm(NUMBERS["ALIAS_BASE"], 4)))
        write.append(insn(0xc7, 0, Mem(RDX), imm=new))
        size = sum(map(len, write + between))
        if self.bits(1):
            return self.here(RDX, size) + write + between + [nop(4)]
        site = nop(4)
        here = self.here(RDX, 0)
        behind = sum(map(len, here)) + len(site) + sum(map(len, between))
        return [site] + between + self.here(RDX, -behind) + write

    # -- the end

    @classmethod
    def end(cls, size):
        """Counts a round; branches back to the beginning, or to the end."""
        code = Code(cls.bits_of_code)
        count = code.insn(0xff, 1, R12, True) if code.wide else \
            code.insn(0xff, 1, Mem(None, PLAYGROUND + NUMBERS["ROUNDS_OFFSET"]))
        back = size + len(count) + 2 + 5
        finish = b"\xcd" + bytes([NUMBERS["VECTOR_END"]])
        return [count, b"\x74\x05", b"\xe9" + imm(-back, 4), finish, finish, finish, b"\xeb\xfe"]


class Code64(Generator):
    """Of 64 bits."""


class Code32(Generator):
    """Of 32 bits, in a segment of a 64-bit machine."""
    bits_of_code = 32
