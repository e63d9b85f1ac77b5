# SPDX-License-Identifier: GPL-2.0-or-later
"""Synthetic types of a kernel (BTF): structures with members at the requested offsets."""
import random
import struct

# What a recorder wants to know of threads, and of the files that they have in memory.
MEMBERS = {
    "task_struct": ("pid", "tgid", "comm", "mm"), "mm_struct": ("exec_vm", "mm_mt"),
    "maple_tree": ("ma_root",), "maple_range_64": ("pivot", "slot"), "maple_arange_64": ("slot",),
    "vm_area_struct": ("vm_start", "vm_end", "vm_pgoff", "vm_flags", "vm_file"),
    "file": ("f_inode", "f_path"), "path": ("dentry", "mnt"), "dentry": ("d_parent", "d_name"),
    "qstr": ("name", "len"), "vfsmount": ("mnt_root",),
    "mount": ("mnt", "mnt_parent", "mnt_mountpoint"),
    "pt_regs": ("stackframe", "regs", "pc", "pstate"),
}


def make(structures):
    """@structures: for each structure its name, and the offset of each member by name."""
    names, types = bytearray(b"\0"), bytearray()

    def name(text):
        at = len(names)
        names.extend(text.encode() + b"\0")
        return at
    types += struct.pack("<4I", name("int"), 1 << 24, 4, 32)
    for structure, members in structures.items():
        types += struct.pack("<3I", name(structure), 4 << 24 | len(members), 4096)
        for member, offset in members.items():
            types += struct.pack("<3I", name(member), 1, 8 * offset)
    return struct.pack("<HBB5I", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names)) + types + names


def make_any(seed, most):
    """Makes all required structures with members at random offsets below @most. Thread IDs are not
    aligned to words."""
    chance = random.Random(seed)
    return make({name: {member: chance.randrange(0, most, 8) + (member in ("pid", "tgid"))
                        for member in members}
                 for name, members in MEMBERS.items()})
