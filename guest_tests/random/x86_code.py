# SPDX-License-Identifier: GPL-2.0-or-later
"""Encodes x86 instructions, of 64 and of 32 bits; each is bytes."""

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 = range(16)


def imm(value, size):
    return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")


class Mem:
    """An operand in memory: a base and an index, or an address."""

    def __init__(self, base=None, disp=0, index=None, scale=0):
        self.base, self.disp, self.index, self.scale = base, disp, index, scale


class Code:
    """A number of this many bits."""

    def __init__(self, bits):
        self.bits = bits
        self.wide = bits == 64

    def insn(self, opcode, reg=0, rm=None, w=False, imm=b"", prefix=b""):
        """reg is a register or an opcode's extension, rm a register or Mem; w: 64-bit operands."""
        if isinstance(opcode, int):
            opcode = bytes([opcode])
        if rm is None:
            return prefix + self._rex(w, 0, 0, 0) + opcode + imm
        if isinstance(rm, Mem):
            base, index = rm.base or 0, rm.index or 0
            modrm = self._memory(reg, rm)
        else:
            base, index = rm, 0
            modrm = bytes([0xc0 | (reg & 7) << 3 | rm & 7])
        return prefix + self._rex(w, reg, index, base) + opcode + modrm + imm

    def _rex(self, w, reg, index, base):
        """The prefix is always there, so that byte registers are always the same."""
        if not self.wide:
            return b""
        return bytes([0x40 | bool(w) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3])

    def _memory(self, reg, mem):
        reg = (reg & 7) << 3
        if mem.base is None:
            if self.wide:
                return bytes([reg | 4, 0x25]) + imm(mem.disp, 4)
            return bytes([reg | 5]) + imm(mem.disp, 4)
        mod, disp = (1, imm(mem.disp, 1)) if -128 <= mem.disp < 128 else (2, imm(mem.disp, 4))
        if mem.index is None and mem.base & 7 != RSP:
            return bytes([mod << 6 | reg | mem.base & 7]) + disp
        index = 4 if mem.index is None else mem.index & 7
        return bytes([mod << 6 | reg | 4, mem.scale << 6 | index << 3 | mem.base & 7]) + disp

    def with_register(self, opcode, reg, w=False, imm=b""):
        """The register is in the opcode."""
        return self._rex(w, 0, 0, reg) + bytes([opcode | reg & 7]) + imm

    # -- what is used often

    def mov_imm(self, reg, value):
        return self.with_register(0xb8, reg, imm=imm(value, 4))

    def mov_imm64(self, reg, value):
        return self.with_register(0xb8, reg, w=True, imm=imm(value, 8))

    def mov(self, to, source):
        return self.insn(0x89, source, to, w=self.wide)

    def load(self, reg, mem):
        return self.insn(0x8b, reg, mem, w=self.wide)

    def store(self, mem, reg):
        return self.insn(0x89, reg, mem, w=self.wide)

    def lea(self, reg, mem):
        return self.insn(0x8d, reg, mem, w=self.wide)

    def push(self, reg):
        return self.with_register(0x50, reg)

    def pop(self, reg):
        return self.with_register(0x58, reg)

    def here(self, reg, distance):
        """
        The address this many bytes after this, in a register: always LENGTH_HERE bytes. Without
        RIP-relative addressing it is what a call pushes.
        """
        if self.wide:
            return [bytes([0x48 | (reg >> 3) << 2, 0x8d, (reg & 7) << 3 | 5]) + imm(distance, 4)]
        return [b"\xe8\0\0\0\0", self.pop(reg), bytes([0x81, 0xc0 | reg]) + imm(distance + 7, 4)]


NOPS = [b"", b"\x90", b"\x66\x90", b"\x0f\x1f\x00", b"\x0f\x1f\x40\x00", b"\x0f\x1f\x44\x00\x00",
        b"\x66\x0f\x1f\x44\x00\x00", b"\x0f\x1f\x80\x00\x00\x00\x00",
        b"\x0f\x1f\x84\x00\x00\x00\x00\x00"]


def nop(size):
    """NOPs of this many bytes, up to 15: prefixes before the longest one."""
    if size < len(NOPS):
        return NOPS[size]
    return b"\x66" * (size - 8) + NOPS[8]
