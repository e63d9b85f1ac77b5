# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads layout.h and program.h of a runtime for Python: numbers and the order of fields."""

import pathlib
import re
import struct

HERE = pathlib.Path(__file__).resolve().parent

HEADER = struct.Struct("<3Q")
PROGRESS = struct.Struct("<3Q")
MASK = (1 << 64) - 1


def _list(text, macro):
    """Returns the rows of a list: (name, count)."""
    found = re.search(rf"#define {macro}\([^)]*\)((?:.*\\\n)*.*\n)", text)
    rows = re.findall(r"\b([WAX])\((\w+)(?:, (\w+))?\)", found[1]) if found else []
    return [(name, int(count) if kind == "A" else 1) for kind, name, count in rows]


class Layout:
    """The layout of one runtime."""

    def __init__(self, runtime):
        text = (HERE / runtime / "layout.h").read_text(encoding="utf-8")
        program = (HERE / runtime / "program.h").read_text(encoding="utf-8")
        self.numbers = {name: int(value, 0) for name, value in
                        re.findall(r"^#define (\w+) (0x[0-9a-f]+|\d+)$", text + program, re.M)}
        controls_el3 = [name for name, _ in _list(program, "CONTROLS_EL3")]
        controls = [name for name, _ in _list(program, "CONTROLS")]
        self.controls = controls_el3 + controls
        self.program_fields = _list(program, "PROGRAM_FIELDS")
        if self.controls:
            counters = self.numbers["PROGRAM_COUNTERS"]
            self.program_fields += [("pmevtyper", counters), ("pmevcntr", counters)]
            self.program_fields += [(name, 1) for name in self.controls]
        self.result_fields = _list(program, "RESULT_FIELDS")

    def pack_program(self, values):
        """Packs a struct program. Fields that values does not have are 0."""
        words = []
        for name, count in self.program_fields:
            value = values.get(name, 0)
            row = [value] if count == 1 else list(value) if value else []
            words += [word & MASK for word in row] + [0] * (count - len(row))
        return struct.pack(f"<{len(words)}Q", *words).ljust(self.numbers["PROGRAM_SIZE"], b"\0")

    def unpack_result(self, data):
        """Unpacks a struct result: its fields, and the entries of its logs that were written."""
        words = struct.unpack(f"<{len(data) // 8}Q", data)
        result = {}
        at = 0
        for name, count in self.result_fields:
            result[name] = words[at] if count == 1 else words[at:at + count]
            at += count
        result["log"] = self._log(words[at:], result["exceptions"])
        if "samples_hash" in result:
            behind = self.numbers["LOG_ENTRIES"] * self.numbers["LOG_WORDS"]
            result["samples"] = self._log(words[at + behind:], result["interrupts"])
        return result

    def _log(self, words, count):
        """In the order in which they were written."""
        size, entries = self.numbers["LOG_WORDS"], self.numbers["LOG_ENTRIES"]
        log = [words[i * size:(i + 1) * size] for i in range(entries)]
        first = self.numbers["LOG_FIRST"]
        turn = (count - first) % (entries - first) if count > entries else 0
        return (log[:first] + log[first + turn:] + log[first:first + turn])[:count]


ARM = Layout("runtime")
X86 = Layout("runtime-x86")
