# SPDX-License-Identifier: GPL-2.0-or-later
"""A program as assembly, with what the machine was set to before it."""

import pathlib
import subprocess

from layout import ALL_CONTROLS

OBJDUMP = {"a64": ["aarch64-linux-gnu-objdump", "-m", "aarch64"],
           "a32": ["arm-linux-gnueabihf-objdump", "-m", "arm"],
           "t32": ["arm-linux-gnueabihf-objdump", "-m", "arm", "-M", "force-thumb"]}


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
    """Lines: registers that are not what they are usually, then the items."""
    values = program.values
    lines = [f"program {program.name}, highest level {program.highest}, from {entry:#x}, "
             f"SPSR {values['spsr']:#x}, {values['regs'][program.state.rounds_reg]} rounds"]
    shown = [f"{name}={values.get(name, 0):#x}" for name in ALL_CONTROLS
             if values.get(name, 0) != program.plain.get(name, 0)]
    lines.append("  " + " ".join(shown))
    for n in range(6):
        lines.append(f"  counter {n}: PMEVTYPER {values['pmevtyper'][n]:#x} "
                     f"PMEVCNTR {values['pmevcntr'][n]:#x} again {values['reload'][n]:#x}")
    regs = [f"{'r' if program.state.name == 'a32' else 'x'}{n}={values['regs'][n]:#x}"
            for n in range(31) if values["regs"][n]]
    lines.append("  " + " ".join(regs))
    lines.append(f"  flags={values['flags']:#x} steps={values.get('steps', 0)} "
                 f"interrupts={values['interrupts']} gicc_ctlr={values['gicc_ctlr']}")
    for name, at, code, state in program.pieces():
        lines.append(f"  {name}:")
        lines += ["  " + line for line in disassemble(code, entry + at, state, directory)]
    return lines
