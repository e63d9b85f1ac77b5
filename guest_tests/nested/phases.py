# SPDX-License-Identifier: GPL-2.0-or-later
"""What perf is asked to count, and around what: the table of phases."""
import itertools

COUNTERS = 31  # event counters of the machine's PMU


class Phase:
    """
    name: of the phase, also in the table of runs.
    modifiers: of the events, in the order in which they get counters.
    command: what perf runs. {n} is the number of rounds of one vCPU.
    options: more of perf's.
    beside: a command that runs on the same CPU meanwhile.
    flexible: (modifier, number): so many more events of one kind, which are too many, so that perf
        has them take turns on the counters that the others, which must be pinned, leave.
    part: divides the run's number of rounds.
    vcpus: of the guest.
    reasons: why the guest leaves, once in a round, as the meter calls it; each with the number of
        exits that a vCPU makes for that reason besides, at the end.
    inside: another reason, which the hypervisor handles alone.
    """

    def __init__(self, name, modifiers, command, **other):
        self.name = name
        self.modifiers = modifiers
        self.command = command
        self.options = other.pop("options", "")
        self.beside = other.pop("beside", None)
        self.flexible = other.pop("flexible", None)
        self.part = other.pop("part", 1)
        self.vcpus = other.pop("vcpus", 1)
        self.reasons = other.pop("reasons", {})
        self.inside = other.pop("inside", None)
        assert not other, other

    def rounds(self, count):
        return max(1, count // self.part)

    def events(self):
        names = ["instructions" + (":" + m if m else "") for m in self.modifiers]
        if self.flexible:
            names += ["instructions:" + self.flexible[0]] * self.flexible[1]
        return names

    def line(self, count):
        """What the console of the host under test is told."""
        command = self.command.format(n=self.rounds(count))
        return f"phase {self.name} {','.join(self.events())} '{self.options}' {command}"


def all_modifiers():
    """Those that perf can parse and tell apart: ukhGH is GH, which there is as well."""
    levels = ("", "u", "k", "h", "uk", "uh", "kh", "ukh")
    sides = ("", "G", "H", "GH")
    names = [level + side for level, side in itertools.product(levels, sides)]
    names.remove("ukhGH")
    assert len(names) <= COUNTERS
    return names


# Those that differ in what they count.
FEW = ["GH", "", "u", "k", "h", "uG", "kG", "G", "uH", "kH", "hH", "ukH", "H", "ukGH"]
PINNED = ["GHD", "ukHD", "hHD", "HD", "uGD", "kGD"]
# More than counters; the rest of the counters is always in use then.
TURNS = 40
# The guest's guest has its own perf, whose events are pinned: ours must come first.
BEFORE_PINNED = [m + "D" for m in FEW]
HVC = {"hvc64": 0}
# The store that says that the rounds are over is one more.
STORE = {"dabt-low": 1}
SPIN = "taskset 1 spin 1000000000"

PHASES = {phase.name: phase for phase in (
    Phase("entries", all_modifiers(), "kvmloop --exits hvc --count {n}", reasons=HVC),
    Phase("sysreg", FEW, "kvmloop --exits sysreg --count {n}", part=5, reasons={"sys64": 0}),
    Phase("mmio", FEW, "kvmloop --exits mmio --count {n}", part=5, reasons=STORE),
    Phase("fp", FEW, "kvmloop --exits fp --count {n}", part=5, reasons=STORE,
          inside="fp-asimd"),
    Phase("rotate-host", PINNED, "kvmloop --exits hvc --count {n}", flexible=("H", TURNS),
          reasons=HVC),
    Phase("rotate-guest", PINNED, "kvmloop --exits mmio --count {n}", part=5,
          flexible=("ukG", TURNS), reasons=STORE),
    Phase("switches", FEW, "kvmloop --exits hvc --cpu 0 --count {n}", part=5, beside=SPIN,
          reasons=HVC),
    Phase("two-vcpus", FEW, "kvmloop --exits hvc --cpu 0 --vcpus 2 --count {n}", part=10, vcpus=2,
          reasons=HVC),
    Phase("two-cpus", FEW, "kvmloop --exits mmio --vcpus 2 --count {n}", part=10, vcpus=2,
          reasons=STORE),
    Phase("system", FEW, "kvmloop --exits hvc --cpu 0 --count {n}", part=5, options="-a -C 0",
          reasons=HVC),
    Phase("linux", BEFORE_PINNED,
          "l2 host cpus=1 counters=31 tests=stat/loop-1000,stat/syscalls,stat/mix,stat/identity,"
          "identity/caps,identity/threshold"),
    # Under Linux 6.12's protected mode a guest's accesses to pointer authentication keys are
    # undefined, and so are its memory copy instructions, which newer C libraries use, though it is
    # shown that it has them; and its PMU counts nothing.
    Phase("linux-boot", BEFORE_PINNED,
          "l2 -p arm64.nomops host,pauth=off cpus=1 counters=31 tests=none"),
)}
