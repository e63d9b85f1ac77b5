# SPDX-License-Identifier: GPL-2.0-or-later
"""
Explains what perf has counted in a phase, to the event:

    perf = observed - blackout + leak

The observer of an event counts the same in the emulator while perf has the event's counter switched
on, however the host's hypervisor switches it. The blackout is what the meter saw in windows. The
leak is what another observer saw of guests that should not be counted but are.
"""
import re

from attr import read_attrs
from machine import Trouble
from meter import BLACKOUTS, LEAKS
from phases import COUNTERS

# Observers of guests as a whole, which are compared with the known code of the guest.
GUEST_USER, GUEST_KERNEL, GUEST = "guest-user", "guest-kernel", "guest"
UNGATED = ((GUEST_USER, "instructions:uG"), (GUEST_KERNEL, "instructions:kG"),
           (GUEST, "instructions:ukG"))


class Row:
    """One event in the output of perf stat -x,"""

    def __init__(self, text):
        fields = text.split(",")
        if len(fields) < 5:
            raise Trouble(f"perf stat said: {text}")
        self.event = fields[2]
        self.value = int(fields[0]) if fields[0].isdigit() else None
        self.percent = float(fields[4]) if self.value is not None else 0.0


def equal(expected, got, why=""):
    """Returns the fault, or None."""
    if got == expected:
        return None
    return f"expected {expected}{why} got {got}" + (f" (off by {got - expected:+})"
                                                   if got is not None else "")


