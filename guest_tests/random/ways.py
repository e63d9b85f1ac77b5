# SPDX-License-Identifier: GPL-2.0-or-later
"""The ways in which programs are run: QEMU's arguments, and what is done to QEMU meanwhile."""

import mmap
import os
import pathlib
import random
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import accessed
import compare
import ibs
import recorded
from guests import BUILD
from gdb import Stub
from layout import PROGRESS
from machine import Guest, Trouble as GuestTrouble
from patience import Patience

# A program takes milliseconds. One that has not ended after so many seconds of processor time, or
# that sleeps for several times as long, never will.
PATIENCE = 6


class Trouble(Exception):
    """QEMU did something that no way explains."""


class Machine:
    """A QEMU that runs an image. Its RAM is a file, from which progress and results are read."""

    def __init__(self, qemu, image, programs, places, directory):
        self.qemu = qemu
        self.image = pathlib.Path(image)
        self.programs = programs
        self.places = places
        self.guest = programs[0].state.guest
        numbers = self.guest.layout.numbers
        self.ram_size = numbers["RAM_SIZE"]
        self.results = numbers["RESULTS_BASE"] - numbers["RAM_BASE"]
        self.result_size = numbers["RESULT_SIZE"]
        self.directory = pathlib.Path(directory)
        self.ram_path = self.directory / "ram"
        self.process = None

    def command(self):
        return [self.qemu, *self.guest.command(self.programs[0].machine, self.ram_path, self.image)]

    def new_ram(self):
        self.ram_path.unlink(missing_ok=True)
        with open(self.ram_path, "wb") as file:
            file.truncate(self.ram_size)

    def start(self, arguments):
        self.errors = open(self.directory / "errors", "w+b")
        self.process = subprocess.Popen(self.command() + arguments, stdin=subprocess.DEVNULL,
                                        stdout=self.errors, stderr=self.errors)

    def map_ram(self):
        with open(self.ram_path, "r+b") as file:
            self.ram = mmap.mmap(file.fileno(), self.ram_size)

    def progress(self):
        return PROGRESS.unpack_from(self.ram, self.results)

    def result(self, number):
        at = self.results + self.result_size * (number + 1)
        return self.ram[at:at + self.result_size]

    def said(self):
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").split())[:400]

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
        if self.process:
            self.process.wait()


def monitor_of(machine, path):
    """Returns the monitor of a machine that has been started. It connects at the first command."""
    guest = Guest("random", Patience(60), path)
    guest.process = machine.process
    return guest


class Way:
    """Adds only arguments of QEMU."""

    # The greatest time between two checks, in seconds.
    PAUSE = 0.02

    def __init__(self, name, *arguments):
        self.name = name
        self.arguments = list(arguments)

    def begin(self, machine):
        machine.new_ram()
        machine.start(self.arguments)
        machine.map_ram()

    def meddle(self, machine, started):
        """Is called again and again while the machine runs."""

    def leaves_out(self, program):
        """Returns whether the result of a program is not compared."""
        return False

    def differs(self, expected, got):
        """Returns whether a result is another than it must be."""
        return compare.differs(expected, got)

    def idle(self, machine):
        """Returns why the result means nothing, because the way did not do its work; or None."""
        return None

    def finish(self, machine):
        """
        Is called when the machine has ended well. Returns what is wrong all the same, or None.
        """
        return None

    def run(self, machine, patience=PATIENCE):
        """
        Runs the image to its end. Returns why it did not end, or None, and the program that it was
        at.
        """
        self.begin(machine)
        try:
            why = self.watch(machine, patience)
            started = machine.progress()[0]
            return (why or self.finish(machine)), started
        finally:
            machine.stop()

    def watch(self, machine, patience):
        last = -1
        patient = Patience(patience, machine.process.pid)
        pause = 0.002
        while True:
            if machine.process.poll() is not None:
                if machine.progress()[1]:
                    return None
                return f"QEMU ended with status {machine.process.returncode}: {machine.said()}"
            started = machine.progress()[0]
            if started != last:
                last = started
                patient.progress()
            elif why := patient.over():
                return why
            patient.pid = machine.process.pid
            try:
                self.meddle(machine, started)
            except (GuestTrouble, OSError, ValueError) as trouble:
                return f"{self.name}: {trouble}: {machine.said()}"
            time.sleep(pause)
            pause = min(self.PAUSE, pause * 1.5)


