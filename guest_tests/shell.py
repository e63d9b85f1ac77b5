# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell at a machine's console, and what a user copies from a Linux to have it recorded."""
import base64
import gzip
import os


class Shell:
    """What runs on a machine's console. Files come into a directory."""

    def __init__(self, machine, directory):
        self.machine = machine
        self.directory = directory

    def run(self, line):
        """What a command says. The line itself is echoed, but has the marks in two parts."""
        self.machine.send(f"echo BE''GIN; {line}; echo DO''NE")
        self.machine.lines_until("BEGIN$")
        return self.machine.lines_until("^DONE$")

    def save(self, name, data):
        path = os.path.join(self.directory, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def copy(self, path):
        """What is in a file of the guest's."""
        was = self.machine.shown
        self.machine.shown = False
        text = self.run(f"busybox gzip -c {path} | busybox base64")
        self.machine.shown = was
        return gzip.decompress(base64.b64decode("".join(text)))

    def kernel_files(self, symbols):
        """Those lines of /proc/kallsyms that match, and the types: paths of copies."""
        was = self.machine.shown
        self.machine.shown = False
        lines = self.run(f"grep -E '{symbols}' /proc/kallsyms")
        self.machine.shown = was
        return (self.save("kallsyms", "\n".join(lines).encode() + b"\n"),
                self.save("btf", self.copy("/sys/kernel/btf/vmlinux")))
