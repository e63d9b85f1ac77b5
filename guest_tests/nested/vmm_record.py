# SPDX-License-Identifier: GPL-2.0-or-later
"""
vpmu-stats record of a KVM guest, on its host. Compares its output, and what perf reads from its
file, with what the machine around both has counted. A test is a function that yields names and
faults.
"""
import json
import re
import subprocess
import time

from machine import Trouble
from meter import Meter

SOCKET = "/tmp/record.qmp"
# Additional options of a VMM that is recorded.
OPTIONS = f"-qmp unix:{SOCKET},server=on,wait=off"
DATA = "/tmp/record.data"
# The number of samples that a guest must have before it is stopped.
SAMPLES = 30
# What is recorded on an arm64 host: arguments, and for each event the machine's name. A group has one
# period.
RECORDED = {
    "count": ("-c 10007", {"instructions": "instructions:G"}),
    "levels": ("-c 5003", {"instructions:k": "instructions:kG", "r08:u": "instructions:uG",
                           "branches:uk": "branches:G"}),
    "group": ("--group -c 4999", {"instructions:k": "instructions:kG", "br_retired": "branches:G"}),
    "frequency": ("-F 500", {"instructions": "instructions:G"}),
}
# What cannot be recorded, and a part of the one-line error. The exit status is that of a wrong
# option.
REFUSED = {
    "call-chains": ("-g", "cannot record call chains with KVM"),
    "threads": ("--kallsyms /proc/kallsyms --vmlinux /sys/kernel/btf/vmlinux",
                "runs with KVM, where the names of threads are not available"),
    "branches": ("-b", "cannot record branches with KVM"),
    "lossless": ("--lossless", "cannot record all samples with KVM"),
    "blackout": ("--blackout", "use vpmu-stats exits"),
    "guests": ("-e instructions:G", "modifiers are u and k"),
    "no-event": ("-e nosuch", "cannot record 'nosuch'"),
}


def expect_equal(expected, got):
    return None if expected == got else f"expected {expected} got {got}"


def run(host, command):
    """Returns status and lines of a command on the host."""
    host.send(f"{command}; echo STATUS $?")
    host.lines_until("; echo STATUS")
    lines = []
    while not re.match(r"STATUS \d", line := host.read_line("STATUS")):
        lines.append(line)
    return int(line.split()[1]), lines


class Recording:
    """The program while it runs on the host, in the background."""

    def __init__(self, host, vmm, arguments, names="--no-names"):
        self.host = host
        self.vmm = vmm
        # Most guests are no Linux.
        host.send(f"vpmu-stats record {names} -j -o {DATA} {arguments} {SOCKET}"
                  " >/tmp/out 2>/tmp/err & echo PID $!")
        self.pid = host.wait_line(r"^PID (\d+)")[1]
        while self.state() != "active":
            vmm.wait("the recording")
            time.sleep(0.05)

    def state(self):
        try:
            return self.vmm.command("query-vpmu-record")["state"]
        except Trouble:
            return None

    def wait_samples(self):
        while sum(c["samples"] for c in self.vmm.command("query-vpmu-record")["counts"]) < SAMPLES:
            self.vmm.wait("samples")
            time.sleep(0.05)

    def end(self, sign):
        """Returns status, rows, and errors."""
        status, lines = run(self.host, f"kill -{sign} {self.pid}; wait {self.pid}; echo ENDED $?;"
                            " cat /tmp/out /tmp/err")
        rows = [json.loads(line) for line in lines if line.startswith("{")]
        said = [line for line in lines if line.startswith(("vpmu-stats:", "[ "))]
        return next(int(line.split()[1]) for line in lines if line.startswith("ENDED")), rows, said


def samples_of(host):
    """Returns event, period, address and mode (K or U) of each sample from perf."""
    status, lines = run(host, f"perf script -i {DATA} -F misc,event,period,ip 2>&1")
    found = [re.match(r"\s*([KU])\s+(\d+)\s+(\S+?):\s+([0-9a-f]+)$", line) for line in lines]
    if status or None in found:
        raise Trouble(f"perf script: {status}: {lines[:3]}")
    return [(m[3], int(m[2]), int(m[4], 16), m[1]) for m in found]


def count_outside(host, names):
    answer = host.command("query-stats", target="vcpu", providers=[{"provider": "vpmu"}])
    return [sum(s["value"] for vcpu in answer for s in vcpu["stats"]
                if s["name"] == "observer/" + name) for name in names]


