# SPDX-License-Identifier: GPL-2.0-or-later
"""
A shell at a machine's console, and the files that a user copies from a Linux guest to record it.
"""
import base64
import gzip
import os


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

    def kernel_files(self, symbols):
        """
        Copies those lines of /proc/kallsyms that match, and the types. Returns the paths of the
        copies.
        """
        was = self.machine.shown
        self.machine.shown = False
        lines = self.run(f"grep -E '{symbols}' /proc/kallsyms")
        self.machine.shown = was
        return (self.save("kallsyms", "\n".join(lines).encode() + b"\n"),
                self.save("btf", self.copy("/sys/kernel/btf/vmlinux")))
