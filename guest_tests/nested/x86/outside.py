# SPDX-License-Identifier: GPL-2.0-or-later
"""
What vpmu-stats beside the machine shows of the guests of its kvm-amd host: a Linux whose program makes
calls and one system call again and again, and firmware.
"""
import bisect
import collections
import subprocess

from kernelnames import functions_of
from recorder import perf
from vmm_machine import expect_equal, expect_more

EVENT, PERIOD = "instructions:G", 20011
# The program. Its threads have the guest's own number, plus the first one of the first or second guest.
PROGRAM = "leaves"
FIRST_TID, GUESTS_TIDS, MOST_TID = 1100000000, 10000000, 4194304
# The function of the system call, which has two names, and those through which it must be called.
FUNCTION = {"__x64_sys_getpid", "__ia32_sys_getpid"}
CALLERS = {"do_syscall_64", "entry_SYSCALL_64"}
# The callers of the program's functions; see leaves.S. A function that has moved the stack pointer lacks
# its caller until RET.
CHAINS = {"bare": {("framed", "again")}, "pushing": {("framed", "again"), ("again",)},
          "framed": {("again",)}, "asking": {("framed", "again")}}


def record(host, *options, event=EVENT):
    """Returns the samples of a recording."""
    host.stats.measure("record", "-e", event, "-c", str(PERIOD), "-o", host.data, *options)
    host.wait("the guest's program")
    return host.stats.run("script", "-i", host.data, "-F", "ip,sym,cgroup,comm,pid,tid")


def is_kernel(sample):
    return int(sample["ip"], 16) >> 63


def record_threads(host, *options, event=EVENT):
    """
    Returns the samples of the first recording with the program's thread. A recording can end before the
    guest's kernel has been found.
    """
    while True:
        samples = record(host, *options, event=event)
        if any(sample["comm"] == PROGRAM for sample in samples):
            return samples


def check_functions(samples, own):
    """@own: the kernel's functions by address, as its own list has them."""
    starts = sorted(own)
    kernel = [sample for sample in samples if is_kernel(sample)]
    wrong = {(sample["ip"], sample["sym"]) for sample in kernel if sample["sym"] not in
             own[starts[bisect.bisect(starts, int(sample["ip"], 16)) - 1]]}
    yield "functions", expect_equal(set(), wrong)
    yield "functions/some", expect_more(100, len(kernel))
    found = {sample["sym"] for sample in kernel}
    yield "functions/called", expect_equal((1, set()), (len(FUNCTION & found), CALLERS - found))


def check_thread(samples, number):
    """
    The program is the only one that runs. Samples of guest-N are older than the machine's knowledge of
    the guest's threads.
    """
    there = [sample for sample in samples if not is_kernel(sample) or sample["sym"] in FUNCTION]
    names = [sample["comm"] for sample in there]
    first = names.index(PROGRAM)
    yield "thread", expect_equal({PROGRAM}, set(names[first:]))
    yield "thread/before", expect_equal(set(), set(names[:first]) - {f"guest-{number}"})
    numbers = {(sample["pid"], sample["tid"]) for sample in there[first:]}
    start = FIRST_TID + (number - 1) * GUESTS_TIDS
    good = len(numbers) == 1 and all(start < tid < start + MOST_TID and pid == tid for pid, tid in numbers)
    yield "thread/tid", None if good else f"expected one number above {start} got {numbers}"


def check_perf(host, kept):
    """perf has the same thread of each sample, and its report has the program."""
    theirs = [(line.split()[0], int(line.split()[-1])) for line in
              perf("script", "-i", host.data, "-F", "comm,tid").splitlines() if line.strip()]
    own = [(sample["comm"], sample["tid"]) for sample in kept]
    yield "perf", expect_equal(collections.Counter(own), collections.Counter(theirs))
    rows = perf("report", "-i", host.data, "--stdio", "--sort", "comm,dso,sym")
    yield "perf/report", None if f" {PROGRAM} " in rows else f"perf report has no {PROGRAM}"


def check_host(host):
    """The host's kernel is found although the CPUs run its guests."""
    kernel = [sample for sample in record(host, event="instructions:kH") if is_kernel(sample)]
    yield "host", expect_equal(set(), {sample["ip"] for sample in kernel if sample["sym"] is None})
    yield "host/some", expect_more(100, len(kernel))


def check_chains(host, elf):
    """Frame pointers and code are read through both page tables."""
    listing = subprocess.run(["nm", "-n", elf], check=True, capture_output=True, text=True).stdout
    starts = [(int(line.split()[0], 16), line.split()[2]) for line in listing.splitlines()]
    found = collections.defaultdict(set)
    for sample in record_threads(host, "-g", event="instructions:uG"):
        if sample["comm"] == PROGRAM:
            chain = sample["callchain"] or [sample["ip"]]
            name, *callers = (starts[bisect.bisect(starts, (int(address, 16) - (i > 0), "~")) - 1][1]
                              for i, address in enumerate(chain))
            found[name].add(tuple(callers))
    for name, chains in CHAINS.items():
        yield f"chains/{name}", expect_equal(chains, found[name])


def check_guests(host):
    """Both guests run. The kernel of the Linux is that of the host, at the same addresses."""
    own = functions_of(host.get_file("/proc/kallsyms").decode())
    samples = record_threads(host)
    groups = {sample["cgroup"] for sample in samples}
    yield "guests", expect_equal({"/guest/svm-1", "/guest/svm-2"}, groups)
    linux = next(sample["cgroup"] for sample in samples if is_kernel(sample))
    number = int(linux.rpartition("-")[2])
    yield from check_functions([sample for sample in samples if sample["cgroup"] == linux], own)
    yield from check_thread([sample for sample in samples if sample["cgroup"] == linux], number)
    firmware = {(sample["comm"], sample["sym"]) for sample in samples if sample["cgroup"] != linux}
    yield "firmware", expect_equal({(f"guest-{3 - number}", None)}, firmware)
    kept = record_threads(host, "--guest", f"svm-{number}")
    found = {sample["cgroup"] for sample in kept}
    yield "--guest", expect_equal(1, len(found))
    yield from check_perf(host, kept)
