# SPDX-License-Identifier: GPL-2.0-or-later
"""
Computes from the benchmark's raw numbers: medians, ratios, their noise, and the limits.

There are two clocks: QEMU's processor time, which decides, and elapsed time. On a computer without
other work they agree; on a busy one only the first is of use.

A ratio is computed in each round, against the mean of the two stock guests of that round. The
result is its median over the rounds. Of a boot's turns the fastest counts, because other work only
adds time, and some short turns are free of it. Both sides of a ratio have the same turns: the
fastest of many turns is faster than the fastest of few, and turns that are close together see the
same other work.

The noise of a ratio, relative to it, is the largest of three: twice the standard error of the
median; the same of the control, which is stock against stock; and how far the control is from 1 in
its worst round.
"""
import statistics

ROWS = (("boot", "boot to shell"), ("crc", "integer loop"), ("syscalls", "system calls"),
        ("chase", "pointer chase"), ("memory", "misses to memory"), ("sort", "sort"),
        ("calls", "calls"), ("lines", "two lines"), ("matrix", "matrix product"),
        ("forks", "processes"))
CLOCKS = {"cpu": "Processor time", "seconds": "Elapsed time"}
TITLES = {"control": "stock again", "idle": "idle", "instructions": "instructions",
          "six": "six events", "caches": "caches", "models": "models", "shared": "shared",
          "cycles": "cycles", "unused": "unused", "thresholds": "thresholds",
          "libinsn": "libinsn", "libcache": "libcache"}
# What people type, against the same PMU when it is idle. Limits for some rows, and for the others.
TYPED = {"stat": "perf stat", "stat-d": "stat -d", "stat-ddd": "stat -d -d -d",
         "record": "perf record", "rare": "-e cache-misses", "misses": "-e branch-misses", "fitting": "24 events",
         "many": "in turns", "user": "cycles:u", "pipeline": "cycles=model", "tage": "stat, tage",
         "spe": "perf mem"}
TYPED_LIMITS = (("stat", "idle", {"crc": 2}, 1.5), ("stat-ddd", "idle", {"chase": 3}, 4),
                ("record", "idle", {}, 1.5), ("stat-d", "idle", {}, 4),
                ("many", "fitting", {}, 1.3), ("tage", "idle", {"crc": 5}, None))
# Sampling from outside the guest, against the same PMU when it is idle.
OUTSIDE = {"sampled": "record, 1 kHz", "chains": "1 kHz, chains", "dwarf": "1 kHz, dwarf", "branches": "1 kHz, -b",
           "memory": "--mem", "fast": "100 kHz"}
OUTSIDE_LIMITS = (("sampled", "instructions", {}, 1.02), ("chains", "instructions", {}, 1.05),
                  ("dwarf", "sampled", {}, 1.3),
                  ("branches", "idle", {"calls": 2}, None))
# Cache, TLB and branch models at work, against cachegrind.
MODELS = {"idle": "idle", "instructions": "instructions", "models": "models"}
MODELS_LIMITS = {"crc": 0.8, "chase": 1, "memory": 1, "sort": 0.8, "calls": 0.8, "matrix": 1}
# Last branch records and memory samples of an x86-64 guest, against the same CPU without them.
SKYLAKE = {"lbr": "lbr=on", "lbr-record": "perf record -b", "mem": "perf mem"}
SKYLAKE_BASE = "skylake"
LBR_LIMITS = {"calls": 2}
# Instruction-based sampling of AMD's CPUs that nothing uses, against the same CPU without it.
GENOA = {"ibs": "+ibs"}
GENOA_BASE = "genoa"
# For variants that count: the variant, what it is compared with (None: stock), the limit as text
# and as numbers.
LIMITS = (("instructions", None, "at most 1.05", 0, 1.05),
          ("instructions", "libinsn", "below 1", 0, 1),
          ("six", None, "at most 1.35", 0, 1.35),
          ("libcache", "caches", "at least 5", 5, float("inf")))
# The time of an instruction while thresholds are evaluated.
THRESHOLD_NS = 15
# At most one of this many instructions of a program is an SVC.
MOST_SVCS = 10
# Nothing is counted before there is a shell.
NOT_BOOTED = ("instructions", "six", "caches", "models", "shared", "cycles", "unused", "thresholds",
              *TYPED, *OUTSIDE, "lbr-record", "mem")
