# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine with a KVM host that is recorded from outside."""
import os

from machine import Machine, quick_boot
from stats import Stats

# How long is recorded, in milliseconds.
TIME = 2000


class Host(Machine):
    """
    The machine with the KVM host, and vpmu-stats beside it. PARAMETER is one more of the host's
    kernel.
    """

    def __init__(self, qemu, build, stats, directory, patience, parameter=""):
        self.stats = Stats(stats, os.path.join(directory, "qmp"), TIME)
        self.data = os.path.join(directory, "data")
        command = [qemu, "-M", "virt,virtualization=on,gic-version=3", "-cpu", "max", "-m", "2G",
                   "-nographic", "-nodefaults", "-no-reboot", "-kernel",
                   os.path.join(build, "vmlinuz"), "-initrd", os.path.join(build, "initramfs.cpio"),
                   "-append", f"console=ttyAMA0 panic=-1 loglevel=4 {quick_boot()} rdinit=/init "
                   f"{parameter} -- console", "-qmp", f"unix:{self.stats.socket},server=on,wait=off"]
        super().__init__(command, directory, "host", patience)

    def record(self, event, period, *options):
        """Returns the samples of a recording."""
        self.stats.measure("record", "-e", event, "-c", str(period), "-o", self.data, *options)
        self.wait("the guest's program")
        return self.stats.run("script", "-i", self.data, "-F", "ip,sym,cgroup,comm,pid,tid")
