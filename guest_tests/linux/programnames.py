# SPDX-License-Identifier: GPL-2.0-or-later
"""
Which files programs have in memory, as a recording found it in the guest's: stock perf, that has copies
of the files and is told nothing else, names each sample's function; and the guest says the same.
"""
import collections
import os
import re
import shutil
import subprocess

from mapping import check_report, check_script
from recorder import perf, perfs
from reporting import run

EVENT = re.compile(r"PERF_RECORD_MMAP2 (\d+)/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (\S+) "
                   r"(?:<([0-9a-f]*)>|[^]]*)\]: r-xp (\S+)$", re.M)
MAP = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(/\S+)$")


def unpack(initrd, directory):
    """What is packed first: the guest's programs and libraries."""
    os.mkdir(directory)
    with open(initrd, "rb") as file:
        subprocess.run(["cpio", "-idm", "--quiet"], stdin=file, cwd=directory, check=True)
    return directory


def codes_of(path):
    """Process, (start, end, offset, file) and build ID of each."""
    return [(int(pid), (int(start, 16), int(start, 16) + int(size, 16), int(offset, 0), name), id)
            for pid, start, size, offset, id, name in
            EVENT.findall(perf("script", "-i", path, "--show-mmap-events"))]


def build_id_of(path):
    text = subprocess.run(["readelf", "-n", path], check=True, capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", text)
    return found[1] if found else ""


def check_programs(equal, program, path, programs, symfs):
    """Of programs in /vpmu, whose functions are known."""
    os.makedirs(os.path.join(symfs, "vpmu"), exist_ok=True)
    for name, elf in programs.items():
        shutil.copyfile(elf, os.path.join(symfs, "vpmu", name))
        check_script(equal, name, path, name, elf, "--symfs", symfs, dso=f"/vpmu/{name}")
        check_report(equal, name, program, path, name, ["--map", f"{name}={elf}"], "--symfs", symfs)


def run_perf(shell):
    """Its number, and what it has in memory while it waits."""
    lines = shell.run("perf stat -e cycles:u sleep 2 </dev/null >/dev/null 2>&1 & sleep 1; "
                      "echo PI''D $!; cat /proc/$!/maps; wait")
    pid, = (int(line.split()[1]) for line in lines if line.startswith("PID "))
    return pid, [(int(m[1], 16), int(m[2], 16), int(m[3], 16), m[4])
                 for m in map(MAP.match, lines) if m]


def check_libraries(equal, recording, symfs):
    """Of a program with libraries: where they are, the guest says; which they are, their build IDs."""
    path, _, (pid, maps) = recording.take(run_perf, "-g", "-e", "instructions:u", "-c", "997",
                                          names=[])
    codes = codes_of(path)
    mine = {code for who, code, _ in codes if who == pid}
    equal("libraries.maps", set(), {c for c in mine if c[3] in {m[3] for m in maps}} - set(maps))
    used = {os.path.basename(code[3]) for code in mine}
    equal("libraries.used", {"perf", "libc.so.6", "ld-linux-aarch64.so.1"},
          used & {"perf", "libc.so.6", "ld-linux-aarch64.so.1"})
    ids = {(code[3], id) for _, code, id in codes if id}
    equal("libraries.build-ids", ids, {(name, build_id_of(symfs + name)) for name, _ in ids})
    equal("libraries.build-ids.some", True, len(ids) >= 3)


# Of callers.S: who called what a program was in when its kernel was entered. Where it has no frame yet, or
# none any more, its caller is missing.
WAYS = {("inner", "middle", "outer", "_start"), ("inner", "outer", "_start"),
        ("middle", "outer", "_start"), ("middle", "_start"), ("outer", "_start"), ("outer",),
        ("_start",)}
CALLS = 3000


def chains_of_kernel(text):
    """Of samples in the kernel, the program's functions at the end of the chain."""
    for block in text.split("\n\n"):
        lines = [line.split() for line in block.splitlines()[1:]]
        if lines and int(lines[0][0], 16) >> 55:
            yield tuple(line[1] for line in lines if line[-1] == "(/vpmu/callers)")


def check_callers(equal, recording, elf, symfs):
    """The kernel's callers are the program's functions that have called it."""
    shutil.copyfile(elf, os.path.join(symfs, "vpmu", "callers"))
    path, _, _ = recording.take(lambda shell: shell.run(f"/vpmu/callers {CALLS} </dev/null"),
                                "-g", "-e", "instructions", "-c", "97", names=[])
    for version, command in perfs().items():
        found = collections.Counter(chains_of_kernel(perf(
            "script", "-i", path, "--comms", "callers", "-F", "comm,ip,sym,dso", "--symfs", symfs,
            command=command)))
        equal(f"{version}.callers", set(), set(found) - WAYS - {()})
        # Each call has several samples; those in code that enters the kernel have no frame yet.
        whole = found["inner", "middle", "outer", "_start"]
        equal(f"{version}.callers.each", (True, whole), (whole > CALLS, whole))
    report = run(recording.program, "convert", "-i", path, "--symfs", symfs, "--to", "folded",
                 "--samples").decode()
    way = ";_start;outer;middle;inner;"
    equal("convert.callers", whole, sum(int(line.rsplit(" ", 1)[1]) for line in report.splitlines()
                                        if line.startswith(f"callers{way}")))