class Trial:
    """
    A phase on a machine: what perf asked for, what it printed, what the meter saw.

    before: the console's output before perf began. Then call begin(), and finish() with the output
    until perf had ended.
    """

    def __init__(self, phase, mode, before):
        self.phase = phase
        self.mode = mode
        self.attrs = read_attrs(self.said(before, "ATTR"))
        if len(self.attrs) != len(phase.events()):
            raise Trouble(f"{phase.name}: perf asked for {len(self.attrs)} events")
        self.rows = None
        self.known = {}
        self.inner = []
        self.stats = None

    def said(self, lines, word):
        start = f"{word} {self.phase.name} "
        return [line[len(start):] for line in lines if line.startswith(start)]

    def gate(self, number):
        """
        Returns the counter that shows when perf has event number NUMBER switched on. An nVHE host's
        hypervisor, not perf, switches on counters of guests alone. But all events that do not take
        turns are switched on and off together, and nothing else switches those that count both
        sides.
        """
        if self.attrs[number].host:
            return number
        return next((i for i, attr in enumerate(self.attrs) if attr.both()), None)

    def own(self):
        """Returns the numbers of the events that have a counter to themselves."""
        return range(len(self.phase.modifiers))

    def shared(self):
        """Returns the counters on which the others take turns."""
        return range(len(self.phase.modifiers), COUNTERS if self.phase.flexible else 0)

    def observe(self, meter, name, number, gate):
        """Observes what an event counts, and what leaks into it."""
        attr = self.attrs[number]
        for what, event in (("", attr.observer(self.mode)), ("leak-", attr.leaks(self.mode))):
            if event:
                meter.observe(what + name, event, gate)

    def begin(self, meter):
        for i in self.own():
            self.observe(meter, f"own-{i}", i, self.gate(i))
        for i in self.shared():
            self.observe(meter, f"shared-{i}", -1, i if self.attrs[-1].host else self.gate(-1))
        for name, event in UNGATED:
            meter.observe(name, event)
        meter.begin()

    def finish(self, stats, lines):
        trouble = self.said(lines, "TROUBLE")
        if trouble:
            raise Trouble(f"{self.phase.name}: {trouble[0]}")
        self.stats = stats
        self.rows = [Row(text) for text in self.said(lines, "PERF")]
        if len(self.rows) != len(self.attrs):
            raise Trouble(f"{self.phase.name}: perf printed {len(self.rows)} events")
        known = next((line for line in lines if line.startswith("KNOWN ")), "")
        self.known = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", known)}
        self.inner = [line for line in lines if re.match(r"(PASS|FAIL|SKIP|END) ", line)]

    def lost(self, number):
        return self.stats.blackout() if self.attrs[number].loses(self.mode) else 0

    def leaked(self, number, name):
        return self.stats.observed("leak-" + name) if self.attrs[number].leaks(self.mode) else 0

    def expected(self, number, names):
        """Returns the expected sum of an event's counts on counters, and its parts as text."""
        known = self.attrs[number].observer(self.mode)
        observed = sum(self.stats.observed(name) for name in names) if known else 0
        lost = self.lost(number) * len(names)
        leaked = sum(self.leaked(number, name) for name in names)
        return (observed - lost + leaked,
                f" ({observed} observed - {lost} of blackout + {leaked} of leak)")

    # The checks. Each yields name and fault.

    def check_events(self):
        """Checks the events that have a counter all the time."""
        for i in self.own():
            row = self.rows[i]
            expected, why = self.expected(i, [f"own-{i}"])
            fault = equal(expected, row.value, why)
            if not fault and row.percent != 100:
                fault = f"expected 100 % of the time on the PMU got {row.percent}"
            yield row.event.partition(":")[2] or "none", fault

    def check_turns(self):
        """
        Checks the events that take turns, which are all of one kind. Nobody outside knows which of
        them has a counter at a time. But all counters are in use, so together the events count what
        the counters do.
        """
        if not self.phase.flexible:
            return
        turns = self.rows[len(self.phase.modifiers):]
        expected, why = self.expected(-1, [f"shared-{i}" for i in self.shared()])
        yield "turns/sum", equal(expected, sum(row.value or 0 for row in turns), why)
        idle = [row for row in turns if not 0 < row.percent < 100]
        yield "turns/all", f"expected turns got {len(idle)} events without" if idle else None

    def check_known(self):
        """Checks that the guest's code has as many instructions as are known."""
        if self.known:
            yield "known/user", equal(self.known["user"], self.stats.observed(GUEST_USER))
            yield "known/kernel", equal(self.known["kernel"], self.stats.observed(GUEST_KERNEL))

    def check_windows(self):
        """
        Checks that a host whose counters are stopped has windows at each entry and exit, and that
        others have none.
        """
        windows = {kind: self.stats.windows(kind) for kind in BLACKOUTS}
        if self.mode not in ("nvhe", "stopped"):
            yield "windows", equal(0, sum(windows.values()))
            yield "blackout", equal(0, self.stats.blackout())
            return
        yield "windows/pairs", equal(windows["entry"], windows["exit"])
        rounds = self.known["rounds"] if self.known else 1
        least = {"entry": (windows["entry"], rounds)}
        if self.phase.inside:
            # When an interrupt is pending, KVM exits instead of entering the guest again. The guest
            # may then have to exit for the same reason once more.
            least["inside"] = windows["inside"], rounds - rounds // 10
            least[self.phase.inside] = self.stats.windows("reason-" + self.phase.inside), rounds
        for name, (got, number) in least.items():
            fault = f"expected at least {number} got {got}" if got < number else None
            yield "windows/" + name, fault
        for reason, more in self.phase.reasons.items():
            expected = rounds + more * self.phase.vcpus
            yield "windows/" + reason, equal(expected, self.stats.windows("reason-" + reason))

    def check_leaks(self):
        """
        Checks that the switch leaks nothing. Protected mode has no switch, so all of the guest
        leaks.
        """
        for kind in LEAKS:
            yield kind, equal(0, self.stats.sum(kind + "-instructions"))
        if self.mode == "protected":
            most = max(self.leaked(i, f"own-{i}") for i in self.own())
            yield "leak", equal(self.stats.observed(GUEST), most) if most else "expected a leak"

    def check_inner(self):
        """Checks the guest's own suite, which has a perf of its own."""
        if self.known:
            return
        results = re.findall(r"^(PASS|FAIL) ([^ :\n]+):? ?(.*)$", "\n".join(self.inner), re.M)
        for verdict, name, reason in results:
            yield "inner/" + name, reason if verdict == "FAIL" else None
        ends = [line for line in self.inner if line.startswith("END ")]
        passed = sum(verdict == "PASS" for verdict, _, _ in results)
        expected = f"END passed={passed} failed={len(results) - passed} skipped=0"
        yield "inner/end", None if ends == [expected] else f"expected {expected} got {ends}"

    def judge(self, report):
        for check in (self.check_events, self.check_turns, self.check_known, self.check_windows,
                      self.check_leaks, self.check_inner):
            for name, fault in check():
                report.add(f"{self.phase.name}/{name}", fault)