class SmallBuffer(Way):
    """
    The buffer of generated code is full again and again. Programs with a watchpoint that traps after the
    access are left out: QEMU, with or without vpmu, executes the instruction again in a block of its own,
    and forgets that wish if the buffer is full (tb_gen_code()), so that the trap comes some instructions
    late.
    """

    def leaves_out(self, program):
        return program.state.traps_after_access(program)


class Record(Way):
    """Records a run and replays it. The results are the replay's."""

    def start(self, machine, mode, arguments):
        machine.start(arguments)

    def run(self, machine, patience=PATIENCE):
        log = f"{self.arguments[1]},rrfile={machine.directory / 'record'}"
        for mode in ("record", "replay"):
            machine.new_ram()
            self.start(machine, mode, ["-icount", f"{log},rr={mode}", "-net", "none"])
            machine.map_ram()
            try:
                # What has been recorded is lost when a machine is killed, so there is no replay
                # then.
                why = self.watch(machine, patience)
                started = machine.progress()[0]
            finally:
                machine.stop()
            if why is not None:
                return f"{mode}: {why}", started
        return None, started


class Observed(Record):
    """
    The replay has an observer that the recording did not have. Events of models are observed only
    if the guest does not count them, because the models would be warmer than they were.
    """

    EVENTS = ("instructions", "branches")
    MODELLED = ("cache-references", "branch-misses")

    def start(self, machine, mode, arguments):
        if mode == "record":
            super().start(machine, mode, arguments)
            return
        path = str(machine.directory / "qmp")
        pathlib.Path(path).unlink(missing_ok=True)
        machine.start(arguments + ["-S", "-qmp", f"unix:{path},server=on,wait=off"])
        guest = monitor_of(machine, path)
        modelled = machine.programs[0].machine.modelled
        for event in self.EVENTS if modelled else self.EVENTS + self.MODELLED:
            guest.command("vpmu-observe", event=event)
        guest.command("cont")
        guest.monitor.close()


class Plugin(Way):
    """
    Runs with a plugin that counts instructions and blocks, and reports when they contradict each
    other.
    """

    def begin(self, machine):
        self.report = machine.directory / "plugin"
        self.report.unlink(missing_ok=True)
        library = os.environ.get("RANDOM_PLUGIN", str(BUILD / machine.guest.plugin))
        self.arguments = ["-plugin", f"{library},report={self.report}"]
        super().begin(machine)

    def run(self, machine, patience=PATIENCE):
        why, started = super().run(machine, patience)
        machine.faults = {}
        if why is None:
            for line in self.report.read_text().splitlines():
                what, number = line.split()
                if what == "executed":
                    machine.executed += int(number)
                    continue
                pc = int(number, 16)
                for number, (start, size) in enumerate(machine.places):
                    if start <= pc < start + size:
                        machine.faults[number] = (
                            f"the plugin was told of a block at {pc:#x} that executed nothing")
        return why, started


class Branches(Way):
    """
    Traces branches and exceptions with a plugin, and compares the branch records with what the trace
    says. Programs whose records an overflow may freeze are left out, because the trace does not show it.
    """

    def begin(self, machine):
        self.trace = machine.directory / "trace"
        self.trace.unlink(missing_ok=True)
        self.arguments = ["-plugin", f"{self.library(machine)},trace={self.trace}", *self.more(machine)]
        self.first = struct.unpack("<Q", machine.image.read_bytes()[16:24])[0]
        super().begin(machine)

    def library(self, machine):
        """Returns the plugin, and those of its arguments that depend on the machine."""
        library = os.environ.get("RANDOM_BRANCHES", str(BUILD / machine.guest.branch_plugin))
        return library + machine.guest.traced(machine.programs[0].machine)

    def more(self, machine):
        """Returns further arguments of QEMU."""
        return []

    def idle(self, machine):
        return None if machine.compared else "no branch record was compared"

    def finish(self, machine):
        layout = machine.guest.layout
        programs = machine.guest.records(self.trace.read_bytes(), machine.programs[0].machine)
        for number, records in enumerate(programs, self.first):
            if records is None:
                continue
            machine.compared += len(records)
            result = layout.unpack_result(machine.result(number))
            wrong = machine.guest.records_fault(records, result["branches"])
            if wrong:
                machine.faults[number] = wrong
        return None


