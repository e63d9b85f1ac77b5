# SPDX-License-Identifier: GPL-2.0-or-later
"""
Accesses to memory that are recorded from outside: those of the program "levels", whose addresses and cache
levels are known. The real perf reads the recording.
"""
import collections
import json
import re
import subprocess

from recorder import perf, perfs, symbol

PERIOD = 97
EVENTS = "mem-loads:u,mem-stores:u"
LARGE, MIDDLE, SMALL, WORD = 4 << 20, 1 << 20, 64 << 10, 0
LINE = 64
# The loops of the program: the event, the bytes that a pass accesses, the level and the latency without
# that of a translation, and how often the argument repeats it; 0: it is executed once.
LOOPS = {
    "cold": ("mem-loads:u", LARGE, "RAM hit", 151, 0),
    "beyond_l3": ("mem-loads:u", LARGE, "RAM hit", 151, 0),
    "beyond_l2": ("mem-loads:u", MIDDLE, "L3 hit", 41, 1),
    "beyond_l1": ("mem-loads:u", SMALL, "L2 hit", 13, 1),
    "hot": ("mem-loads:u", WORD, "L1 hit", 5, 1024),
    "store_beyond_l1": ("mem-stores:u", SMALL, "L1 miss", 13, 1),
    "store_hot": ("mem-stores:u", WORD, "L1 hit", 5, 1024),
    "lock_hot": ("mem-loads:u", WORD, "L1 hit", 5, 1024),
}
# Latency of a translation: by the first TLB, the second, or a table walk.
TRANSLATIONS = {"L1 hit": 0, "L2 hit": 4, "Walker miss": 30}
# perf 6.1 calls level 13 by its number.
OLD = (("Local RAM", "RAM"), (" or L13", ""), (" or RAM", ""), (" or L1", ""), (" or L2", ""), (" or L3", ""))

Access = collections.namedtuple("Access", "event address kind level tlb lock latency pc")
ROW = re.compile(r"\s*(\S+):\s+([0-9a-f]+)\s+[0-9a-f]+ \|OP (.*?)\|LVL (.*?)\|SNP .*?\|TLB (.*?)\|LCK (.*?)"
                 r"\|BLK\s+\S+\s+(\d+)\s+([0-9a-f]+)")


def level_of(text):
    for old, new in OLD:
        text = text.replace(old, new)
    return text


def accesses_of(path, command=("perf",)):
    """Returns what perf script prints of each sample. One without an access has no address."""
    found = []
    for line in perf("script", "-i", path, "-F", "event,ip,addr,data_src,weight", command=command).splitlines():
        if (m := ROW.match(line)):
            found.append(Access(m[1], int(m[2], 16), m[3], level_of(m[4]), m[5].strip(), m[6], int(m[7]),
                                int(m[8], 16)))
    return found


def passes(bytes_, repeats, rounds):
    """Returns how often a loop accesses memory."""
    return (bytes_ // LINE or 1) * (repeats * rounds or 1)


def check_loop(equal, name, elf, mine, rounds):
    """Each sample is one access of the loop, at its own instruction, with the level that is known."""
    event, size, level, latency, repeats = LOOPS[name]
    array = symbol(elf, "array")
    equal(f"{name}.samples", True, abs(len(mine) - passes(size, repeats, rounds) / PERIOD) < 1)
    equal(f"{name}.event", {event}, {a.event for a in mine})
    equal(f"{name}.inside", [], [hex(a.address) for a in mine
                                 if not array <= a.address < array + max(size, 4)][:3])
    steps = {(b.address - a.address) % size for a, b in zip(mine, mine[1:])} if size else set()
    equal(f"{name}.steps", {PERIOD * LINE % size} if size and len(mine) > 1 else set(), steps)
    equal(f"{name}.level", {level}, {a.level for a in mine})
    equal(f"{name}.latency", [], [a for a in mine if a.latency != latency + TRANSLATIONS[a.tlb]][:2])
    kind = "STORE" if "stores" in event else "LOAD"
    equal(f"{name}.kind", True, all(kind in a.kind for a in mine))


def check_program(equal, elf, path, rounds):
    """All loops. Nothing else of the program accesses the array."""
    accesses = accesses_of(path)
    at = {name: symbol(elf, name) for name in LOOPS}
    for name, place in at.items():
        # An atomic loads and stores: it is a sample of either event.
        mine = [a for a in accesses if a.pc == place and
                (name != "lock_hot" or a.event == "mem-loads:u")]
        check_loop(equal, name, elf, mine, rounds)
    array = range(symbol(elf, "array"), symbol(elf, "array") + LARGE)
    known = {*at.values(), *(symbol(elf, name) for name in ("warm_l3", "warm_l2", "warm_l1", "store_cold"))}
    equal("others", set(), {hex(a.pc) for a in accesses if a.address in array and a.pc not in known})
    return accesses


def check_reports(equal, program, path, accesses, names):
    """perf mem, perf c2c and vpmu-stats report count the same. names: how to find the program's symbols."""
    for version, command in perfs().items():
        equal(f"perf.{version}", True, accesses_of(path, command) == accesses)
    text = perf("report", "--mem-mode", "-i", path, "--stdio", "-t", ";", "-s", "mem")
    rows = {level_of(row.split(";")[1].strip()) for row in text.splitlines() if row.count(";") == 1}
    equal("perf-mem", True, {"L1 hit", "L2 hit", "L3 hit", "RAM hit", "L1 miss"} <= rows)
    text = perf("c2c", "report", "-i", path, "--stdio", "--stats")
    stats = {m[1]: int(m[2]) for m in re.finditer(r"^  (\S.*?)\s+:\s+(\d+)$", text, re.M)}
    loads = collections.Counter(a.level for a in accesses if "LOAD" in a.kind)
    stores = collections.Counter(a.level for a in accesses if "LOAD" not in a.kind)
    for name, want in (("Load L1D hit", loads["L1 hit"]), ("Load L2D hit", loads["L2 hit"]),
                       ("Load LLC hit", loads["L3 hit"]), ("Load Local DRAM", loads["RAM hit"]),
                       ("Store L1D Hit", stores["L1 hit"]), ("Store L1D Miss", stores["L1 miss"])):
        equal(f"perf-c2c.{name}", (want, True), (stats.get(name), want > 0))
    done = subprocess.run([program, "report", "--mem", "-j", "-i", path, "-s", "mem,symbol_daddr", *names],
                          check=True, capture_output=True, text=True)
    sums = collections.Counter()
    for row in map(json.loads, done.stdout.splitlines()):
        sums[row["mem"], row["symbol_daddr"]] += row["samples"]
    equal("report", {level: n for level, n in (loads + stores).items() if level == "RAM hit"},
          {level: n for (level, data), n in sums.items() if level == "RAM hit" and data == "array"})
    equal("report.array", True, sum(n for (_, data), n in sums.items() if data == "array") >
          sum(sums.values()) * 0.99)