def record(host, vmm, arguments, events):
    """
    Records a guest that stands still before and after. Returns the machine's counts, and the
    program's.
    """
    outer = Meter(host)
    for event in events.values():
        outer.observe(event, event)
    recording = Recording(host, vmm, f"-e {','.join(events)} {arguments}")
    vmm.command("cont")
    recording.wait_samples()
    vmm.command("stop")
    ended = recording.end("INT")
    outer_counts = count_outside(host, events.values())
    for event in set(events.values()):
        host.command("vpmu-unobserve", name=event)
    return outer_counts, ended


def check_sum(name, row_of, samples, group):
    """Nothing is missing except what has happened since the last sample."""
    for event, row in row_of.items():
        weight = sum(period for sampled, period, *_ in samples if sampled == event)
        rest = row["counter-value"] - weight
        if row.get("period") and not group:
            yield f"{name}/sum/{event}", expect_equal(row["counter-value"] % row["period"], rest)
        elif not 0 <= rest < max(row["counter-value"], 1):
            yield f"{name}/sum/{event}", f"{row['counter-value']} counted, samples are of {weight}"
        else:
            yield f"{name}/sum/{event}", None


def code_of(elf, function):
    """Returns the addresses of a function."""
    lines = subprocess.run(["nm", "-n", elf], check=True, capture_output=True, text=True).stdout
    found = re.search(rf"^([0-9a-f]+) T {function}\n([0-9a-f]+)", lines, re.M)
    return range(int(found[1], 16), int(found[2], 16))


def test_recorded(host, vmm, code, recorded):
    """The guest counts in these addresses, by mode."""
    for name, (arguments, events) in recorded.items():
        counts, (status, rows, said) = record(host, vmm, arguments, events)
        row_of = {row["event"]: row for row in rows if row["cpu"] == 0}
        yield f"{name}/status", expect_equal((0, 1), (status, len(said)))
        if set(row_of) != set(events):
            yield f"{name}/rows", f"expected those of {list(events)} got {rows}"
            continue
        yield f"{name}/counts", expect_equal(counts, [row_of[event]["counter-value"]
                                                      for event in events])
        yield f"{name}/vcpus", expect_equal([0] * len(events), [row["counter-value"] for row in rows
                                                                if row["cpu"] == 1])
        samples = samples_of(host)
        yield f"{name}/lost", expect_equal((0, 0, 0), tuple(
            sum(row[key] for row in rows) for key in ("lost", "elsewhere", "throttled")))
        yield f"{name}/samples", expect_equal(
            sum(row["samples"] for row in rows) * (len(events) if "group" in arguments else 1),
            len(samples))
        yield f"{name}/enough", None if len(samples) >= SAMPLES else f"only {len(samples)} samples"
        yield from check_sum(name, row_of, samples, "group" in arguments)
        yield f"{name}/addresses", expect_equal([], [(hex(pc), mode) for *_, pc, mode in samples
                                                     if pc not in code[mode]][:3])
    status, lines = run(host, f"perf report -i {DATA} --stdio 2>&1 | grep -c '%.*swapper'")
    yield "report", expect_equal((0, True), (status, lines != ["0"]))


def test_killed(host, vmm):
    """The guest continues, and can be recorded again."""
    recording = Recording(host, vmm, "-c 10007")
    vmm.command("cont")
    recording.wait_samples()
    recording.end("KILL")
    while recording.state() != "finished":
        vmm.wait("the end of the recording")
        time.sleep(0.05)
    yield "killed/goes-on", expect_equal("running", vmm.command("query-status")["status"])
    vmm.command("stop")
    yield "killed/again", expect_equal(0, Recording(host, vmm, "-c 10007").end("INT")[0])


def test_refused(host, refused):
    for name, (arguments, text) in refused.items():
        yield f"refused/{name}", refusal(host, arguments, 2, text)


def refusal(host, arguments, want, text):
    """Returns what is wrong with its error message."""
    status, lines = run(host, f"vpmu-stats record -o /tmp/none --timeout 1000 {arguments} {SOCKET}"
                        " 2>&1")
    said = [line for line in lines if line.startswith("vpmu-stats:")]
    good = status == want and len(said) == 1 == len(lines) and text in said[0]
    return None if good else f"expected status {want} and '{text}' got {status} and {lines}"


def test_starved(host, vmm):
    """The guest has nearly all counters. A user who shares one is told so."""
    recording = Recording(host, vmm, "-e instructions,branches,r03 -c 10007")
    recording.wait_samples()
    status, rows, said = recording.end("INT")
    yield "starved/status", expect_equal((0, 2), (status, len(said)))
    told = [line for line in said if "of the time and was counted" in line]
    yield "starved/told", None if told else f"expected 'of the time and was counted' got {said}"
    less = [row["event"] for row in rows if row["running"] < row["enabled"]]
    yield "starved/share", None if less else f"expected less running than enabled got {rows}"