class Recorded(Branches):
    """
    Records all branches from outside, and compares those of each sample with the trace of the plugin. The
    period is a prime, so that samples lie everywhere in loops.
    """

    PERIOD = 31

    def more(self, machine):
        self.path = str(machine.directory / "qmp")
        pathlib.Path(self.path).unlink(missing_ok=True)
        return ["-S", "-qmp", f"unix:{self.path},server=on,wait=off"]

    def begin(self, machine):
        super().begin(machine)
        guest = monitor_of(machine, self.path)
        self.recording = self.record(guest)
        guest.command("cont")
        guest.monitor.close()

    def record(self, guest):
        return recorded.Recording(guest, [{"event": "instructions", "period": self.PERIOD}], branches="any")

    def finish(self, machine):
        taken = machine.guest.taken(self.trace.read_bytes(), machine.programs[0].machine)
        machine.faults, compared = recorded.compare(self.recording, dict(enumerate(taken, self.first)),
                                                    machine.places, machine.guest)
        machine.compared += compared
        return None


def delete_snapshot(guest, where):
    guest.job("snapshot-delete", tag=where["tag"], devices=where["devices"])


class Accessed(Recorded):
    """
    Records loads and stores from outside, and compares the access of each sample with those that a plugin
    traces. A snapshot is made now and then, which must change nothing. Results are not compared: the recording
    makes the models warmer than the guest's counters do, and SVE's first-fault loads end where a plugin traces
    accesses.
    """

    APART = 8

    def begin(self, machine):
        super().begin(machine)
        self.where = None
        self.at = 1

    def meddle(self, machine, started):
        """A few programs later, in the middle of one."""
        if started < self.at:
            return
        self.at = started + self.APART
        try:
            guest = monitor_of(machine, self.path)
            self.where = self.where or guest.add_disk(machine.directory)
            guest.job("snapshot-save", **self.where)
            delete_snapshot(guest, self.where)
            guest.monitor.close()
            machine.saves += 1
        except (GuestTrouble, OSError, ValueError) as trouble:
            Saved.check_end(machine, trouble)

    def differs(self, expected, got):
        return isinstance(got, str)

    def library(self, machine):
        return BUILD / machine.guest.access_plugin

    def record(self, guest):
        return recorded.Recording(guest, accessed.EVENTS, accesses=True)

    def idle(self, machine):
        if not machine.saves:
            return "nothing was saved"
        return None if machine.compared else "no access was compared"

    def finish(self, machine):
        base, image = machine.guest.layout.numbers["PROGRAMS_BASE"], machine.image.read_bytes()
        trace = accessed.Trace(self.trace.read_bytes())

        def code(pc):
            return image[pc - base:pc - base + 15]

        def is_traced(pc):
            return machine.guest.traces_all(code(pc))

        machine.faults, compared = accessed.compare(self.recording, trace, self.first, machine.places, is_traced,
                                                    machine.guest)
        machine.compared += compared
        self.check_samples(machine, ibs.Samples(trace), code, is_traced)
        return None

    def check_samples(self, machine, samples, code, is_traced):
        """The samples of IBS that programs have taken themselves; other machines have none."""
        for number in range(self.first, len(machine.places)):
            result = machine.guest.layout.unpack_result(machine.result(number))
            words = result.get("ibs", ())[:ibs.WORDS * result.get("ibs_ops", 0)]
            program = machine.programs[number]
            if words and not program.values["wild"]:
                fault = samples.program(words, machine.places[number], set(program.state.starts(program)), code,
                                        is_traced)
                if fault:
                    machine.faults.setdefault(number, fault)
        machine.compared += samples.compared