# The prefix of the name of a variant that runs under another build.
OTHER = "other "
# These have fewer counters than events.
BY_TURNS = ("stat-d", "stat-ddd", "many")
# The resolution of `info jit` for generated code per guest instruction: one decimal of a ratio.
JIT_STEP = 0.4


class Numbers:
    """The raw numbers of a bench.json, by round."""

    def __init__(self, bench, clock):
        self.bench = bench
        self.clock = clock
        self.boots = {(b["round"], b["variant"]): b for b in bench["boots"]}
        self.rounds = sorted({b["round"] for b in bench["boots"]})

    def turns(self, number, variant, row):
        """
        Returns the measurements of one boot for a row, by turn. What happens once for each boot is
        in turn 0.
        """
        boot = self.boots.get((number, variant))
        if boot is None:
            return {}
        if row == "boot":
            told = variant.removeprefix(OTHER) not in NOT_BOOTED and boot["boot"]
            return {0: boot["boot"][self.clock]} if told else {}
        if row == "jit":
            return {0: boot["jit"]["host_bytes_per_instruction"]} if boot["jit"] else {}
        return {run["turn"]: run[self.clock] for run in boot["runs"].get(row, [])}

    def can_have(self, *variants):
        """Returns whether this guest has such variants."""
        table = self.bench.get("table")
        return not table or all(variant is None or variant in table for variant in variants)

    def median(self, variant, row):
        turns = (self.turns(number, variant, row) for number in self.rounds)
        found = [min(by_turn.values()) for by_turn in turns if by_turn]
        return statistics.median(found) if found else None

    def by_round(self, variant, against, row):
        """
        Returns a ratio for each round that has both sides. `against` of None is the stock QEMU.
        """
        ratios = []
        for number in self.rounds:
            sides = [self.turns(number, name, row)
                     for name in (variant, *((against,) if against else ("stock", "control")))]
            common = set.intersection(*(set(side) for side in sides))
            if common:
                over, *under = (min(side[turn] for turn in common) for side in sides)
                ratios.append(over / statistics.mean(under))
        return ratios

    def ratio(self, variant, row, against=None):
        """Returns a ratio and its noise, or None."""
        if variant == "control":
            against = "stock"
        ratios = self.by_round(variant, against, row)
        control = self.by_round("control", "stock", row)
        if not ratios:
            return None
        middle = statistics.median(ratios)
        noise = [error(ratios) / middle, error(control)] if control else [float("nan")]
        return middle, middle * max(noise + [abs(ratio - 1) for ratio in control])


def spread(values):
    """Returns the distance from their median within which half of the values lie."""
    middle = statistics.median(values)
    return statistics.median(abs(value - middle) for value in values)


def error(values):
    """
    Returns twice the standard error of the median for normally distributed values. Their spread is
    robust.
    """
    return 2 * 1.2533 * 1.4826 * spread(values) / len(values) ** 0.5


def cell(ratio):
    if ratio is None:
        return "-"
    digits = 2 if ratio[0] < 10 else 1
    return f"{ratio[0]:.{digits}f} ±{ratio[1]:.{digits}f}"


def table(numbers, titles, against):
    """Returns lines: the seconds of one variant, and the others' ratios to it."""
    rows = [["", f"{against or 'stock'}, s"] + list(titles.values())]
    for row, title in ROWS:
        median = numbers.median(against or "stock", row)
        rows.append([title, f"{median:.3f}" if median else "-"] +
                    [cell(numbers.ratio(name, row, against)) for name in titles])
    return aligned(rows)


def aligned(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0])] + [t.rjust(w) for t, w in zip(row[1:], widths[1:])])
            for row in rows]


def other_table(numbers):
    """Returns lines: the ratios to the same variants of another build."""
    names = [name for name in numbers.bench["table"] if OTHER + name in numbers.bench["table"]]
    titles = {name: (TITLES | TYPED)[name] for name in names}
    rows = [[""] + list(titles.values())]
    rows += [[title] + [cell(numbers.ratio(name, row, OTHER + name)) for name in names]
             for row, title in ROWS]
    return aligned(rows)


def judge(ratio, low, high):
    """Judges a ratio. `unclear` is beyond the limit, but by no more than the noise."""
    if ratio is None:
        return "not run"
    value, noise = ratio
    if low <= value <= high:
        return "within"
    # Without a control there is no noise: any comparison with nan is false.
    return "unclear" if low - noise <= value <= high + noise else "beyond"


