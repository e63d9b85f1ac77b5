# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares the names of kernel functions that a recording found in the guest's memory with the
kernel's own list.
"""
import bisect
import collections
import json
import os
import re
import struct
import subprocess

from recorder import perf


def functions_of(text, of_modules=False):
    """
    Reads functions from a list of symbols, the kernel's own or those of its modules: all names of
    each address.
    """
    names = collections.defaultdict(set)
    for line in text.splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW" and bool(module) == of_modules and int(address, 16):
            names[int(address, 16)].add(name)
    return names


def check_symbols(equal, path, listing, own, modules):
    """Given only that list, perf says the same of each sample as the guest does."""
    starts = sorted(at for at in own if own[at])
    of_modules = sorted(modules)
    lines = perf("script", "-i", path, "--kallsyms", listing, "-G", "-F", "ip,sym").splitlines()
    wrong = set()
    for line in lines:
        address, name = line.split(None, 1)
        at = int(address, 16)
        if of_modules and of_modules[0] <= at < of_modules[-1] + 0x1000:
            start = of_modules[bisect.bisect(of_modules, at) - 1]
            wrong |= set() if name in modules[start] else {(address, name)}
            continue
        # Behind the kernel are pages that it has mapped a second time, without names (KPTI).
        start = starts[bisect.bisect(starts, at) - 1]
        # The instruction after an ERET is a program's.
        inside = starts[0] <= at < starts[-1] + 0x1000
        if name not in own[start] and (inside or name != "[unknown]"):
            wrong.add((address, name))
    equal("symbols", set(), wrong)
    equal("symbols.some", True, len(lines) > 1000)


def build_id_in(notes):
    """Returns the build ID in the contents of /sys/kernel/notes."""
    at = 0
    while at < len(notes):
        name, size, kind = struct.unpack_from("3I", notes, at)
        start = at + 12 + (name + 3) // 4 * 4
        if kind == 3 and notes[at + 12:at + 16] == b"GNU\0":
            return notes[start:start + size].hex()
        at = start + (size + 3) // 4 * 4
    return None


def check_names(equal, program, path, shell):
    """
    The names in the file equal those that the guest says, and so do those that perf and the report
    print.
    """
    listing = os.path.join(shell.directory, "found.kallsyms")
    subprocess.run([program, "convert", "--to", "kallsyms", "-i", path, "-o", listing],
                   check=True)
    guests = shell.copy("/proc/kallsyms").decode()
    own, modules = functions_of(guests), functions_of(guests, True)
    with open(listing, encoding="utf-8") as file:
        ours = file.read()
    found, found_modules = functions_of(ours), functions_of(ours, True)
    equal("names", {}, {at: names for at, names in found.items() if not names <= own[at]})
    equal("names.modules", {}, {at: names for at, names in found_modules.items()
                                if not names <= modules[at]})
    check_symbols(equal, path, listing, own, modules)
    equal("build-id", build_id_in(shell.copy("/sys/kernel/notes")),
          next(line.split()[0] for line in perf("buildid-list", "-i", path).splitlines()
               if "[kernel.kallsyms]" in line))
    report = subprocess.run([program, "report", "-j", "--addresses", "-s", "dso,sym", "-i", path],
                            check=True, capture_output=True, text=True).stdout
    # Functions of programs have names, too, where the guest has their files in memory.
    reported = {row["sym"] for row in map(json.loads, report.splitlines())
                if row["dso"].startswith("[") and row["dso"] != "[vdso]"}
    found = set().union(*found.values(), *found_modules.values())
    equal("report", set(), {name for name in reported if not name.startswith("0x")} - found)
    equal("report.some", True, len(reported & found) > 30)


# Where an interrupt enters the kernel: arm64, x86-64.
ENTRY = re.compile(r"el1h_64_irq|asm_(sysvec|common_interrupt|exc)\w*")


def interrupted_in(text):
    """Returns the address and name of each function behind the entry of an interrupt."""
    lines = [line.split() for line in text.splitlines()]
    return {tuple(line[:2]) for inner, line in zip(lines, lines[1:])
            if len(inner) > 1 and len(line) > 1 and ENTRY.fullmatch(inner[1]) and int(line[0], 16) >> 63}


def check_interrupted_names(equal, program, path):
    """
    An interrupted function has been executed to its address, not to the instruction before it, which
    may be another function's. perf looks up the address itself.
    """
    listing = f"{path}.kallsyms"
    subprocess.run([program, "convert", "--to", "kallsyms", "-i", path, "-o", listing], check=True)
    wanted = interrupted_in(perf("script", "-i", path, "--kallsyms", listing, "-F", "ip,sym"))
    found = interrupted_in(subprocess.run([program, "script", "-i", path, "-F", "ip,sym"], check=True,
                                          capture_output=True, text=True).stdout)
    equal("interrupted.names", wanted, found)
    equal("interrupted.names.some", True, len(wanted) > 20)
