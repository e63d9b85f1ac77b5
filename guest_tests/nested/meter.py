# SPDX-License-Identifier: GPL-2.0-or-later
"""The emulator's meter and observer counters, and what they have counted."""
import re

from machine import Trouble

# entry, exit, inside, aborted: windows in which the host's counters are stopped and the guest does
# not run. leak-host, leak-guest: executed by one and counted by the counters of the other.
BLACKOUTS = ("entry", "exit", "inside", "aborted")
LEAKS = ("leak-host", "leak-guest")


class Stats:
    """The answer of query-stats, for all vCPUs together."""

    def __init__(self, answer):
        self.vcpus = [{s["name"]: s["value"] for s in vcpu["stats"]} for vcpu in answer]
        if not self.vcpus:
            raise Trouble("query-stats knows no vCPU")

    def values(self, name):
        """A vCPU without windows of a kind reports only their number."""
        windows = re.split("-(?:instructions|cycles)", name)[0] + "-windows"
        if name not in self.vcpus[0] and windows not in self.vcpus[0]:
            raise Trouble(f"query-stats has no {name}")
        return [vcpu.get(name, 0) for vcpu in self.vcpus]

    def sum(self, name):
        return sum(self.values(name))

    def observed(self, name):
        return self.sum("observer/" + name)

    def windows(self, what):
        """
        Sums a statistic of a kind of window, or of "reason-" and a reason, which not every vCPU
        need have.
        """
        if what.startswith("reason-"):
            return sum(vcpu.get(what + "-windows", 0) for vcpu in self.vcpus)
        return self.sum(what + "-windows")

    def blackout(self, unit="instructions"):
        return sum(self.sum(f"{kind}-{unit}") for kind in BLACKOUTS)

    def spread(self, what):
        """
        Returns the number of windows, and their smallest, mean and largest number of instructions;
        or None.
        """
        seen = [vcpu for vcpu in self.vcpus if vcpu.get(what + "-windows", 0)]
        if not seen:
            return None
        windows = sum(vcpu[what + "-windows"] for vcpu in seen)
        total = sum(vcpu[what + "-instructions"] for vcpu in seen)
        return (windows, min(vcpu[what + "-instructions-min"] for vcpu in seen), total / windows,
                max(vcpu[what + "-instructions-max"] for vcpu in seen))

    def reasons(self):
        tail = "-windows"
        return sorted({name[:-len(tail)] for vcpu in self.vcpus for name in vcpu
                       if name.startswith("reason-") and name.endswith(tail)})


class Meter:
    """Switches meter and observers of a machine on and off."""

    def __init__(self, machine):
        self.machine = machine
        self.names = []

    def observe(self, name, event, counter=None):
        """With a counter it counts only while perf has that counter switched on."""
        more = {} if counter is None else {"while-counter": counter}
        self.machine.command("vpmu-observe", event=event, name=name, **more)
        self.names.append(name)

    def begin(self):
        self.machine.command("vpmu-meter", enable=True)

    def end(self):
        """Returns what was counted since begin(), and removes the observers."""
        answer = self.machine.command("query-stats", target="vcpu",
                                      providers=[{"provider": "vpmu"}])
        self.machine.command("vpmu-meter", enable=False)
        for name in self.names:
            self.machine.command("vpmu-unobserve", name=name)
        self.names = []
        return Stats(answer)
