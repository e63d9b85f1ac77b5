# SPDX-License-Identifier: GPL-2.0-or-later
"""Function names of programs that stock perf shows, for files that the user passed to the recorder."""
import bisect
import collections
import functools
import json
import os
import re
import signal
import subprocess

import annotating
from recorder import perf, perfs
from reporting import run

LINE = re.compile(r"^\s*(.*?)\s+([0-9a-f]+) (\S+) \((.*)\)$")
ROW = re.compile(r"^\s*([^#;]+?)\s*;\s*(\d+)\s*;(.*)$")


def functions_of(elf):
    """Returns the addresses and names of the code, as nm prints them."""
    text = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    names = collections.defaultdict(set)
    for line in text.splitlines():
        address, kind, name = line.rsplit(" ", 2)
        if kind in "tTwW" and not name.startswith("$"):
            names[int(address, 16)].add(name)
    return names


class Names:
    """The possible names of the code at an address."""

    def __init__(self, elf):
        self.names = functions_of(elf)
        self.starts = sorted(self.names)

    def at(self, address):
        at = bisect.bisect(self.starts, address) - 1
        return self.names[self.starts[at]] if at >= 0 else set()


@functools.lru_cache(maxsize=8)
def found_once(line, command, path, _when, arguments):
    lines = perf(*arguments, "-i", path, command=command).splitlines()
    return [match.groups() for match in map(line.match, lines) if match]


def found(line, command, path, *arguments):
    """
    What a regular expression finds in the lines that perf prints about a file. The file is read once
    for all programs, unless it is written anew.
    """
    return found_once(line, tuple(command), path, os.stat(path).st_mtime_ns, arguments)


def check_script(equal, name, path, comm, elf, *arguments, base=0, dso=None):
    """
    perf script says of each sample of a thread what nm says of the file, which lies so much higher, and
    is called so.
    """
    names = Names(elf)
    for version, command in perfs().items():
        samples = found(LINE, command, path, "script", "-G", "-F", "comm,ip,sym,dso", *arguments)
        mine = [(int(address, 16), symbol, file) for who, address, symbol, file in samples
                if who == comm]
        equal(f"{name}.{version}.dso", {dso or os.path.abspath(elf)}, {file for _, _, file in mine})
        equal(f"{name}.{version}.sym", [], [
            (hex(address), symbol) for address, symbol, _ in mine
            if symbol not in names.at(address - base)][:3])
        equal(f"{name}.{version}.some", True, len(mine) > 100)


def sums_of_perf(path, comm, command, *arguments):
    sums = collections.Counter()
    # Two functions can have one name.
    for who, period, name in found(ROW, command, path, "report", *arguments, "--stdio", "-t", ";",
                                   "--percent-limit", "0", "-F", "comm,period,sym"):
        if who == comm:
            sums[name.strip().split(" ", 1)[1]] += int(period)
    return dict(sums)


def check_report(equal, name, program, path, comm, told, *arguments):
    """
    perf report has of each function what vpmu-stats report has, that finds the program as the file says, or
    is told where it is.
    """
    for way, more in (("report", arguments), ("report-told", told)):
        text = run(program, "report", "-j", "--addresses", "-s", "comm,sym", "-i", path, *more)
        mine = {row["sym"]: row["period"] for row in map(json.loads, text.decode().splitlines())
                if row["comm"] == comm}
        for version, command in perfs().items():
            theirs = sums_of_perf(path, comm, command, *arguments)
            equal(f"{name}.{version}.{way}", {}, {
                key: (mine.get(key), theirs.get(key)) for key in mine.keys() | theirs
                if mine.get(key) != theirs.get(key)})


def check_annotated(equal, name, path, elf, function):
    """perf annotate shows the code and its samples."""
    for version, command in perfs().items():
        text = perf("annotate", "-i", path, "--stdio", "--objdump", "aarch64-linux-gnu-objdump",
                    "-s", function, command=command)
        percents = [float(p) for p in re.findall(r"^\s+(\d+\.\d+)\s*:?\s+[0-9a-f]+:", text, re.M)]
        equal(f"{name}.{version}.annotate", (True, True),
              (elf.rsplit("/", 1)[-1] in text, bool(percents) and 99 < sum(percents) < 101))


def check_hypervisor(case, elf):
    """perf shows a hypervisor below a kernel at EL1 as a process."""
    recorder = case.record("map", "-e", "instructions", "-c", "997", "--map", f"EL2={elf}",
                           "--buffer", "65536")
    case.machine.command("cont")
    case.machine.wait_pass()
    case.equal("map.code", 0, recorder.end(signal.SIGINT)[0])
    check_script(case.equal, "map", recorder.path, "EL2", elf)
    check_report(case.equal, "map", case.program, recorder.path, "EL2",
                 ["--map", f"EL2={elf}"], "--symfs", "/")
    check_annotated(case.equal, "map", recorder.path, elf, "guest_run")


def check_guest(case, elf):
    """A guest's kernel with call chains, at another address than in its file."""
    base = 0x1000000
    image = annotating.moved(elf, os.path.join(case.directory, "moved"), -base)
    recorder = case.record("map-guest", "-g", "-e", "instructions", "-c", "997", "--map",
                           f"guest-7={image}@{base:x}")
    case.go_on(5000)
    case.equal("map-guest.code", 0, recorder.end(signal.SIGINT)[0])
    check_script(case.equal, "map-guest", recorder.path, "guest-7", image, base=base)
