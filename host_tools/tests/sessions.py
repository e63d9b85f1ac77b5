# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sessions of categories, as Fuchsia's cpuperf has them: what their traces say, as an independent decoder
reads them, against programs whose instructions are known and against observers' own counts.
"""
import collections
import os
import pathlib
import re
import signal
import subprocess

from reporting import Fxt

NANOSECONDS = 1000000000
INSTRUCTIONS = "cpu:fixed:instructions_retired"
# Events of these categories, and the observers' names for them.
OBSERVED = {"instructions_retired": "inst_retired", "ld_retired": "ld_retired",
            "st_retired": "st_retired", "inst_retired": "inst_retired", "inst_spec": "inst_spec"}
# In steady.S: loads (of literals) before the first round; the position of the load and of the store in
# a round.
LOADS_BEFORE, LOAD_AT, STORE_AT = 3, 1, 3


def counters(data):
    """Returns (vCPU, event) -> [(time, arguments)]. Such a trace contains nothing else."""
    trace = Fxt(data)
    if trace.ticks != NANOSECONDS:
        raise ValueError(f"{trace.ticks} ticks a second")
    found = collections.defaultdict(list)
    for kind, category, name, process, thread, time, values, last in trace.events:
        if (kind, category, process, last) != (1, "cpu:perf", 1, thread):
            raise ValueError(f"{name} is {kind} of {category}, counter {last} of thread {thread}")
        if trace.names[2, thread] != f"vCPU {thread - 1}":
            raise ValueError(f"thread {thread} is {trace.names[2, thread]}")
        found[thread - 1, name].append((time, values))
    return found


def parts(points):
    """Returns the number of events in each interval: the rate times the time to the next one."""
    found = []
    for (since, values), (until, _) in zip(points, points[1:]):
        exact = values["rate"] * (until - since) / NANOSECONDS
        if until <= since or abs(exact - round(exact)) > 0.01:
            raise ValueError(f"{values} from {since} until {until} is {exact}")
        found.append(round(exact))
    if points[-1][1] != {"rate": 0}:
        raise ValueError(f"it ends with {points[-1]}")
    return found


def record(case, name, categories, *arguments, **more):
    return case.record(f"session.{name}", "-j", "--category", ",".join(categories), *arguments, **more)


def end(case, name, recorder, sign=signal.SIGINT, code=0):
    """Ends the recording. Returns the rows by vCPU and event, the counters, and the messages."""
    got, rows, err = recorder.end(sign)
    case.equal(f"session.{name}.code", code, got)
    return ({(row["cpu"], row["event"]): row for row in rows},
            counters(pathlib.Path(recorder.path).read_bytes()), err)


def intervals(points, period):
    """Returns the counts of the intervals. There is nothing after a period that ended with the
    recording."""
    counts = parts(points)
    return counts + [0] if counts[-1] == period else counts


def check_sums(case, name, rows, found, lost=False):
    """Each interval but the last is a period, and the sum of all is the count."""
    sums = {key: sum(parts(points)) for key, points in found.items()}
    case.equal(f"session.{name}.sum", {key: row["counter-value"] for key, row in rows.items()}, sums)
    if lost:
        return
    whole = {key: intervals(points, rows[key]["period"]) for key, points in found.items()}
    wrong = {key for key, counts in whole.items()
             if set(counts[:-1]) - {rows[key]["period"]} or
             not 0 <= counts[-1] < rows[key]["period"]}
    case.equal(f"session.{name}.periods", set(), wrong)
    case.equal(f"session.{name}.samples", {key: row["samples"] for key, row in rows.items()},
               {key: len(counts) - 1 for key, counts in whole.items()})


def check_steady(case, pcs, causes, total, period):
    """Each event is sampled on its own: every sample is at the right instruction."""
    name = f"steady.{period}"
    recorder = record(case, name, [INSTRUCTIONS, "cpu:arch:instructions", "cpu:pc",
                                   f"cpu:sample:{period}"], "--buffer-size", "64")
    case.machine.command("cont")
    rows, found, _ = end(case, name, recorder, None)
    check_sums(case, name, rows, found)
    case.equal(f"session.{name}.count", total, rows[0, "instructions_retired"]["counter-value"])
    for event in ("instructions_retired", "inst_retired", "inst_spec"):
        got = [values["pc"] for _, values in found[0, event][:-2]]
        case.equal(f"session.{name}.pc.{event}", True, got == pcs)
    for event, wanted in causes.items():
        case.equal(f"session.{name}.pc.{event}", wanted,
                   {values["pc"] for _, values in found[0, event][:-2]})
    samples = [values for points in found.values() for _, values in points[:-2]]
    case.equal(f"session.{name}.aspace", {4711}, {values["aspace"] for values in samples})
    case.equal(f"session.{name}.rest", {("rate",)},
               {tuple(values) for points in found.values() for _, values in points[-2:]})


def expected(prologue, rounds, total, period, first, at):
    """Returns the number of loads or stores after each period: some at the start, then one per
    round of ten."""
    after = [n - prologue for n in range(period, total + 1, period)]
    return [first + min(n // 10 + (n % 10 >= at), rounds) for n in after]


def check_timebase(case, pcs, prologue, rounds, total, period):
    """All events are read when the timebase's period ends. Only the timebase's samples have an
    address."""
    name = f"timebase.{period}"
    recorder = record(case, name, [f"cpu:timebase:{INSTRUCTIONS[4:]}", "cpu:arch:instructions",
                                   "cpu:pc", f"cpu:sample:{period}"], "--buffer-size", "64")
    case.machine.command("cont")
    rows, found, _ = end(case, name, recorder, None)
    case.equal(f"session.{name}.sum", {key: row["counter-value"] for key, row in rows.items()},
               {key: sum(parts(points)) for key, points in found.items()})
    base = found[0, "instructions_retired"]
    case.equal(f"session.{name}.pc", True, [values["pc"] for _, values in base[:-2]] == pcs)
    case.equal(f"session.{name}.base", {period}, set(parts(base)[:-1]))
    want = {"inst_retired": list(range(period, total + 1, period)),
            "ld_retired": expected(prologue, rounds, total, period, LOADS_BEFORE, LOAD_AT),
            "st_retired": expected(prologue, rounds, total, period, 0, STORE_AT)}
    want["inst_spec"] = want["inst_retired"]
    for event, values in want.items():
        got, so_far = [], 0
        for part in parts(found[0, event])[:-1]:
            so_far += part
            got.append(so_far)
        wrong = [(i, w, g) for i, (w, g) in enumerate(zip(values, got)) if w != g]
        case.equal(f"session.{name}.{event}", (len(values), []), (len(got), wrong[:3]))
        case.equal(f"session.{name}.{event}.times", [time for time, _ in base],
                   [time for time, _ in found[0, event]])
        case.equal(f"session.{name}.{event}.arguments", {("rate",)},
                   {tuple(values) for _, values in found[0, event]})


def check_tally(case, total):
    """0 at the beginning, the totals at the end."""
    recorder = record(case, "tally", [INSTRUCTIONS, "cpu:arch:exceptions", "cpu:tally"])
    case.machine.command("cont")
    rows, found, err = end(case, "tally", recorder, None)
    case.equal("session.tally.count", total, rows[0, "instructions_retired"]["counter-value"])
    times = {tuple(time for time, _ in points) for points in found.values()}
    case.equal("session.tally.times", [True], [begin < until for begin, until in times])
    case.equal("session.tally.values",
               {key: [{"count": 0}, {"count": row["counter-value"]}] for key, row in rows.items()},
               {key: [values for _, values in points] for key, points in found.items()})
    case.equal("session.tally.samples", True, bool(re.search(r" totals of \d events;", err)))


def check_totals(case):
    """Without -j, the totals are printed."""
    path = os.path.join(case.directory, "totals.fxt")
    process = subprocess.Popen([case.program, "record", "-o", path, "--duration", "1", "--category",
                                f"{INSTRUCTIONS},cpu:tally", case.socket], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    case.wait_state("active")
    case.machine.command("cont")
    out, err = process.communicate(timeout=600)
    case.machine.command("stop")
    case.equal("session.totals", (0, True, True),
               (process.returncode, bool(re.fullmatch(r" +[1-9][0-9,]*  instructions_retired\n", out)),
                "totals of 1 event;" in err))


def check_observed(case):
    """Several vCPUs, compared with observers."""
    for event in set(OBSERVED.values()):
        case.machine.command("vpmu-observe", event=event)
    categories = [INSTRUCTIONS, "cpu:arch:instructions"]
    for name, more in (("rates", "cpu:sample:5000"), ("os", "cpu:os,cpu:sample:5000"),
                       ("tallied", "cpu:tally"),
                       ("read", f"cpu:timebase:{INSTRUCTIONS[4:]},cpu:sample:5000")):
        before = case.observed()
        recorder = record(case, name, [*categories, more])
        case.go_on(1000 if name != "tallied" else 0)
        rows, found, _ = end(case, name, recorder)
        want = {(cpu, trace): value - before[cpu, event] for (cpu, event), value
                in case.observed().items() for trace in OBSERVED if OBSERVED[trace] == event}
        got = {key: points[-1][1]["count"] if name == "tallied" else sum(parts(points))
               for key, points in found.items()}
        case.equal(f"session.{name}.observed", want, got)
        case.equal(f"session.{name}.rows", want,
                   {key: row["counter-value"] for key, row in rows.items()})
        if name == "rates":
            check_sums(case, name, rows, found)
    for event in set(OBSERVED.values()):
        case.machine.command("vpmu-unobserve", name=event)


def check_user(case):
    """The program of the machine is a kernel, so cpu:user counts nothing."""
    recorder = record(case, "user", [INSTRUCTIONS, "cpu:user,cpu:tally"])
    case.go_on(0)
    _, found, _ = end(case, "user", recorder)
    case.equal("session.user", {0}, {points[-1][1]["count"] for points in found.values()})


def check_pipe(case):
    recorder = case.record("session.pipe", "--category", f"{INSTRUCTIONS},cpu:sample:5000", output="-")
    case.go_on(1000)
    info = case.info()
    case.equal("session.pipe.code", 0, recorder.end(signal.SIGINT)[0])
    case.equal("session.pipe", {c["cpu-index"]: c["count"] for c in info["counts"]},
               {cpu: sum(parts(points)) for (cpu, _), points in counters(recorder.out).items()})


def check_full(case):
    """A full buffer ends the recording with a message, and the sum contains the events without a
    sample."""
    recorder = record(case, "full", [INSTRUCTIONS, "cpu:sample:11"], "--buffer-size", "1")
    os.kill(recorder.pid, signal.SIGSTOP)
    case.machine.command("cont")
    case.wait_state("finishing", "finished")
    os.kill(recorder.pid, signal.SIGCONT)
    rows, found, err = end(case, "full", recorder, None)
    case.machine.command("stop")
    check_sums(case, "full", rows, found, lost=True)
    # A sample has 48 bytes.
    case.equal("session.full.samples", True, (1 << 20) // 48 in
               range(max(row["samples"] for row in rows.values()) + 1))
    case.equal("session.full.lost", True, any(row["lost"] for row in rows.values()))
    case.equal("session.full.said", True, "until a buffer was full" in err)


def check_duration(case):
    """--duration is in seconds."""
    recorder = record(case, "duration", [INSTRUCTIONS, "cpu:tally"], "--duration", "1")
    case.machine.command("cont")
    _, found, _ = end(case, "duration", recorder, None)
    case.machine.command("stop")
    for (cpu, _), ((begin, _), (until, _)) in found.items():
        case.equal(f"session.duration.{cpu}", True,
                   0.5 * NANOSECONDS < until - begin < 60 * NANOSECONDS)


def check_many(case, cpus, most):
    """--buffer-size applies to each vCPU; the default is smaller if there are many vCPUs."""
    def run(*arguments):
        done = subprocess.run([case.program, "record", "-o", os.path.join(case.directory, "many"),
                               "--category", f"{INSTRUCTIONS},cpu:tally", "--timeout", "10", *arguments,
                               case.socket], check=False, capture_output=True, text=True)
        return done.returncode, re.sub(r"\[.*", "", done.stderr).strip()
    case.equal(f"session.{cpus}.usual", (0, ""), run())
    case.equal(f"session.{cpus}.most", (0, ""), run("--buffer-size", str(most)))
    case.equal(f"session.{cpus}.more", (2, f"vpmu-stats: {cpus} vCPUs can have at most {most} MB of "
                                           "buffers each (1 GiB in total)"),
               run("--buffer-size", str(most + 1)))


def check_missing(case):
    """An event that this CPU does not have gives an error of one line, and no file."""
    path = os.path.join(case.directory, "missing")
    done = subprocess.run([case.program, "record", "-o", path, "--category",
                           "cpu:skl:stall_summary,cpu:tally", "--timeout", "10", case.socket],
                          check=False, capture_output=True, text=True)
    case.equal("session.missing", (2, 1, True, False),
               (done.returncode, done.stderr.count("\n"), "'stall_backend'" in done.stderr,
                os.path.exists(path)))
