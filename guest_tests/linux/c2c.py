# SPDX-License-Identifier: GPL-2.0-or-later
"""
A recording of the program "packets" from outside. If its two counters are in one cache line, perf c2c and
vpmu-stats report name that line, the offsets of the counters and the function of each. If they are in two
lines, there is no shared line.
"""
import json
import re
import subprocess

from recorder import perf, perfs, symbol

# What the program is called with: both counters in one line, each in a line of its own.
LAYOUTS = ("together", "apart")
ROUNDS = 20000
# Cycles of a load of a line that another vCPU had modified.
LATENCY = "61"
PERIOD = 97
# The offset of each counter in the line, and who accesses it.
COUNTERS = {(0, "receive_packets"), (8, "send_packets")}
FUNCTION = re.compile(r"^([0-9a-f]+) ([0-9a-f]+) \S (\S+)$", re.M)
HEX = re.compile(r"\b0x([0-9a-f]+)\b")
# What libc's threads share when they start: loads of other lines that are samples, at most.
STARTS = 4
HITM = re.compile(r"^  Load Local HITM\s+: +(\d+)$", re.M)


def functions_of(elf):
    """Returns the addresses of each function that accesses a counter."""
    text = subprocess.run(["nm", "-S", elf], check=True, capture_output=True, text=True).stdout
    names = {name for _, name in COUNTERS}
    return {m[3]: range(int(m[1], 16), int(m[1], 16) + int(m[2], 16)) for m in FUNCTION.finditer(text)
            if m[3] in names}


def lines_of(text, functions):
    """
    Returns the offsets and functions that the report of perf c2c shows of each line that is often taken
    from the other CPU.
    """
    lines, line = {}, None
    for row in text[text.index("Distribution Pareto"):].splitlines():
        found = [int(number, 16) for number in HEX.findall(row)]
        if found and "%" not in row:
            _, remote, local, *_ = row.split()
            line = set()
            if int(remote) + int(local) > STARTS:
                lines[found[0]] = line
        elif found:
            offset, code = found[:2]
            line.add((offset, next((name for name, place in functions.items() if code in place), hex(code))))
    return lines


def taken_rows(program, path, names):
    """Returns what vpmu-stats report prints of lines that were taken from the other CPU, by their latency."""
    done = subprocess.run([program, "report", "--mem", "-j", "-i", path, "-s",
                           "mem,local_weight,dcacheline,symbol_daddr,sym", *names],
                          check=True, capture_output=True, text=True)
    rows = map(json.loads, done.stdout.splitlines())
    return {(int(row["dcacheline"], 16), row["symbol_daddr"], row["sym"], row["local_weight"]) for row in rows
            if row["mem"] == "L3 hit" and row["samples"] > STARTS}


def check(equal, program, path, elf, layout, names):
    """names: how vpmu-stats finds the program's symbols."""
    functions = functions_of(elf)
    mine = symbol(elf, "counters")
    together = layout == "together"
    equal("report", {(mine, "counters", name, LATENCY) for _, name in COUNTERS} if together else set(),
          taken_rows(program, path, names))
    for version, command in perfs().items():
        text = perf("c2c", "report", "-i", path, "--stdio", "--no-source", "-d", "tot", command=command)
        taken = int(HITM.search(text)[1])
        lines = lines_of(text, functions)
        if together:
            # Each load but the first ones is of a line that the other thread has modified.
            equal(f"{version}.taken", True, 0.9 < taken * PERIOD / (2 * ROUNDS) < 1.1)
            equal(f"{version}.lines", {mine: COUNTERS}, lines)
        else:
            equal(f"{version}.taken", True, taken <= STARTS)
            equal(f"{version}.lines", {}, lines)