def limits(numbers):
    """Returns (verdict, what, measured, limit) for each limit of the project."""
    found = []

    def add(what, ratio, limit, low, high):
        found.append((judge(ratio, low, high), what, cell(ratio), limit))

    def add_free(what, ratio):
        verdict = judge(ratio, 0, 1)
        found.append(("within" if verdict == "unclear" else verdict, what, cell(ratio),
                      "1, within the noise"))

    for row, title in ROWS:
        ratio = numbers.ratio("idle", row)
        if row == "syscalls" and numbers.can_have("six"):
            add(f"idle, {title}", ratio, "below 1", 0, 1)
        else:
            add_free(f"idle, {title}", ratio)
    found.append(jit_limit(numbers))
    for variant, against, limit, low, high in LIMITS:
        for row, title in ROWS[1:] if numbers.can_have(variant, against) else ():
            add(f"{variant}{' against ' + against if against else ''}, {title}",
                numbers.ratio(variant, row, against), limit, low, high)
    for variant, against, special, usual in TYPED_LIMITS:
        for row, title in ROWS[1:] if numbers.can_have(variant, against) else ():
            high = special.get(row, usual)
            if high is not None:
                add(f"{TYPED[variant]} against {TYPED.get(against, against)}, {title}",
                    numbers.ratio(variant, row, against), f"at most {high}", 0, high)
    for variant, against, special, usual in OUTSIDE_LIMITS:
        for row, title in ROWS[1:] if numbers.can_have(variant, against) else ():
            high = special.get(row, usual)
            if high is not None:
                add(f"{OUTSIDE[variant]} against {against}, {title}",
                    numbers.ratio(variant, row, against), f"at most {high}", 0, high)
    for row, title in ROWS if numbers.can_have("models", "cachegrind") else ():
        if row in MODELS_LIMITS:
            add(f"models against cachegrind, {title}", numbers.ratio("models", row, "cachegrind"),
                f"at most {MODELS_LIMITS[row]}", 0, MODELS_LIMITS[row])
    if numbers.can_have("models"):
        add("models against idle, two lines", numbers.ratio("models", "lines", "idle"), "at most 1.3",
            0, 1.3)
    for row, title in ROWS if numbers.can_have("lbr") else ():
        add_free(f"{SKYLAKE['lbr']} against without, {title}", numbers.ratio("lbr", row, SKYLAKE_BASE))
    for row, title in ROWS if numbers.can_have("lbr-record") else ():
        if row in LBR_LIMITS:
            add(f"{SKYLAKE['lbr-record']} against without, {title}",
                numbers.ratio("lbr-record", row, SKYLAKE_BASE), f"at most {LBR_LIMITS[row]}", 0,
                LBR_LIMITS[row])
    for row, title in ROWS if numbers.can_have("ibs") else ():
        add_free(f"{GENOA['ibs']} against without, {title}", numbers.ratio("ibs", row, GENOA_BASE))
    found += [threshold_limit(numbers)] if numbers.can_have("thresholds") else []
    found += user_limits(numbers) if numbers.can_have("user") else []
    found += [flush_limit(numbers.bench)] if numbers.can_have("many") else []
    return found


def user_limits(numbers):
    """
    Checks the samples of an event that counts in user mode. Each has an address of a program, or
    the address at which Linux enables interrupts after an SVC that was the event. That address must
    be the same in all runs, and few samples may have it, because few instructions of a program are
    SVCs.
    """
    found = []
    addresses = {count["address"] for boot in numbers.bench["boots"]
                 for row in boot["counts"].values() for count in row.values() if "address" in count}
    for row, title in ROWS[1:]:
        seen = [count for boot in numbers.bench["boots"] if boot["variant"] == "user"
                for count in boot["counts"].get(row, {}).values()]
        samples, user, same = (sum(count.get(name, 0) for count in seen)
                               for name in ("samples", "user", "same"))
        good = user + same == samples and same <= samples / MOST_SVCS and len(addresses) <= 1
        verdict = "not run" if not samples else "within" if good else "beyond"
        found.append((verdict, f"cycles:u, samples of the program, {title}",
                      f"{user} of {samples}", f"all; {same} after an SVC"))
    return found


def threshold_limit(numbers):
    """Checks the time of an instruction while thresholds are evaluated."""
    counts = [boot["counts"]["crc"]["0x08"]["count"] for boot in numbers.bench["boots"]
              if boot["variant"] == "instructions" and "crc" in boot["counts"]]
    seconds = numbers.median("thresholds", "crc")
    what, limit = "thresholds, an instruction of the integer loop", f"at most {THRESHOLD_NS} ns"
    if not (counts and seconds):
        return "not run", what, "-", limit
    ns = seconds * 1e9 / min(counts)
    return "within" if ns <= THRESHOLD_NS else "beyond", what, f"{ns:.1f} ns", limit


