# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares the names of kernel functions that a recording found in the guest's memory with the
kernel's own list.
"""
import bisect
import collections
import json
import os
import subprocess

from recorder import perf


def functions_of(text):
    """Reads the kernel's own functions from a list of symbols: all names of each address."""
    names = collections.defaultdict(set)
    for line in text.splitlines():
        address, kind, name, *module = line.split()
        if kind in "tTwW" and not module and int(address, 16):
            names[int(address, 16)].add(name)
    return names


def check_symbols(equal, path, listing, own):
    """Given only that list, perf says the same of each sample as the guest does."""
    starts = sorted(at for at in own if own[at])
    lines = perf("script", "-i", path, "--kallsyms", listing, "-G", "-F", "ip,sym").splitlines()
    wrong = set()
    for line in lines:
        address, name = line.split(None, 1)
        at = int(address, 16)
        # Behind the kernel are pages that it has mapped a second time, without names (KPTI).
        start = starts[bisect.bisect(starts, at) - 1]
        # The instruction after an ERET is a program's.
        inside = starts[0] <= at < starts[-1] + 0x1000
        if name not in own[start] and (inside or name != "[unknown]"):
            wrong.add((address, name))
    equal("symbols", set(), wrong)
    equal("symbols.some", True, len(lines) > 1000)


def check_names(equal, program, path, shell):
    """
    The names in the file equal those that the guest says, and so do those that perf and the report
    print.
    """
    listing = os.path.join(shell.directory, "found.kallsyms")
    subprocess.run([program, "convert", "--to", "kallsyms", "-i", path, "-o", listing],
                   check=True)
    own = functions_of(shell.copy("/proc/kallsyms").decode())
    with open(listing, encoding="utf-8") as file:
        found = functions_of(file.read())
    equal("names", {}, {at: names for at, names in found.items() if not names <= own[at]})
    check_symbols(equal, path, listing, own)
    report = subprocess.run([program, "report", "-j", "--addresses", "-s", "sym", "-i", path],
                            check=True, capture_output=True, text=True).stdout
    reported = {row["sym"] for row in map(json.loads, report.splitlines())}
    found = set().union(*found.values())
    equal("report", set(), {name for name in reported if not name.startswith("0x")} - found)
    equal("report.some", True, len(reported & found) > 30)
