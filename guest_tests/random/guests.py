# SPDX-License-Identifier: GPL-2.0-or-later
"""The machines on which programs run: QEMU's arguments, and the addresses."""

import pathlib
import re
import subprocess

import accessed
import branches
import layout
import lbr

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/guest_tests/random"


def ram(numbers, path):
    return ["-object", f"memory-backend-file,id=ram,size={numbers['RAM_SIZE']},mem-path={path},share=on"]


def loaded(numbers, image):
    return ["-device", f"loader,file={image},addr={numbers['PROGRAMS_BASE']:#x},force-raw=on"]


COMMON = ["-display", "none", "-nodefaults", "-no-reboot"]


def is_memory_copy(word):
    """Is it an A64 instruction of the group "Memory Copy and Memory Set"?"""
    return word & 0x3b200c00 == 0x19000400


class ARM:
    """
    The machine virt, with any highest level. Its GIC and its UART are where the runtime expects
    them.
    """
    layout = layout.ARM
    variable, emulator = "QEMU", "build/qemu/qemu-system-aarch64"
    plugin = "libcounts.so"
    branch_plugin = "libbranches.so"
    access_plugin = "libaccesses.so"
    # What L1-dcache-load-misses counts.
    missing = accessed.LOAD | accessed.STORE
    # A sample describes the slowest of several accesses; otherwise, it has the farthest level of all.
    describes_slowest = False
    records_fault = staticmethod(branches.fault)
    # How far behind the address of its exception a sample may lie that is taken before it.
    trap_size = 0
    needed = "make qemu"
    misplaced = "a trap of WFI or WFE at {:#x}, where there is neither"

    @classmethod
    def command(cls, machine, ram_path, image):
        secure = ",secure=on" if machine.highest == 3 else ""
        version = "v1p1" if machine.highest == 3 else "v1"
        cpu = f"max,pmu-version=p7,num-pmu-counters=6,brbe={version}"
        if machine.modelled:
            cpu += ",pmu-cycles=model"
        numbers = cls.layout.numbers
        return ["-M", f"virt{secure},virtualization=on,memory-backend=ram", *ram(numbers, ram_path),
                "-cpu", cpu, *COMMON, "-kernel", str(BUILD / "runtime.elf"), *loaded(numbers, image)]

    @staticmethod
    def traced(_machine):
        """Returns further arguments of the plugin that traces branches."""
        return ""

    @classmethod
    def records(cls, trace, machine):
        """Returns the branch records of each program that follow from a trace."""
        return branches.from_trace(trace, machine.highest, cls.layout.numbers["PROGRAMS_BASE"])

    @classmethod
    def taken(cls, trace, machine):
        """Returns all branches of each program that follow from a trace."""
        return branches.all_from_trace(trace, machine.highest, cls.layout.numbers["PROGRAMS_BASE"])

    @staticmethod
    def same_kind(kind, recorded):
        """Compares a branch's kind with that of a recording."""
        return kind == recorded

    @staticmethod
    def traces_all(code):
        """
        Returns whether a plugin sees all accesses of an instruction. Helpers for CPY* and SET* tell it only of
        those that cannot be made in the host's memory.
        """
        return not is_memory_copy(int.from_bytes(code[:4], "little"))


class X86:
    """A PC whose firmware is the runtime, so that nothing else has run there."""
    layout = layout.X86
    variable, emulator = "QEMU_X86", "build/qemu-x86/qemu-system-x86_64"
    plugin = "x86/libcounts.so"
    branch_plugin = "x86/libbranches.so"
    access_plugin = "x86/libaccesses.so"
    missing = accessed.LOAD
    describes_slowest = True
    records_fault = staticmethod(lbr.fault)
    trap_size = 2
    needed = "make qemu-x86"
    misplaced = "an exception of the runtime's own at {:#x}"

    @classmethod
    def command(cls, machine, ram_path, image):
        numbers = cls.layout.numbers
        return ["-M", "q35,hpet=off,memory-backend=ram", "-m", f"{numbers['RAM_SIZE'] >> 20}M",
                *ram(numbers, ram_path), "-cpu", machine.cpu, *COMMON, "-bios",
                str(BUILD / "x86/rom.bin"), "-device", f"loader,file={BUILD / 'x86/runtime.elf'}",
                *loaded(numbers, image)]

    @staticmethod
    def traces_all(code):
        """A plugin sees the bytes that MASKMOVQ and MASKMOVDQU write, but not their operand."""
        return b"\x0f\xf7" not in code[:4]

    @staticmethod
    def traced(machine):
        names = subprocess.run(["nm", BUILD / "x86/runtime.elf"], check=True, capture_output=True, text=True)
        entries = re.search("^([0-9a-f]+) . vector_entries$", names.stdout, re.M)[1]
        return f",control={machine.lbr.control:#x},entries=0x{entries}"

    @classmethod
    def records(cls, trace, machine):
        return lbr.from_trace(trace, machine.lbr.control, machine.lbr.depth,
                              cls.layout.numbers["PLAYGROUND_BASE"])

    @classmethod
    def taken(cls, trace, machine):
        return lbr.all_from_trace(trace, machine.lbr.control, machine.lbr.depth,
                                  cls.layout.numbers["PLAYGROUND_BASE"])

    @staticmethod
    def same_kind(kind, recorded):
        return recorded in lbr.RECORDED_KINDS[kind]
