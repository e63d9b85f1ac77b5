# SPDX-License-Identifier: GPL-2.0-or-later
"""
Accesses of samples: those of a program that loads and stores one word, as the real perf and vpmu-stats
read them. Its MMU is off, so the word is not cached.
"""
import json
import re

import reporting
from recorder import perf, perfs, symbol

PERIOD = 10007
# In steady.S: the word; what loads and stores, and its instruction in a round; the latency of a device.
DATA, LATENCY, ROUNDS = 0x47000000, 151, 1000000
CAUSES = {"mem-loads": ("LOAD", 0), "mem-stores": ("STORE", 2)}
ROW = re.compile(r"\s*(\S+):\s+([0-9a-f]+)\s+[0-9a-f]+ \|OP (\S+?)\|LVL (.*?)\|SNP .*\|BLK\s+\S+\s+(\d+)\s+"
                 r"([0-9a-f]+)\s+([0-9a-f]+)")


def rows_of(path, command, **more):
    text = perf("script", "-i", path, "-F", "event,ip,addr,data_src,weight,phys_addr", command=command, **more)
    found = []
    for line in text.splitlines():
        m = ROW.match(line)
        found.append((m[1], int(m[2], 16), m[3], "Uncached" in m[4], int(m[5]), int(m[6], 16), int(m[7], 16))
                     if m else line)
    return found


def check(case, elf):
    """Each sample, in both formats of the file, with both versions of perf."""
    first = symbol(elf, "round")
    want = [(event, DATA, kind, True, LATENCY, first + 4 * word, DATA)
            for _ in range(ROUNDS // PERIOD) for event, (kind, word) in CAUSES.items()]
    for name, output in (("accesses.file", None), ("accesses.pipe", "-")):
        recorder = case.record(name, "--mem", "-c", str(PERIOD), "--no-names", output=output)
        case.machine.command("cont")
        case.equal(f"{name}.code", 0, recorder.end()[0])
        if output:
            with open(recorder.path, "wb") as file:
                file.write(recorder.out)
        for version, command in perfs().items():
            case.equal(f"{name}.perf.{version}", want, rows_of(recorder.path, command))
        check_report(case, name, recorder.path)
        if not output:
            check_summaries(case, recorder.path)
        case.machine.command("system_reset")
    check_filter(case, len(want))


def check_report(case, name, path):
    text = reporting.run(case.program, "report", "--mem", "-j", "-s", "op,mem,tlb,local_weight,dcacheline",
                         "-i", path)
    rows = [json.loads(line) for line in text.splitlines()]
    case.equal(f"{name}.report", [(event, ROUNDS // PERIOD, kind, "Uncached hit", "L1 hit", str(LATENCY),
                                   f"{DATA:#018x}") for event, (kind, _) in CAUSES.items()],
               [(r["event"], r["samples"], r["op"], r["mem"], r["tlb"], r["local_weight"], r["dcacheline"])
                for r in rows])


def check_summaries(case, path):
    for version, command in perfs().items():
        text = perf("mem", "report", "-i", path, "--stdio", "-s", "mem", command=command)
        case.equal(f"accesses.perf-mem.{version}", True, "Uncached" in text)
        text = perf("c2c", "report", "-i", path, "--stdio", "--stats", command=command)
        case.equal(f"accesses.perf-c2c.{version}", [str(ROUNDS // PERIOD)] * 2,
                   [re.search(rf"{name} - uncacheable\s*:\s*(\d+)", text)[1] for name in ("Loads", "Store")])


def check_filter(case, samples):
    """--ldlat keeps an access of exactly that latency."""
    for latency, kept in ((LATENCY, samples), (LATENCY + 1, 0)):
        recorder = case.record(f"accesses.{latency}", "--mem", "--ldlat", str(latency), "-c", str(PERIOD),
                               "--no-names")
        case.machine.command("cont")
        code, _, errors = recorder.end()
        case.equal(f"accesses.ldlat-{latency}", (0, True), (code, f"kept {kept} of {samples} samples" in errors))
        case.machine.command("system_reset")
