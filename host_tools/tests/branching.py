# SPDX-License-Identifier: GPL-2.0-or-later
"""
Branches of samples: those of a program whose branches are known, entry by entry, as the real perf reads
them, and the events around them.
"""
import functools
import itertools
import os
import re
import signal

from recorder import perf, perfs
from recorder import symbol as slow_symbol

symbol = functools.lru_cache(maxsize=None)(slow_symbol)

DEPTH = 32
# How many samples are enough.
SAMPLES = 100
# In steady.S: instructions before the first round, rounds, instructions of a round.
PROLOGUE, ROUNDS, ROUND = 7, 1000000, 10
# The branches of a round: the number of instructions before it, the words of its source and target, and
# perf's name of it. The sample after SVC is taken before its exception, which belongs to the handler.
VECTOR = "vector"
TAKEN = ((4, 3, 5, "UNCOND"), (5, 5, 7, "CALL"), (8, 9, VECTOR, "SYSCALL"), (8, VECTOR, 9, "ERET"),
         (10, 10, 0, "COND"))
# What each filter keeps.
FILTERS = {
    "any": {"UNCOND", "CALL", "SYSCALL", "ERET", "COND"},
    "any,u": set(),
    "any_call": {"CALL", "SYSCALL"},
    "any_ret": {"ERET"},
    "cond,call": {"COND", "CALL"},
}


def branches(elf, kinds, after):
    """Returns the last branches of these kinds after that many instructions, the newest first."""
    start, first = symbol(elf, "_start"), symbol(elf, "round")
    vector = symbol(elf, "vectors") + 0x200

    def address(word):
        return vector if word == VECTOR else first + 4 * word

    def backwards():
        rounds, rest = divmod(after - PROLOGUE, ROUND)
        for n in range(rounds, -1, -1):
            for when, source, target, kind in reversed(TAKEN):
                if (n < rounds or when <= rest) and (n < ROUNDS - 1 or kind != "COND"):
                    yield address(source), address(target), kind
        yield start + 4 * (PROLOGUE - 1), first, "UNCOND"
    wanted = (branch for branch in backwards() if branch[2] in kinds)
    return list(itertools.islice(wanted, DEPTH)) if after >= PROLOGUE else []


ENTRY = re.compile(r"(0x[0-9a-f]+|0)/(0x[0-9a-f]+|0)/(.)/-/-/(\d+)/(\w*)")


def entries(path, command=("perf",)):
    """Returns the branches that perf script prints for each sample: from, to, M or P, cycles, kind."""
    text = perf("script", "-i", path, "-F", "ip,brstack", command=command)
    return [[(int(m[1], 16), int(m[2], 16), m[3], int(m[4]), m[5]) for m in ENTRY.finditer(line)]
            for line in text.splitlines() if line.strip()]


def compare(case, name, elf, path, words, period):
    got = entries(path)
    faults = []
    for i, row in enumerate(got):
        want = branches(elf, FILTERS[words], (i + 1) * period)
        if want != [(source, target, kind) for source, target, _, _, kind in row]:
            faults.append((i, [tuple(map(hex, branch[:2])) for branch in want[:3]], row[:3]))
    case.equal(f"{name}.samples", True, len(got) >= SAMPLES)
    case.equal(f"{name}.entries", [], faults[:2])
    case.equal(f"{name}.no-flags", {("-", 0)}, {entry[2:4] for row in got for entry in row} or {("-", 0)})


def check(case, elf, words, period):
    """Compares each branch of each sample, for one filter."""
    name = f"branches.{words}"
    listing = listing_of(case, elf)
    recorder = case.record(name, "--branch-filter", words, "-e", "instructions", "-c", str(period),
                           "--kallsyms", listing)
    case.go_on(SAMPLES)
    case.equal(f"{name}.code", 0, recorder.end(signal.SIGINT)[0])
    compare(case, name, elf, recorder.path, words, period)
    if words == "any":
        check_perf(case, name, recorder.path, listing)


def listing_of(case, elf):
    """Makes a list of symbols for perf 6.12, which crashes if a branch lies in no mapping."""
    path = os.path.join(case.directory, "branches.kallsyms")
    with open(path, "w", encoding="utf-8") as file:
        for at, add, what in (("_start", 0, "_text"), ("vectors", 0x200, "handler"),
                              ("round", 0, "round"), ("end", 0, "end"), ("end", 64, "_etext")):
            file.write(f"{symbol(elf, at) + add:016x} T {what}\n")
    return path


def check_perf(case, name, path, listing):
    """Both versions of perf accept the file: report sums up edges and shows the history."""
    for version, command in perfs().items():
        text = perf("report", "-i", path, "--kallsyms", listing, "--stdio", "-t", ";", "-s",
                    "symbol_from,symbol_to", command=command)
        edges = {tuple(re.findall(r"\[k\] (\w+)", line)) for line in text.splitlines() if "[k]" in line}
        case.equal(f"{name}.perf.{version}.report",
                   {("round", "round"), ("round", "handler"), ("handler", "round")}, edges)
        text = perf("report", "-i", path, "--kallsyms", listing, "--stdio", "--branch-history",
                    command=command)
        case.equal(f"{name}.perf.{version}.history", True, "round" in text)


def check_flags(case, elf):
    """Mispredictions and cycles on request. The predictor learns the loop; a round has 10 cycles."""
    recorder = case.record("branches.flags", "--branch-filter", "any,flags,cycles", "-e",
                           "instructions", "-c", "9973")
    case.go_on(SAMPLES)
    case.equal("branches.flags.code", 0, recorder.end(signal.SIGINT)[0])
    got = entries(recorder.path)
    case.equal("branches.flags.predicted", {"P"}, {entry[2] for row in got for entry in row})
    rounds = [sum(cycles for _, _, _, cycles, _ in row[:len(TAKEN)]) for row in got]
    case.equal("branches.flags.cycles", [ROUND] * len(got), rounds)
    case.equal("branches.flags.branches", [DEPTH] * len(got), [len(row) for row in got])
