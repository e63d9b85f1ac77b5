# SPDX-License-Identifier: GPL-2.0-or-later
"""
A machine with a KVM host, and our QEMU as a VMM on it. The monitor of the inner QEMU and
the console of its guest are ports of a virtio console of the outer machine, so tests use them
directly.
"""
import os
import socket
import time

from machine import ANSWER, Guest, Machine, Trouble, quick_boot

COUNTERS = 31  # event counters of the host, and of a guest by default
MODES = {"vhe": "", "nvhe": "kvm-arm.mode=nvhe", "protected": "kvm-arm.mode=protected"}
# Time passes by instructions, so code that reads counters always takes the same time.
ICOUNT = ["-icount", "shift=0"]
# A CPU with issue slots, which PMMIR_EL1 shows.
WIDTH = 4
SLOTS = f"pmu-cycles=model,pmu-width={WIDTH}"
# Two VMMs at a time, as a migration needs. Each has a port for its monitor and one for the console.
# The last port is for files.
PORTS = [(slot, port) for slot in ("a", "b") for port in ("monitor", "console")] + [("file", "file")]
VMM = "qemu-system-aarch64 -M virt,gic-version=3 -m 32M -nodefaults -display none"
# How long a guest counts before and after something is done to it, in seconds.
WHILE = 0.3
# A host without a PMU.
NO_PMU = "no-pmu"


class AnyHost(Machine):
    """
    The machine with the KVM host. vmm is the command of a VMM, without its guest, and guest() its
    guest's options.
    """

    def __init__(self, command, directory, patience, name):
        self.directory = directory
        self.label = name
        command += ["-device", "virtio-serial"]
        for number, (slot, port) in enumerate(PORTS, 1):
            command += ["-chardev", f"socket,id=c{number},path={self.port(slot, port)},server=on,"
                        "wait=off", "-device", f"virtserialport,chardev=c{number},nr={number}"]
        super().__init__(command, directory, name, patience)

    def port(self, slot, port):
        return os.path.join(self.directory, f"{self.label}-{slot}-{port}")

    def wait_ports(self, slot, connected):
        """
        Waits until QEMU has accepted the connections to the ports of a slot, or noticed their end. connect()
        returns before that, and what the host writes to a port without a connection is lost.
        """
        labels = {f"c{number}" for number, (its, _) in enumerate(PORTS, 1) if its == slot}
        while any(port["label"] in labels and connected == port["filename"].startswith("disconnected")
                  for port in self.command("query-chardev")):
            self.wait(f"the ports of {slot}")
            time.sleep(0.05)

    def get_file(self, path):
        """Returns the content of a file of the host."""
        self.wait_ports("file", False)
        with self.open_socket(self.port("file", "file")) as sock:
            self.wait_ports("file", True)
            self.send(f"echo SIZE $(busybox wc -c <{path});"
                      f" cat {path} >/dev/vport0p{len(PORTS)}")
            return receive(sock, int(self.wait_line(r"^SIZE (\d+)")[1]))

    def put_file(self, path, content):
        self.wait_ports("file", False)
        with self.open_socket(self.port("file", "file")) as sock:
            self.wait_ports("file", True)
            self.send(f"busybox head -c {len(content)} </dev/vport0p{len(PORTS)} >{path}; echo GOT $?")
            sock.sendall(content)
            self.wait_line(r"^GOT 0")


class Host(AnyHost):
    """
    A host for arm64. RUN is its mode, with -icount for time that passes by instructions, or with
    -slots for a CPU that has issue slots; or it is NO_PMU.
    """

    vmm = VMM

    def __init__(self, qemu, build, run, directory, patience, name="host"):
        self.build = build
        self.name_of_run = run
        self.mode, _, kind = ("vhe", None, None) if run == NO_PMU else run.partition("-")
        icount = kind == "icount"
        self.has_slots = kind == "slots"
        pmu = "pmu=off" if run == NO_PMU else f"num-pmu-counters={COUNTERS}"
        if self.has_slots:
            pmu += "," + SLOTS
        command = [qemu, "-M", "virt,virtualization=on,gic-version=3", "-smp",
                   "1" if icount else "2", *(ICOUNT if icount else []), "-cpu", f"max,{pmu}",
                   "-m", "2G", "-nographic", "-nodefaults", "-no-reboot", "-kernel",
                   os.path.join(build, "vmlinuz"), "-initrd",
                   os.path.join(build, "initramfs.cpio"), "-append", "console=ttyAMA0 panic=-1 "
                   f"loglevel=4 {quick_boot()} rdinit=/init {MODES[self.mode]} -- console"]
        super().__init__(command, directory, patience, name)

    def booted(self):
        """Waits until the host takes commands. Learns whether its kernel has STRICT."""
        self.wait_line("^READY")
        self.send("cat /proc/sys/kernel/osrelease")
        found = self.wait_line(r"^(\d+)\.(\d+)\.\d+")
        self.has_strict = (int(found[1]), int(found[2])) >= (7, 3)
        # PMMIR_EL1.SLOTS of a guest by default.
        self.slots = WIDTH if self.has_slots and self.has_strict else 0
        return self

    @staticmethod
    def guest(arguments):
        return f"-kernel /vpmu/vmm-guest -append '{arguments}'"