def flush_limit(bench):
    """Checks that 24 events in turns do not fill the buffer of generated code."""
    many = bench.get("minute", {}).get("many")
    what, limit = "in turns, flushes of the code buffer", "0 in a minute"
    if not many or many["error"] or bench["environment"]["quick"]:
        return "not run", what, "-", limit
    return "within" if many["flushes"] == 0 else "beyond", what, str(many["flushes"]), limit


def minute_lines(bench):
    """
    Returns a line for each kind of work: what was translated in a minute, or why it did not run.
    """
    lines = []
    for name, found in bench.get("minute", {}).items():
        if found["error"]:
            lines.append(f"{name}: {found['error']}")
            continue
        most = found["blocks"] * found["block_ms"] / 1000
        lines.append(f"{name:<10}{found['blocks']:>8} blocks{found['host_bytes'] / 2**20:>8.1f} MiB"
                     f"{found['flushes']:>4} flushes, at most {most:.2f} s of {found['cpu']:.1f} s "
                     "of processor time")
    return lines


def executed_lines(bench):
    """
    Returns how many instructions the guest executes for a process, and the ratio to an idle PMU.
    """
    lines = []
    idle = bench["executed"].get("idle", {"instructions": 0})["instructions"] or float("nan")
    for name, found in bench["executed"].items():
        if found["error"]:
            lines.append(f"{name}: {found['error']}")
            continue
        lines.append(f"{TITLES.get(name) or TYPED.get(name) or name:<14}{found['instructions']:>12,.0f}"
                     f"{found['instructions'] / idle:>8.2f}")
    return lines


def compared_lines(bench):
    """Returns the counts of each workload in a guest and by cachegrind, and their ratio."""
    lines = []
    for row, title in ROWS:
        for what, (ours, grind) in bench["compared"].get(row, {}).items():
            ratio = f"{ours / grind:.4f}" if grind else "-"
            lines.append(f"{title:<16}{what:<15}{ours:>13,}{grind:>13,}{ratio:>9}")
    return lines


def jit_limit(numbers):
    """Checks that the code generated for a guest with an idle PMU is as long as stock's."""
    ours, stock = (numbers.median(name, "jit") for name in ("idle", "stock"))
    what, limit = "idle, generated code per instruction", "as much as stock"
    if not (ours and stock):
        return "not run", what, "-", limit
    verdict = "within" if abs(ours - stock) <= JIT_STEP * 1.01 else "beyond"
    return verdict, what, f"{ours:.1f} to {stock:.1f} bytes", limit


def library_lines(bench):
    """Returns the nanoseconds of each library call."""
    lines = []
    for name, values in bench["library"].items():
        lines.append(f"{name:<52}{statistics.median(values):8.1f} ns ±{spread(values):.1f}")
    return lines


def never_counted(boot):
    """Returns the events that no workload produced, though each workload has instructions."""
    seen = [item for counts in boot["counts"].values() for item in counts.items()]
    return sorted({event for event, count in seen if count["count"] == 0 and event == "0x08"} |
                  {event for event, _ in seen} -
                  {event for event, count in seen if count["count"] > 0})


def trouble(bench):
    """Returns a line for each thing that failed or looks wrong."""
    lines = []
    results = {}
    for boot in bench["boots"]:
        where = f"{boot['variant']}, round {boot['round']}"
        if boot["error"]:
            lines.append(f"{where}: {boot['error']}")
        recorded = boot.get("recorded")
        if recorded and (recorded["lost"] or not recorded["samples"]):
            lines.append(f"{where}: {recorded['samples']} samples, {recorded['lost']} lost")
        for name, runs in boot["runs"].items():
            for run in runs:
                if results.setdefault(name, run["result"]) != run["result"]:
                    lines.append(f"{where}: {name} computed {run['result']}, not {results[name]}")
        for name, counts in boot["counts"].items():
            lines += [f"{where}: {name}: event {event} was counted {count['percent']} % of the time"
                      for event, count in counts.items()
                      if count["percent"] != 100 and
                      boot["variant"].removeprefix(OTHER) not in BY_TURNS]
        lines += [f"{where}: event {event} was never counted" for event in never_counted(boot)]
    for variant, events in bench["unsupported"].items():
        lines.append(f"{variant}: this QEMU does not count {', '.join(events)}")
    return lines


