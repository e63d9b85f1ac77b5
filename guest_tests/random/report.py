# SPDX-License-Identifier: GPL-2.0-or-later
"""Shows a program as assembly, with the state of the machine before it."""

import pathlib
import subprocess

OBJDUMP = {"a64": ["aarch64-linux-gnu-objdump", "-m", "aarch64"],
           "a32": ["arm-linux-gnueabihf-objdump", "-m", "arm"],
           "t32": ["arm-linux-gnueabihf-objdump", "-m", "arm", "-M", "force-thumb"],
           "x86-64": ["x86_64-linux-gnu-objdump", "-m", "i386:x86-64"],
           "x86-32": ["x86_64-linux-gnu-objdump", "-m", "i386"]}


def disassemble(code, start, state, directory):
    path = pathlib.Path(directory) / "code"
    path.write_bytes(code)
    command = OBJDUMP[state] + ["-D", "-b", "binary", f"--adjust-vma={start:#x}", str(path)]
    try:
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [code.hex()]
    return [line.rstrip() for line in text.splitlines() if ":\t" in line]


def listing(program, entry, directory):
    """Returns lines: registers that have unusual values, then the items."""
    lines = program.state.summary(program, entry)
    for name, at, code, state in program.pieces():
        lines.append(f"  {name}:")
        lines += ["  " + line for line in disassemble(code, entry + at, state, directory)]
    return lines
