# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording must show of a guest whose program makes one system call again and again."""

# Where a kernel is without KASLR: KIMAGE_VADDR of arm64.
TEXT = 0xffff800080000000
# The function of the system call, and those through which it must be called.
FUNCTION = "__arm64_sys_getpid"
CALLERS = {"invoke_syscall", "el0_svc", "do_el0_svc"}
# The program. Its threads have the guest's own number, plus the first one of the first guest.
PROGRAM = "syscalls"
FIRST_TID, MOST_TID = 1100000000, 4194304
# The function has a few instructions and is aligned.
SIZE = 16


def kernel_address(machine, without_kaslr=False):
    """Returns the address of FUNCTION, by the console of a machine that has the same kernel."""
    machine.send(f"grep -F -w -e _text -e {FUNCTION} /proc/kallsyms; echo END")
    found = {line.split()[2]: int(line.split()[0], 16) for line in machine.lines_until("^END")
             if line.endswith((" T _text", " T " + FUNCTION))}
    return TEXT + found[FUNCTION] - found["_text"] if without_kaslr else found[FUNCTION]


def is_there(sample, cgroup, address):
    return sample["cgroup"] == cgroup and address <= int(sample["ip"], 16) < address + SIZE


def record_thread(record, cgroup, address):
    """
    Returns the samples of the first recording with the program's thread. @record makes a recording. It
    can end before the guest's kernel has been found.
    """
    while True:
        samples = record()
        if any(is_there(sample, cgroup, address) and sample["comm"] == PROGRAM for sample in samples):
            return samples


def expect_names(samples, cgroup, address):
    """Yields what is wrong with samples, as vpmu-stats script prints them as JSON."""
    own = [sample for sample in samples if sample["cgroup"] == cgroup]
    there = {sample["sym"] for sample in own if is_there(sample, cgroup, address)}
    yield "function", None if there == {FUNCTION} else f"expected {FUNCTION} got {there}"
    missing = CALLERS - {sample["sym"] for sample in own}
    yield "callers", f"expected {CALLERS}, and {missing} are missing" if missing else None
    kernel = [sample for sample in own if int(sample["ip"], 16) >> 63]
    nameless = [(sample["ip"], sample["comm"]) for sample in kernel if sample["sym"] is None]
    yield "all", None if kernel and not nameless else (
        f"{len(nameless)} of {len(kernel)} have no name: {nameless[:5]}")


def expect_thread(samples, cgroup, address, process, tid=None):
    """
    Yields what is wrong with the thread of samples, which are sorted by time. The system call is made by the
    program only. Samples of @process are older than the machine's knowledge of the guest's threads. @tid is
    the guest's own number of the thread, if it is known.
    """
    there = [sample for sample in samples if is_there(sample, cgroup, address)]
    names = [sample["comm"] for sample in there]
    first = names.index(PROGRAM)
    wrong = set(names[:first]) - {process} | set(names[first:]) - {PROGRAM}
    yield "thread", f"expected {PROGRAM} got {wrong}" if wrong else None
    numbers = {(sample["pid"], sample["tid"]) for sample in there[first:]}
    good = {(number, number) for number in
            ([FIRST_TID + tid] if tid else range(FIRST_TID + 1, FIRST_TID + MOST_TID))}
    yield "tid", (None if len(numbers) == 1 and numbers <= good else
                  f"expected {FIRST_TID} + {tid or 'a number'} got {numbers}")
    others = {sample["comm"] for sample in samples if sample["cgroup"] != cgroup and
              sample["tid"] >= FIRST_TID}
    yield "others", f"{others} have numbers of the guest's threads" if others else None
