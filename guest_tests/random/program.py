# SPDX-License-Identifier: GPL-2.0-or-later
"""A random program of any architecture, and an image of several programs."""

from layout import HEADER

PAGE = 4096


class Program:
    """
    Items, in a machine: everything that is needed to write a program to an image. What depends on
    the architecture is in its state.
    """

    def __init__(self, name, state, values, items, offset):
        self.name = name
        self.state = state
        self.values = values
        self.items = items
        self.offset = offset
        self.break_at = None
        # The usual values, for shrinking.
        self.plain = {}
        # The machine for which it is; the state knows it.
        self.machine = None

    def code(self):
        return b"".join(code for _, _, code, _ in self.pieces())

    def pieces(self):
        """Returns the code: name, address, bytes, instruction set."""
        return self.state.pieces(self.items)

    def copy(self, items=None, **changes):
        """Returns the same program with other items or other values."""
        other = Program(self.name, self.state, {**self.values, **changes},
                        self.items if items is None else items, self.offset)
        other.break_at = self.break_at
        other.plain = self.plain
        other.machine = self.machine
        return other


def write_image(path, programs):
    """
    Writes the programs in the order in which they run. Returns the address of each one's code.
    """
    layout = programs[0].state.guest.layout
    numbers = layout.numbers
    base = numbers["PROGRAMS_BASE"]
    at = (numbers["PROGRAM_SIZE"] * (len(programs) + 1) + PAGE - 1) & -PAGE
    descriptors = bytearray(HEADER.pack(numbers["HEADER_MAGIC"], len(programs), 0)
                            .ljust(numbers["PROGRAM_SIZE"], b"\0"))
    code = bytearray()
    places = []
    for program in programs:
        text = program.code()
        extra = program.state.appendix(program)
        where = at + len(code) + program.offset
        places.append((base + where, len(text)))
        code += bytes(program.offset) + text + bytes(-len(text) % 8) + extra
        code += bytes(-len(code) % PAGE)
        descriptors += layout.pack_program(
            program.state.described(program, base + where, len(text)))
    image = bytes(descriptors).ljust(at, b"\0") + bytes(code)
    if len(image) > numbers["PROGRAMS_SIZE"]:
        raise ValueError(f"{len(programs)} programs need {len(image)} bytes, there is room for "
                         f"{numbers['PROGRAMS_SIZE']}: fewer at once")
    path.write_bytes(image)
    return places
