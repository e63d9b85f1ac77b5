# SPDX-License-Identifier: GPL-2.0-or-later
"""How often the lines of a loop are executed, as the code that objdump shows says: the loop of turns() in
host_tools/vpmu-run/tests/profiled.c, and step(), which it calls in each turn."""
import collections
import os
import re
import subprocess
import sys

PROFILE_LINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../vpmu-run/tests/profile_lines")
# How often turns() calls step(), and through_pointers() does.
TURNS, OTHERS = 10000, 600
FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)>:$")
LINE = re.compile(r"^(/.*|\S+\.[chS]):(\d+)(?: \(discriminator \d+\))?$")
CODE = re.compile(r"^ *([0-9a-f]+):\t(\S+)(.*)$")
TARGET = re.compile(r"([0-9a-f]+) <")


def code_of(objdump, elf):
    """Returns the instructions of each function: address, mnemonic, operands and line."""
    text = subprocess.run([objdump, "-d", "-l", "--no-show-raw-insn", elf], check=True, capture_output=True,
                          text=True).stdout
    functions, function, line = collections.defaultdict(list), None, 0
    for row in text.splitlines():
        if match := FUNCTION.match(row):
            function = match[1]
        elif match := LINE.match(row):
            line = int(match[2])
        elif match := CODE.match(row):
            functions[function].append((int(match[1], 16), match[2], match[3], line))
    return functions


def times_of(code):
    """Returns how often each instruction of turns() is executed: the loop ends with the only jump backwards, and
    the function with the first return behind it. What follows is for 0 turns."""
    start = end = None
    for at, name, operands, _ in code:
        target = TARGET.search(operands)
        if name.startswith(("j", "b", "cb", "tb")) and name not in ("bl", "bti") and target and \
                code[0][0] <= int(target[1], 16) <= at:
            start, end = int(target[1], 16), at
    last = min(at for at, name, _, _ in code if at > end and name.startswith("ret"))
    return [TURNS if start <= at <= end else at <= last for at, *_ in code]


def lines_of(objdump, elf):
    """Returns the counts of the lines of both functions, as profile_lines prints them."""
    functions, counts = code_of(objdump, elf), collections.Counter()
    for *_, line in functions["step"]:
        counts["step", line] += TURNS + OTHERS
    for (*_, line), times in zip(functions["turns"], times_of(functions["turns"])):
        counts["turns", line] += times
    return [f"{function} {line} {count}" for (function, line), count in sorted(counts.items()) if count]


def profiled(path):
    """Returns the same from a profile, and the calls of step() by turns()."""
    def rows(*arguments):
        return subprocess.run([PROFILE_LINES, path, *arguments], check=True, capture_output=True,
                              text=True).stdout.splitlines()

    calls = [int(row.split()[2]) for row in rows("calls") if row.startswith("turns step ")]
    return [row for row in rows() if row.startswith(("step ", "turns "))], calls


if __name__ == "__main__":
    want, (got, calls) = lines_of(*sys.argv[1:3]), profiled(sys.argv[3])
    if want != got or calls != [TURNS]:
        print(f"expected {want} and {TURNS} calls, got {got} and {calls}")
        sys.exit(1)