def with_columns(title, numbers, titles, against):
    """
    Returns a section for a table, without columns that were not measured. Without columns there is
    no section.
    """
    measured = {name: text for name, text in titles.items()
                if any(numbers.ratio(name, row, against) for row, _ in ROWS)}
    return [(title, table(numbers, measured, against))] if measured else []


def ratio_sections(bench, clock):
    """Returns the tables of ratios by one of the CLOCKS: pairs of title and lines."""
    numbers, title = Numbers(bench, clock), CLOCKS[clock]
    found = with_columns(f"{title} of the stock QEMU, and ratios to it; rounds: {len(numbers.rounds)}",
                         numbers, TITLES, None)
    found += with_columns(f"{title} of an idle PMU, and ratios to it while perf counts or samples",
                          numbers, TYPED, "idle")
    found += with_columns(f"{title} of an idle PMU, and ratios to it while vpmu-stats samples",
                          numbers, OUTSIDE, "idle")
    if numbers.can_have("cachegrind"):
        found += with_columns(f"{title} of cachegrind on this computer, and ratios of guests to it",
                              numbers, MODELS, "cachegrind")
    found += with_columns(f"{title} of a Skylake-Server, and ratios to it with branch records and perf mem",
                          numbers, SKYLAKE, SKYLAKE_BASE)
    found += with_columns(f"{title} of an EPYC-Genoa, and ratios to it with an unused IBS",
                          numbers, GENOA, GENOA_BASE)
    if any(variant.startswith(OTHER) for variant in bench["table"]):
        found.append((f"{title}, ratios to the other build", other_table(numbers)))
    return found


def sections(bench, clock):
    """Returns all results of a run as pairs of title and lines, and the verdicts of the limits."""
    found = [section for name in CLOCKS for section in ratio_sections(bench, name)]
    if bench["library"]:
        found.append(("Time of library calls", library_lines(bench)))
    if bench.get("minute"):
        found.append(("Code translated in a minute in which processes begin and end",
                      minute_lines(bench)))
    if bench.get("executed"):
        found.append(("Instructions that the guest executes for one process, and ratios to idle",
                      executed_lines(bench)))
    if bench.get("compared"):
        found.append(("Counts of user mode: of a guest, of cachegrind, and their ratio",
                      compared_lines(bench)))
    verdicts = limits(Numbers(bench, clock))
    lines = [f"{verdict:<9}{name:<46}{measured:>24}   {limit}"
             for verdict, name, measured, limit in verdicts]
    lines += [f"!! {line}" for line in trouble(bench)]
    if bench["environment"]["quick"]:
        lines.append("!! a quick run shows only that the benchmark runs; its numbers mean nothing")
    found.append((f"Limits, by {CLOCKS[clock].lower()}", lines))
    return found, [verdict for verdict, *_ in verdicts]


def incomplete(bench, jobs, rounds, turns):
    """
    Returns why a run is not complete, or None. A complete run has all JOBS and at least the usual
    ROUNDS and TURNS.
    """
    found = bench["environment"]
    missing = set(bench["table"]) - {boot["variant"] for boot in bench["boots"]}
    ran = {name for name, _ in found["jobs"]}
    parts = [part for name in ("minute", "executed") for part in bench.get(name, {}).values()]
    errors = [part["error"] for part in bench["boots"] + parts if part["error"]]
    reasons = ((found["quick"], "it was a quick run"),
               (found.get("qemu_other"), "it compared another build"),
               (missing, f"it left out {', '.join(sorted(missing))}"),
               (set(jobs) - ran, f"it left out {', '.join(sorted(set(jobs) - ran))}"),
               (found["turns"] < turns, f"it had {found['turns']} turns, not {turns}"),
               (len({boot["round"] for boot in bench["boots"]}) < rounds,
                f"it had fewer than {rounds} rounds"),
               (not (found.get("x86") or found.get("chains")) and not bench["library"], "it did not time the library"),
               (errors, errors and errors[0]))
    return next((reason for wrong, reason in reasons if wrong), None)


def show(bench, clock):
    """Prints all results, with limits by one of the CLOCKS. Returns the verdicts."""
    found, verdicts = sections(bench, clock)
    for title, lines in found:
        print(f"\n{title}\n")
        print("\n".join(lines))
    return verdicts