class Stepped(Way):
    """
    Executes some instructions of each program one by one, by gdb's protocol, from two places in it.
    Programs with a breakpoint of their own are left out: where a step of gdb ends at the
    breakpoint's address, QEMU, with or without vpmu, takes the breakpoint's exception although
    debug exceptions are disabled or belong to another level, or fails an assertion because that
    level is a lower one (raise_exception_debug()). On x86, QEMU takes it again and again if gdb has
    stopped there, as it does at the entry of each program.
    """

    STEPS = 30

    def leaves_out(self, program):
        return program.state.breaks_at_entry(program)

    def begin(self, machine):
        self.socket = str(machine.directory / "gdb")
        self.next = struct.unpack("<Q", machine.image.read_bytes()[16:24])[0]
        self.rand = random.Random(1)
        pathlib.Path(self.socket).unlink(missing_ok=True)
        machine.new_ram()
        machine.start(["-S", "-gdb", f"unix:{self.socket},server=on,wait=off"])
        machine.map_ram()
        while not os.path.exists(self.socket):
            if machine.process.poll() is not None:
                raise Trouble(f"QEMU did not start: {machine.said()}")
            time.sleep(0.01)
        time.sleep(0.05)
        self.stub = Stub(self.socket, 30)
        self.stub.command("Qqemu.sstep=1")      # with interrupts

    def go_to(self, addresses):
        for address in addresses:
            self.stub.insert(address)
        self.stub.ask("c")
        for address in addresses:
            self.stub.remove(address)

    def step(self, machine):
        machine.steps += self.STEPS
        for _ in range(self.STEPS):
            self.stub.ask("s")

    def idle(self, machine):
        return None if machine.steps else "nothing was stepped"

    def meddle(self, machine, started):
        """Steps through one program. The stub is left when all programs have been stepped."""
        if self.stub is None:
            return
        try:
            entry, size = machine.places[self.next]
            following = [place[0] for place in machine.places[self.next + 1:self.next + 2]]
            if self.next != started - 1:
                self.go_to([entry])
            program = machine.programs[self.next]
            stepped = not program.state.has_breakpoint(program)
            if stepped:
                self.step(machine)
            self.next += 1
            if not following:
                self.stub.leave()
                self.stub = None
                return
            place = entry + program.state.stop(self.rand, program, size)
            self.go_to([place] * stepped + following)
            if machine.progress()[0] == self.next and stepped:
                self.step(machine)
                self.go_to(following)
        except (ConnectionError, OSError):
            self.stub = None


class Saved(Way):
    """
    Saves and loads the machine, again and again. Not while an AArch32 program is stepped by its own kernel:
    QEMU, with or without vpmu, then saves CPSR, which does not contain PSTATE.SS (put_cpsr()), so that a
    step that is due is taken before its instruction.
    """

    PAUSE = 0.002

    def __init__(self, name, *arguments):
        super().__init__(name, *arguments)
        self.rand = random.Random(1)

    def begin(self, machine):
        machine.new_ram()
        self.generation = 0
        machine.start(self.arguments + self.monitor(machine))
        machine.map_ram()
        self.plan()

    def plan(self, started=0):
        """A few programs later, in the middle of one."""
        self.at = started + self.rand.randrange(1, 6)

    def idle(self, machine):
        return None if machine.saves else "nothing was saved"

    def monitor(self, machine):
        self.path = str(machine.directory / f"qmp{self.generation}")
        pathlib.Path(self.path).unlink(missing_ok=True)
        return ["-qmp", f"unix:{self.path},server=on,wait=off"]

    def connect(self, machine):
        return monitor_of(machine, self.path)

    def meddle(self, machine, started):
        if started < self.at:
            return
        try:
            guest = self.connect(machine)
            guest.command("stop")
            started = machine.progress()[0]
            stepped = is_stepped32(machine, started - 1)
            if stepped:
                guest.command("cont")
                guest.monitor.close()
            else:
                self.save(machine, guest)
        except (GuestTrouble, OSError, ValueError) as trouble:
            self.check_end(machine, trouble)
            stepped = True
        if not stepped:
            machine.saves += 1
            self.load(machine, guest)
        self.plan(started)

    @staticmethod
    def check_end(machine, trouble):
        """Raises an error of the monitor, unless the reason is that the machine has ended by itself."""
        try:
            machine.process.wait(5)
        except subprocess.TimeoutExpired:
            raise trouble from None

    def resume(self, guest):
        """Lets a machine go on that may end by itself meanwhile; a failure will be seen later."""
        try:
            guest.command("cont")
            guest.monitor.close()
        except (GuestTrouble, OSError, ValueError):
            pass


