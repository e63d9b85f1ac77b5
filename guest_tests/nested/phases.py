# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of phases: what perf counts, and around what."""
import itertools

COUNTERS = 31  # event counters of the machine's PMU


class Phase:
    """
    name: the name of the phase, also in the table of runs.
    modifiers: those of the events, in the order in which they get counters.
    command: what perf runs. {n} is the number of rounds of one vCPU.
    options: additional options of perf.
    beside: a command that runs on the same CPU meanwhile.
    flexible: (modifier, number): so many additional events of one kind, more than there are
        counters. They take turns on the counters that the others, which must be pinned, leave.
    part: divides the run's number of rounds.
    vcpus: the number of vCPUs of the guest.
    reasons: why the guest exits once in a round, by the meter's names. Each has the number of
        additional exits that a vCPU makes for that reason at the end.
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
        """Returns the line for the console of the host under test."""
        command = self.command.format(n=self.rounds(count))
        return f"phase {self.name} {','.join(self.events())} '{self.options}' {command}"


def all_modifiers():
    """
    Returns the modifiers that perf can parse and that differ. ukhGH is the same as GH, which is
    included.
    """
    levels = ("", "u", "k", "h", "uk", "uh", "kh", "ukh")
    sides = ("", "G", "H", "GH")
    names = [level + side for level, side in itertools.product(levels, sides)]
    names.remove("ukhGH")
    assert len(names) <= COUNTERS
    return names


# Those that differ in what they count.
FEW = ["GH", "", "u", "k", "h", "uG", "kG", "G", "uH", "kH", "hH", "ukH", "H", "ukGH"]
PINNED = ["GHD", "ukHD", "hHD", "HD", "uGD", "kGD"]
# More events than counters, so the other counters are always in use.
TURNS = 40
# The guest's guest has its own perf, whose events are pinned. Ours must come first.
BEFORE_PINNED = [m + "D" for m in FEW]
HVC = {"hvc64": 0}
# The store that says that the rounds are over is one more.
STORE = {"dabt-low": 1}
SPIN = "taskset 1 spin 1000000000"

PHASES = {phase.name: phase for phase in (
    Phase("entries", all_modifiers(), "kvmloop --exits hvc --count {n}", part=5, reasons=HVC),
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
          "l2 host cpus=1 counters=31 slots=none tests=stat/loop-1000,stat/syscalls,stat/mix,stat/identity,"
          "identity/caps,identity/threshold"),
    # Protected mode of Linux 6.12 makes a guest's accesses to pointer authentication keys
    # undefined, and also its memory copy instructions, which newer C libraries use because the
    # guest's ID registers announce them. Its PMU counts nothing.
    Phase("linux-boot", BEFORE_PINNED,
          "l2 -p arm64.nomops host,pauth=off cpus=1 counters=31 tests=none"),
)}
