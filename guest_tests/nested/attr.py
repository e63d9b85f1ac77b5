# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a perf event should count, according to its attributes, and what a host with guests makes of
that. The source is Linux: Documentation/arch/arm64/perf.rst, armv8pmu_set_event_filter() and
kvm_set_pmu_events().
"""


class Attr:
    """
    The attributes of one event, as words of perf stat -vv. The host's mode is vhe, nvhe, protected,
    or stopped: protected mode of newer kernels, whose hypervisor stops all counters around a guest.
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
        A VHE host's hypervisor is its kernel, and exclude_hv is ignored. Otherwise the hypervisor
        belongs to the host.
        """
        hypervisor = self.hypervisor and self.host and mode != "vhe"
        return "u" * self.user + "k" * self.kernel + "h" * hypervisor

    def sides(self, mode):
        """The hypervisor's switch, if it has one, starts counters of the guest alone."""
        if mode == "stopped":
            return "H" * self.host
        return "G" * (self.guest and (self.host or mode != "protected")) + "H" * self.host

    def observer(self, mode):
        """
        Returns the observer that counts the same, in perf's syntax; None if the event counts
        nothing.
        """
        levels, sides = self.levels(mode), self.sides(mode)
        return f"instructions:{levels}{sides}" if levels and sides else None

    def loses(self, mode):
        """
        Returns whether it misses what the hypervisor executes while the host's counters are
        stopped. An nVHE host stops those that do not count guests.
        """
        stopped = mode == "stopped" or mode == "nvhe" and not self.guest
        return stopped and self.host and self.hypervisor

    def leaks(self, mode):
        """
        Returns what it wrongly counts of guests, as an observer, or None. The hypervisor of
        protected mode does not switch counters at all.
        """
        levels = "u" * self.user + "k" * self.kernel
        leaks = mode == "protected" and self.host and not self.guest and levels
        return f"instructions:{levels}G" if leaks else None


def read_attrs(words):
    """
    Reads the Attrs of the events from the console's output: the word "begin", then the words of one
    event.
    """
    attrs = []
    for word in words:
        if word == "begin":
            attrs.append(set())
        else:
            attrs[-1].add(word)
    return [Attr(attr) for attr in attrs]
