# SPDX-License-Identifier: GPL-2.0-or-later
"""
A shell at a machine's console, and the files that a user copies from a Linux guest to record it.
"""
import base64
import gzip
import hashlib
import os
import struct

# The kernel's types (BTF): magic, version, flags, length of the header; then offset and length of
# its two parts.
BTF, BTF_PARTS = bytes.fromhex("9feb010018000000"), struct.Struct("<4I")


def types_in(image):
    """Returns the types that a kernel's file contains, or nothing."""
    with open(image, "rb") as file:
        data = file.read()
    at = data.find(BTF)
    if at < 0:
        return b""
    _, _, offset, length = BTF_PARTS.unpack_from(data, at + len(BTF))
    return data[at:at + len(BTF) + BTF_PARTS.size + offset + length]


class Shell:
    """A shell on a machine's console. It copies files into a directory."""

    def __init__(self, machine, directory):
        self.machine = machine
        self.directory = directory

    def run(self, line):
        """
        Returns a command's output. The line itself is echoed, but with its marks in two parts.
        """
        self.machine.send(f"echo BE''GIN; {line}; echo DO''NE")
        self.machine.lines_until("BEGIN$")
        return self.machine.lines_until("^DONE$")

    def save(self, name, data):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def copy(self, path):
        """Returns the content of a file in the guest."""
        was = self.machine.shown
        self.machine.shown = False
        text = self.run(f"busybox gzip -c {path} | busybox base64")
        self.machine.shown = was
        return gzip.decompress(base64.b64decode("".join(text)))

    def kernel_types(self, image):
        """
        Returns the kernel's types. A guest takes ten seconds to send them, so they are those in the
        kernel's file if these are the same.
        """
        path = "/sys/kernel/btf/vmlinux"
        types = types_in(image)
        if hashlib.md5(types).hexdigest() not in " ".join(self.run(f"busybox md5sum {path}")):
            types = self.copy(path)
        return types

    def kernel_files(self, symbols, image):
        """
        Copies those lines of /proc/kallsyms that end in one of the symbols, or contain one that
        ends in a space, and the types. Returns the paths of the copies.
        """
        was = self.machine.shown
        self.machine.shown = False
        # Regular expressions would take ten times as long.
        lines = self.run("grep -F " + " ".join(f"-e '{symbol}'" for symbol in symbols) +
                         " /proc/kallsyms")
        self.machine.shown = was
        kept = [line for line in lines
                if any(line.endswith(s) or s[-1] == " " and s in line for s in symbols)]
        return (self.save("kallsyms", "\n".join(kept).encode() + b"\n"),
                self.save("btf", self.kernel_types(image)))
