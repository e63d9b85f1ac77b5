# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compares which files programs have in memory, as a recording found it in the guest's memory, with
what the guest says. Stock perf, which has copies of the files and no other information, must name
each sample's function.
"""
import collections
import json
import os
import re
import shutil
import subprocess

from kernelnames import check_interrupted_names
from mapping import check_report, check_script
from recorder import perf, perfs
from reporting import run

EVENT = re.compile(r"PERF_RECORD_MMAP2 (\d+)/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (\S+) "
                   r"(?:<([0-9a-f]*)>|[^]]*)\]: r-xp (\S+)$", re.M)
MAP = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-xp ([0-9a-f]+) \S+ \d+ +(/\S+)$")


def unpack(initrd, directory):
    """These are packed first: the guest's programs and libraries."""
    os.mkdir(directory)
    with open(initrd, "rb") as file:
        subprocess.run(["cpio", "-idm", "--quiet"], stdin=file, cwd=directory, check=True)
    return directory


def codes_of(path):
    """Returns the process, (start, end, offset, file) and build ID of each mapping."""
    return [(int(pid), (int(start, 16), int(start, 16) + int(size, 16), int(offset, 0), name), id)
            for pid, start, size, offset, id, name in
            EVENT.findall(perf("script", "-i", path, "--show-mmap-events"))]