def receive(sock, size):
    """Returns that many bytes."""
    content = b""
    while len(content) < size:
        part = sock.recv(size - len(content))
        if not part:
            raise Trouble(f"expected {size} bytes got {len(content)}")
        content += part
    return content


class Vmm(Guest):
    """A QEMU with KVM in the machine, and its guest."""

    def __init__(self, host, slot, cpu="host", arguments="", options="", accel="kvm"):
        super().__init__(slot, host.patience, host.port(slot, "monitor"))
        self.host = host
        host.wait_ports(slot, False)
        # A port without a peer reads as ended, so there must be a peer before the VMM opens it.
        self.sockets = [self.open_socket(host.port(slot, port)) for port in ("monitor", "console")]
        for sock, seconds in zip(self.sockets, (ANSWER, None)):
            sock.settimeout(seconds)
        self.monitor = self.sockets[0].makefile("rw")
        self.attach_console(self.sockets[1].makefile("rb"), self.sockets[1].makefile("wb"))
        host.wait_ports(slot, True)
        monitor, console = (1 + PORTS.index((slot, port)) for port in ("monitor", "console"))
        host.send(f"({host.vmm} -accel '{accel}' -cpu '{cpu}' -action shutdown=pause {options}"
                  f" -chardev pipe,id=m,path=/dev/vport0p{monitor} -mon m,mode=control"
                  f" -chardev pipe,id=c,path=/dev/vport0p{console} -serial chardev:c"
                  f" {host.guest(arguments)} </dev/null;"
                  f" echo ENDED {slot} $?) &")
        self.greet()

    def counting(self):
        """Waits until the guest counts, and a while longer."""
        self.wait_line("^READY")
        time.sleep(WHILE)
        return self

    def wait_running(self):
        while self.command("query-status")["status"] != "running":
            self.wait("running")
            time.sleep(0.02)

    def verdict(self, name):
        """Returns what is wrong with the guest's own test of this name."""
        lines = self.lines_until("^END")
        if f"PASS {name}" in lines:
            return None
        failed = (line for line in lines if line.startswith(f"FAIL {name}: "))
        return next(failed, f"expected PASS {name} got {lines}").removeprefix(f"FAIL {name}: ")

    def statistics(self, provider, *names):
        """Returns statistics of the vCPU by name; all if none is named."""
        request = {"provider": provider, **({"names": list(names)} if names else {})}
        found = self.command("query-stats", target="vcpu", providers=[request])
        return {one["name"]: one["value"] for vcpu in found for one in vcpu["stats"]}

    def ended(self):
        lines = self.host.lines_until(f"^ENDED {self.name}")
        return "QEMU ended: " + " ".join(lines[-3:])

    def lines_of_end(self):
        """Returns the output of the host's console until a VMM that fails has ended."""
        said = self.host.lines_until(f"^ENDED {self.name} [^0]")
        for sock in self.sockets:
            sock.shutdown(socket.SHUT_RDWR)
        return said

    def quit(self):
        """
        Ends the VMM, which frees the ports. Returns the output of the host's console until then.
        """
        self.command("quit")
        said = self.host.lines_until(f"^ENDED {self.name} 0")
        for sock in self.sockets:
            sock.shutdown(socket.SHUT_RDWR)
        return said


def refusal(host, accel, cpu, options):
    """Returns the exit status and the output of a VMM that will not run."""
    host.send(f"busybox timeout {ANSWER} {VMM} {options} -accel '{accel}' -cpu '{cpu}' </dev/null;"
              " echo STATUS $?")
    said = []
    while not (line := host.read_line("^STATUS")).startswith("STATUS"):
        said += [line] if line.startswith("qemu-system-aarch64: ") else []
    return int(line.split()[1]), said


def expect_equal(expected, got):
    return None if expected == got else f"expected {expected} got {got}"


def expect_more(than, got):
    return None if got > than else f"expected more than {than} got {got}"