class Migrated(Saved):
    """Continues in another QEMU."""

    def connect(self, machine):
        guest = super().connect(machine)
        guest.command("migrate-set-capabilities", capabilities=[
            {"capability": "x-ignore-shared", "state": True}])
        return guest

    def save(self, machine, guest):
        self.state = machine.directory / f"state{self.generation}"
        guest.migrate(f"file:{self.state}")
        guest.command("quit")

    def load(self, machine, _):
        machine.process.wait()
        self.generation += 1
        machine.start(self.arguments + self.monitor(machine) + ["-S", "-incoming", "defer"])
        guest = self.connect(machine)
        guest.command("migrate-incoming", uri=f"file:{self.state}")
        while guest.command("query-status")["status"] == "inmigrate":
            time.sleep(0.005)
        self.resume(guest)
        self.state.unlink()


class Snapshot(Saved):
    """Makes a snapshot, goes on for a short time, and loads the snapshot in the same QEMU."""

    def begin(self, machine):
        super().begin(machine)
        self.where = None

    def save(self, machine, guest):
        self.where = self.where or guest.add_disk(machine.directory)
        guest.job("snapshot-save", **self.where)

    def load(self, machine, guest):
        try:
            guest.command("cont")
            time.sleep(self.rand.uniform(0, 0.01))
            guest.job("snapshot-load", **self.where)
            delete_snapshot(guest, self.where)
        except (GuestTrouble, OSError, ValueError) as trouble:
            self.check_end(machine, trouble)
            return
        self.resume(guest)


def is_stepped32(machine, number):
    """An AArch32 program that its own kernel steps: see Saved."""
    program = machine.programs[number] if number < len(machine.programs) else None
    return program is not None and program.state.is_stepped32(program)


REFERENCE = Way("one-insn-per-tb", "-accel", "tcg,one-insn-per-tb=on")
WAYS = {way.name: way for way in (
    REFERENCE,
    Way("blocks"),
    Way("icount", "-icount", "shift=3"),
    Way("icount-0", "-icount", "shift=0,sleep=off"),
    SmallBuffer("small-buffer", "-accel", "tcg,tb-size=1"),
    Way("nochain", "-d", "nochain"),
    Plugin("plugin"),
    Branches("branches"),
    Recorded("recorded"),
    Accessed("accessed"),
    Record("replay", "-icount", "shift=3"),
    Observed("replay-observed", "-icount", "shift=3"),
    Stepped("stepped"),
    Migrated("migrated"),
    Migrated("migrated-icount", "-icount", "shift=3"),
    Snapshot("snapshot"),
)}


def set_first(image, first):
    with open(image, "r+b") as file:
        file.seek(16)
        file.write(struct.pack("<Q", first))


def run_image(way, machine, count, patience=PATIENCE, stop=False):
    """
    Runs this many programs from the start of an image, also past those that hang, unless it should
    stop there. Returns a list of results: bytes, a string that says what went wrong, or None if a
    program was not run.
    """
    results = [None] * count
    first = 0
    machine.saves = machine.steps = machine.executed = machine.compared = 0
    while first < count:
        set_first(machine.image, first)
        machine.faults = {}
        why, started = way.run(machine, patience)
        last = started if why is None else started - 1
        for number in range(first, min(max(last, first), count)):
            results[number] = machine.faults.get(number) or machine.result(number)
        if why is None:
            break
        failed = max(started - 1, first)
        if failed >= count:
            break
        results[failed] = why
        if stop:
            break
        first = failed + 1
    return results
