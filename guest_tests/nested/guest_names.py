# SPDX-License-Identifier: GPL-2.0-or-later
"""What a recording must show of a guest whose program makes one system call again and again."""

# Where a kernel is without KASLR: KIMAGE_VADDR of arm64.
TEXT = 0xffff800080000000
# The function of the system call, and those through which it must be called.
FUNCTION = "__arm64_sys_getpid"
CALLERS = {"invoke_syscall", "el0_svc", "do_el0_svc"}
# The function has a few instructions and is aligned.
SIZE = 16


def kernel_address(machine, without_kaslr=False):
    """Returns the address of FUNCTION, by the console of a machine that has the same kernel."""
    machine.send(f"grep -F -w -e _text -e {FUNCTION} /proc/kallsyms; echo END")
    found = {line.split()[2]: int(line.split()[0], 16) for line in machine.lines_until("^END")
             if line.endswith((" T _text", " T " + FUNCTION))}
    return TEXT + found[FUNCTION] - found["_text"] if without_kaslr else found[FUNCTION]


def is_there(sample, comm, address):
    return sample["comm"] == comm and address <= int(sample["ip"], 16) < address + SIZE


def expect_names(samples, comm, address):
    """Yields what is wrong with samples, as vpmu-stats script prints them as JSON."""
    own = [sample for sample in samples if sample["comm"] == comm]
    there = {sample["sym"] for sample in own if is_there(sample, comm, address)}
    yield "function", None if there == {FUNCTION} else f"expected {FUNCTION} got {there}"
    missing = CALLERS - {sample["sym"] for sample in own}
    yield "callers", f"expected {CALLERS}, and {missing} are missing" if missing else None
    kernel = [sample["sym"] for sample in own if int(sample["ip"], 16) >> 63]
    nameless = kernel.count(None)
    yield "all", None if kernel and not nameless else f"{nameless} of {len(kernel)} have no name"