def build_id_of(path):
    text = subprocess.run(["readelf", "-n", path], check=True, capture_output=True, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", text)
    return found[1] if found else ""


def check_programs(equal, program, path, programs, symfs):
    """Programs in /vpmu, whose functions are known."""
    os.makedirs(os.path.join(symfs, "vpmu"), exist_ok=True)
    for name, elf in programs.items():
        shutil.copyfile(elf, os.path.join(symfs, "vpmu", name))
    for name, elf in programs.items():
        check_script(equal, name, path, name, elf, "--symfs", symfs, dso=f"/vpmu/{name}")
        check_report(equal, name, program, path, name, ["--map", f"{name}={elf}"], "--symfs", symfs)


def run_perf(shell):
    """Returns the process number and its mappings while it waits."""
    lines = shell.run("perf stat -e cycles:u sleep 2 </dev/null >/dev/null 2>&1 & sleep 1; "
                      "echo PI''D $!; cat /proc/$!/maps; wait")
    pid, = (int(line.split()[1]) for line in lines if line.startswith("PID "))
    return pid, [(int(m[1], 16), int(m[2], 16), int(m[3], 16), m[4])
                 for m in map(MAP.match, lines) if m]


def check_libraries(equal, recording, symfs, loader="ld-linux-aarch64.so.1"):
    """
    For a program with libraries, the guest says where they are, and their build IDs which they are.
    """
    path, _, (pid, maps) = recording.take(run_perf, "-g", "-e", "instructions:u", "-c", "997",
                                          names=[])
    codes = codes_of(path)
    mine = {code for who, code, _ in codes if who == pid}
    equal("libraries.maps", set(), {c for c in mine if c[3] in {m[3] for m in maps}} - set(maps))
    used = {os.path.basename(code[3]) for code in mine}
    equal("libraries.used", {"perf", "libc.so.6", loader}, used & {"perf", "libc.so.6", loader})
    ids = {(code[3], id) for _, code, id in codes if id and code[3].startswith("/")}
    equal("libraries.build-ids", ids, {(name, build_id_of(symfs + name)) for name, _ in ids})
    equal("libraries.build-ids.some", True, len(ids) >= 3)


# How a tree of functions was compiled: see host_tools/vpmu-run/tests/tree.c. "fp": with frame pointers.
TREES = ("c0", "c2", "c0fp", "c2fp", "cc0", "cc2", "cc0fp", "cc2fp")


# GCC's functions for the beginning and the end of a program, and libc's, have no unwind tables.
CRTBEGIN = re.compile(r"__do_global_dtors_aux|(de)?register_tm_clones|frame_dummy|_init|_fini")


def way_of(tree, caller="main"):
    """The functions of a call chain, the innermost first."""
    scan = "(anonymous namespace)::Table<unsigned long>::scan" if tree.startswith("cc") else f"scan_{tree}"
    return (f"leaf_{tree}", f"middle_{tree}", scan, scan, scan, f"top_{tree}", caller)


def check_trees(equal, recording, program, symfs):
    """
    Without frame pointers, call chains are found in copies of the stack. They are the same ones, also
    from the first sample of a child process on, which has the mappings of its parent.
    """
    shutil.copyfile(program, os.path.join(symfs, "vpmu/trees"))
    for kind, argument, ways in (("trees", "", {way_of(tree) for tree in TREES}),
                                 ("forked", "forked", {way_of(tree, "run_children") for tree in TREES
                                                       if not tree.startswith("cc")})):
        path, _, _ = recording.take(lambda shell, word=argument: shell.run(f"/vpmu/trees {word} </dev/null"),
                                    "--call-graph", "dwarf", "--symfs", symfs, "--comm", "trees", "-e",
                                    "instructions:u", "-c", "997", names=[])
        check_ways(equal, kind, path, symfs, ways)


def check_ways(equal, kind, path, symfs, wanted):
    for version, command in perfs().items():
        text = perf("script", "-i", path, "-F", "ip,sym", "--symfs", symfs, command=command)
        # Newer versions of perf show the types of arguments.
        chains = [tuple(line.strip().partition(" ")[2].strip().partition("(unsigned")[0]
                        for line in block.strip().splitlines())
                  for block in text.split("\n\n") if block.strip()]
        equal(f"{version}.{kind}.roots", set(), {chain for chain in chains if chain[-1] != "_start"
                                                 and not CRTBEGIN.fullmatch(chain[-1])})
        ways = collections.Counter(chain[:7] for chain in chains if chain[0].startswith("leaf_"))
        equal(f"{version}.{kind}", wanted, set(ways))
        equal(f"{version}.{kind}.each", True, min(ways.values()) >= 200)


# The functions of the vDSO: vdso(7).
VDSO = re.compile(r"__(vdso|kernel)_(time|gettimeofday|clock_gettime|clock_getres|getcpu|rt_sigreturn|getrandom)$")


def check_vdso(equal, recording, symfs):
    """Code of the vDSO, of which no file exists, has names; and no code has none."""
    path, _, _ = recording.take(lambda shell: shell.run("busybox date; busybox date </dev/null"), "-g", "-e",
                                "instructions:u", "-c", "3", "--comm", "busybox", names=[])
    rows = [json.loads(line) for line in
            run(recording.program, "report", "-j", "-s", "dso,sym", "-i", path, "--symfs", symfs).splitlines()]
    names = {row["sym"] for row in rows if row["dso"] == "[vdso]"}
    equal("vdso", (True, set()), (bool(names), {name for name in names if not VDSO.match(name)}))
    equal("unknown", [], [row for row in rows if "unknown" in row["sym"] or "unknown" in row["dso"]])


# The call chains of callers.S when it entered the kernel. A function without a frame (not yet, or
# no longer) is missing its caller. While the kernel switches to another process, it no longer has
# the page table of this one, and the chain ends with the function that entered the kernel.
WAYS = {("inner", "middle", "outer", "_start"), ("inner", "outer", "_start"),
        ("middle", "outer", "_start"), ("middle", "_start"), ("outer", "_start"), ("outer",),
        ("_start",), ("inner",), ("middle",)}
# entries.S has a second way, that of the other call.
OTHER = {"inner": "other", "middle": "second"}
WAYS_OF = {"callers": WAYS,
           "entries": WAYS | {tuple(OTHER.get(name, name) for name in way) for way in WAYS}}
CALLS = 3000


def chains_of_kernel(text, program):
    """Returns the program's functions at the end of the chain, for samples in the kernel."""
    for block in text.split("\n\n"):
        lines = [line.split() for line in block.splitlines()[1:]]
        if lines and int(lines[0][0], 16) >> 55:
            yield tuple(line[1] for line in lines if line[-1] == f"(/vpmu/{program})")


def check_callers(equal, recording, programs, symfs):
    """The callers of the kernel are those of the program's functions that have called it."""
    for program in WAYS_OF:
        shutil.copyfile(os.path.join(programs, program), os.path.join(symfs, "vpmu", program))
        path, _, _ = recording.take(lambda shell: shell.run(f"/vpmu/{program} {CALLS} </dev/null"),
                                    "-g", "-e", "instructions", "-c", "97", names=[])
        for version, command in perfs().items():
            found = collections.Counter(chains_of_kernel(perf(
                "script", "-i", path, "--comms", program, "-F", "comm,ip,sym,dso", "--symfs", symfs,
                command=command), program))
            equal(f"{version}.{program}", set(), set(found) - WAYS_OF[program] - {()})
            # Each call has several samples. In the code that enters the kernel there is no frame
            # yet.
            whole = found["inner", "middle", "outer", "_start"]
            equal(f"{version}.{program}.each", (True, whole), (whole > CALLS, whole))
        report = run(recording.program, "convert", "-i", path, "--symfs", symfs, "--to", "folded",
                     "--samples").decode()
        way = f"{program};_start;outer;middle;inner;"
        equal(f"convert.{program}", whole, sum(int(line.rsplit(" ", 1)[1])
                                               for line in report.splitlines() if line.startswith(way)))


def check_interrupted(equal, recording):
    """
    Behind an interrupt of the kernel, a call chain has the interrupted functions and the program that
    called the kernel.
    """
    path, _, _ = recording.take(lambda shell: shell.run("/vpmu/callers 400000 </dev/null"), "-g", "-e",
                                "instructions", "-c", "1009", "--comm", "callers", names=[])
    text = run(recording.program, "script", "-i", path, "-F", "ip,sym,dso").decode()
    chains = [block.strip().splitlines() for block in text.split("\n\n") if " el1h_64_irq " in block]
    equal("interrupted.some", True, len(chains) > 100)
    # execve() names the process before its program has started, and exit() takes its memory away.
    ends = collections.Counter(chain[-1].split(None, 1)[1] for chain in chains if "(/" not in chain[-1] and
                               not re.search("_sys_(execve|exit)", " ".join(chain)))
    equal("interrupted.program", {}, dict(ends))
    check_interrupted_names(equal, recording.program, path)
