# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of gdb's remote protocol that stops a machine at an address and reads its registers."""

import re
import socket

PC = 32  # the number of a register, as gdb counts those of AArch64
X30 = 30


class Stub:
    """A connection to QEMU's gdbstub (-gdb unix:PATH,server=on,wait=off), which stops the machine."""

    def __init__(self, path, timeout):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(timeout)
        self.sock.connect(path)
        self.received = b""
        self.ask("?")

    def send(self, text):
        data = text.encode()
        self.sock.sendall(b"$" + data + b"#%02x" % (sum(data) & 0xff))

    def receive(self):
        while True:
            packet = re.search(rb"\$([^#]*)#..", self.received)
            if packet:
                self.received = self.received[packet.end():]
                self.sock.sendall(b"+")
                return packet[1].decode()
            data = self.sock.recv(4096)
            if not data:
                raise ConnectionError("QEMU closed the connection to its gdbstub")
            self.received += data

    def ask(self, text):
        self.send(text)
        return self.receive()

    def command(self, text):
        answer = self.ask(text)
        if answer != "OK":
            raise ConnectionError(f"QEMU's gdbstub answers {answer!r} to {text!r}")

    def register(self, number):
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    def system_register(self, name):
        """Returns the value of a register that QEMU lists in system-registers.xml."""
        text = ""
        more = True
        while more:
            part = self.ask(f"qXfer:features:read:system-registers.xml:{len(text):x},fff")
            text += part[1:]
            more = part[0] == "m"
        found = re.search(rf'name="{name}"[^>]*regnum="(\d+)"', text)
        if not found:
            raise ConnectionError(f"QEMU's gdbstub has no register {name}")
        return self.register(int(found[1]))

    def insert(self, address):
        self.command(f"Z0,{address:x},4")

    def remove(self, address):
        self.command(f"z0,{address:x},4")

    def resume(self, until):
        """
        Runs until the first of some addresses, and returns it. The address where it stands does not
        count.
        """
        self.ask("s")
        for address in until:
            self.insert(address)
        self.ask("c")
        for address in until:
            self.remove(address)
        return self.register(PC)

    def leave(self):
        """Lets the machine run without gdb."""
        self.send("D")
        self.receive()
        self.sock.close()
