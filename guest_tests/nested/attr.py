# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a perf event is to count, by the attributes that perf gave it, and what becomes of that on a
host with guests. The source is Linux: Documentation/arch/arm64/perf.rst,
armv8pmu_set_event_filter() and kvm_set_pmu_events().
"""


class Attr:
    """
    Attributes of one event, as words of perf stat -vv. The host's mode is vhe, nvhe, protected, or
    stopped: protected mode as newer kernels have it, whose hypervisor stops all counters around a guest.
    """

    def __init__(self, words):
        self.user = "exclude_user" not in words
        self.kernel = "exclude_kernel" not in words
        self.hypervisor = "exclude_hv" not in words
        self.host = "exclude_host" not in words
        self.guest = "exclude_guest" not in words

    def both(self):
        return self.host and self.guest

    def levels(self, mode):
        """
        A VHE host's hypervisor is its kernel, and exclude_hv is ignored; otherwise the hypervisor
        belongs to the host.
        """
        hypervisor = self.hypervisor and self.host and mode != "vhe"
        return "u" * self.user + "k" * self.kernel + "h" * hypervisor

    def sides(self, mode):
        """Counters of the guest alone are started by the hypervisor's switch, if it has one."""
        if mode == "stopped":
            return "H" * self.host
        return "G" * (self.guest and (self.host or mode != "protected")) + "H" * self.host

    def observer(self, mode):
        """The observer that counts the same, in perf's syntax; None if the event counts nothing."""
        levels, sides = self.levels(mode), self.sides(mode)
        return f"instructions:{levels}{sides}" if levels and sides else None

    def loses(self, mode):
        """
        Does it miss what the hypervisor executes while the host's counters are stopped? An nVHE host
        stops those that do not count guests.
        """
        stopped = mode == "stopped" or mode == "nvhe" and not self.guest
        return stopped and self.host and self.hypervisor

    def leaks(self, mode):
        """
        What it counts of guests though it should not, as an observer; or None. The hypervisor of
        protected mode does not switch counters at all.
        """
        levels = "u" * self.user + "k" * self.kernel
        leaks = mode == "protected" and self.host and not self.guest and levels
        return f"instructions:{levels}G" if leaks else None


def read_attrs(words):
    """Attrs of the events from what the console said: one word "begin", then those of one event."""
    attrs = []
    for word in words:
        if word == "begin":
            attrs.append(set())
        else:
            attrs[-1].add(word)
    return [Attr(attr) for attr in attrs]
