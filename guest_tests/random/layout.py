# SPDX-License-Identifier: GPL-2.0-or-later
"""What runtime/layout.h and runtime/program.h say, for Python: numbers and the order of fields."""

import pathlib
import re
import struct

RUNTIME = pathlib.Path(__file__).resolve().parent / "runtime"
LAYOUT = (RUNTIME / "layout.h").read_text(encoding="utf-8")
PROGRAM = (RUNTIME / "program.h").read_text(encoding="utf-8")

NUMBERS = {name: int(value, 0)
           for name, value in re.findall(r"^#define (\w+) (0x[0-9a-f]+|\d+)$", LAYOUT + PROGRAM, re.M)}


def _list(macro):
    """The rows of a list: (name, how many)."""
    body = re.search(rf"#define {macro}\([^)]*\)((?:.*\\\n)*.*\n)", PROGRAM)[1]
    rows = re.findall(r"\b([WAX])\((\w+)(?:, (\w+))?\)", body)
    return [(name, int(count) if kind == "A" else 1) for kind, name, count in rows]


CONTROLS_EL3 = [name for name, _ in _list("CONTROLS_EL3")]
CONTROLS = [name for name, _ in _list("CONTROLS")]
ALL_CONTROLS = CONTROLS_EL3 + CONTROLS
COUNTERS = NUMBERS["PROGRAM_COUNTERS"]
PROGRAM_FIELDS = (_list("PROGRAM_FIELDS") + [("pmevtyper", COUNTERS), ("pmevcntr", COUNTERS)] +
                  [(name, 1) for name in CONTROLS_EL3 + CONTROLS])
RESULT_FIELDS = _list("RESULT_FIELDS")
RESULT_WORDS = sum(count for _, count in RESULT_FIELDS)
LOG_ENTRIES = NUMBERS["LOG_ENTRIES"]
LOG_WORDS = NUMBERS["LOG_WORDS"]

HEADER = struct.Struct("<3Q")
PROGRESS = struct.Struct("<3Q")
MASK = (1 << 64) - 1


def pack_program(values):
    """A struct program; what is not in values is 0."""
    words = []
    for name, count in PROGRAM_FIELDS:
        value = values.get(name, 0)
        row = [value] if count == 1 else list(value) if value else []
        words += [word & MASK for word in row] + [0] * (count - len(row))
    return struct.pack(f"<{len(words)}Q", *words).ljust(NUMBERS["PROGRAM_SIZE"], b"\0")


def unpack_result(data):
    """A struct result: its fields, and the entries of its log that were written."""
    words = struct.unpack_from(f"<{RESULT_WORDS + LOG_ENTRIES * LOG_WORDS}Q", data)
    result = {}
    at = 0
    for name, count in RESULT_FIELDS:
        result[name] = words[at] if count == 1 else words[at:at + count]
        at += count
    log = [words[at + i * LOG_WORDS:at + (i + 1) * LOG_WORDS] for i in range(LOG_ENTRIES)]
    first = NUMBERS["LOG_FIRST"]
    count = result["exceptions"]
    turn = (count - first) % (LOG_ENTRIES - first) if count > LOG_ENTRIES else 0
    result["log"] = (log[:first] + log[first + turn:] + log[first:first + turn])[:count]
    return result
