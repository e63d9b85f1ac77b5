# SPDX-License-Identifier: GPL-2.0-or-later
"""A machine, vpmu-stats record that samples it, and what perf reads from the file."""
import collections
import glob
import json
import os
import re
import subprocess
import time

from machine import Machine, Trouble
from patience import Patience

SECONDS = 120


def symbol(elf, name):
    lines = subprocess.run(["nm", elf], check=True, capture_output=True, text=True).stdout
    return int(re.search(rf"^([0-9a-f]+) \S {name}$", lines, re.M)[1], 16)


def perfs():
    """
    Command lines by name, of the perf that is installed and, in VPMU_OTHER_PERF, the other Debian's: of 12
    and 13, whichever this is.
    """
    root = os.environ.get("VPMU_OTHER_PERF")
    if not root:
        return {"installed": ["perf"]}
    library, = glob.glob(f"{root}/usr/lib/*-linux-gnu")
    loader, = glob.glob(f"{library}/ld-linux-*.so.*")
    return {"installed": ["perf"],
            "other": [loader, "--library-path", library, f"{root}/usr/bin/perf"]}


def perf(*arguments, command=("perf",), **more):
    """Returns the output of perf. An error message of perf is a failure."""
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False, **more)
    if done.returncode or "corrupt" in done.stderr.lower():
        raise Trouble(f"perf {arguments[0]}: {done.returncode}: {done.stderr}")
    return done.stdout


Sample = collections.namedtuple("Sample", "tid cpu time weight event pc")
LINE = re.compile(r"^\s*(-?\d+)\s+\[(\d+)\]\s+([\d.]+):\s+(\d+)\s+(\S.*?):\s+([0-9a-f]+)")


def parse(text):
    found = [LINE.match(line) for line in text.splitlines() if line.strip()]
    if None in found:
        raise Trouble(f"perf script prints something else: {text.splitlines()[found.index(None)]}")
    return [Sample(int(m[1]), int(m[2]), float(m[3]), int(m[4]), m[5], int(m[6], 16)) for m in found]


FIELDS = ["-F", "tid,cpu,time,period,event,ip", "--ns"]


def samples_of(path):
    return parse(perf("script", "-i", path, "--hide-call-graph", *FIELDS))


class Recorder:
    """The running program."""

    def __init__(self, program, directory, name, socket, *arguments, output=None, env=None):
        self.path = os.path.join(directory, f"{name}.data")
        self.process = subprocess.Popen(
            [program, "record", "-o", output or self.path, *arguments, socket],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
        self.pid = self.process.pid

    def end(self, sign=None):
        """Ends the program. Returns the exit code, the rows of counts and the errors."""
        if sign:
            self.process.send_signal(sign)
        out, err = self.process.communicate(timeout=600)
        self.out = out
        rows = [json.loads(line) for line in out.splitlines()] if out.startswith(b"{") else []
        return self.process.returncode, rows, err.decode()


def arm(kernel):
    """The command of an Arm machine."""
    return [os.environ.get("QEMU", "build/qemu/qemu-system-aarch64"), "-cpu", "max", "-nographic",
            "-nodefaults", "-kernel", kernel]


def x86(image, rom):
    """The command of an x86-64 machine, whose firmware starts an image that is in memory already."""
    return [os.environ.get("QEMU_X86", "build/qemu-x86/qemu-system-x86_64"), "-cpu", "max", "-nographic",
            "-nodefaults", "-bios", rom, "-device", f"loader,file={image}"]


class Case:
    """A machine that is stopped at first, and a monitor for the program."""
    prefix = "tools.record"

    def __init__(self, report, program, directory, kernel, *more, command=None):
        self.report = report
        self.program = program
        self.directory = directory
        self.socket = os.path.join(directory, "tools.qmp")
        self.machine = Machine(
            [*(command or arm(kernel)), "-S", "-name", "tested",
             "-qmp", f"unix:{self.socket},server=on,wait=off", *more],
            directory, "machine", Patience(SECONDS))
        # Once one monitor answers, so does the other.
        self.machine.command("query-status")

    def equal(self, name, expected, got):
        self.report.add(f"{self.prefix}.{name}",
                        None if expected == got else f"expected {expected!r} got {got!r}")

    def info(self):
        return self.machine.command("query-vpmu-record")

    def look(self):
        """Returns the state of the recording; no state before the first one."""
        try:
            return self.info()
        except Trouble as trouble:
            if "there was no recording yet" not in str(trouble):
                raise
        return {"state": None}

    def wait_state(self, *states):
        """Waits for one of the states. Returns the state of the recording."""
        for _ in range(6000):
            info = self.look()
            if info["state"] in states:
                return info
            time.sleep(0.01)
        raise Trouble(f"the recording is not {states}")

    def record(self, name, *arguments, **more):
        """Starts a recording when the last one has ended."""
        recorder = Recorder(self.program, self.directory, name, self.socket, *arguments, **more)
        for _ in range(6000):
            if recorder.process.poll() is not None:
                raise Trouble(f"{name}: vpmu-stats ended: {recorder.process.stderr.read()}")
            if self.look()["state"] == "active":
                return recorder
            time.sleep(0.01)
        raise Trouble(f"{name}: nothing is recorded")

    def go_on(self, samples, pause=0.1):
        """
        Until so many have been taken; it is at rest then. Each look takes the machine time, so pauses
        become longer, up to a tenth of a second.
        """
        self.machine.command("cont")
        for _ in range(10 * SECONDS):
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
            if sum(count["samples"] for count in self.info()["counts"]) >= samples:
                break
        self.machine.command("stop")

    def observed(self):
        """Returns the counts of observers by vCPU and event."""
        cpus = {cpu["qom-path"]: cpu["cpu-index"] for cpu in self.machine.command("query-vpmu")}
        answer = self.machine.command("query-stats", target="vcpu",
                                      providers=[{"provider": "vpmu"}])
        return {(cpus[cpu["qom-path"]], s["name"][9:]): s["value"]
                for cpu in answer for s in cpu["stats"] if s["name"].startswith("observer/")}

    def check_sum(self, name, rows, samples, lost=0):
        """Samples and remainder equal the count, in the file as perf reads it."""
        weight = collections.Counter()
        number = collections.Counter()
        for s in samples:
            weight[s.cpu, s.event] += s.weight
            number[s.cpu, s.event] += 1
        faults = [row for row in rows
                  if row["samples"] != number[row["cpu"], row["event"]] or
                  not 0 <= row["counter-value"] - weight[row["cpu"], row["event"]] -
                  row["lost"] * row["period"] < row["period"]]
        self.equal(f"{name}.sum", [], faults)
        self.equal(f"{name}.samples", len(samples), sum(row["samples"] for row in rows))
        self.equal(f"{name}.lost", lost, min(sum(row["lost"] for row in rows), lost))
