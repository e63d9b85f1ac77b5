# SPDX-License-Identifier: GPL-2.0-or-later
"""
What vpmu-stats report and convert make of a file, and what the real perf makes of the same one. No
part of this is shared with them: sums, stacks and profiles are made and read here.
"""
import collections
import fcntl
import gzip
import json
import re
import signal
import struct
import subprocess
import termios
import time
import xml.etree.ElementTree

SCRIPT = ["-F", "comm,tid,event,period,ip,sym"]
LINE = re.compile(r"^\s*(.*?)\s+(-?\d+)\s+(\d+)\s+(\S+?):(?::S)?\s+([0-9a-f]+) (\S.*)$")


def run(*command, data=None):
    """Returns the output of a command. Any error output is a failure."""
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode or (command[0] != "perf" and done.stderr):
        raise ValueError(f"{command}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def rows_of_perf(path, names):
    """Returns the event, the thread's name, the function or address, and the period of each sample."""
    found = []
    for line in run("perf", "script", "-i", path, *names, *SCRIPT).decode().splitlines():
        match = LINE.match(line)
        if not match:
            raise ValueError(f"perf script prints something else: {line}")
        comm, _, period, event, address, name = match.groups()
        found.append((event.removesuffix(":S"), comm, int(address, 16), name, int(period)))
    return found


def sums_of_perf(path, names):
    sums = collections.defaultdict(lambda: [0, 0])
    for event, comm, address, name, period in rows_of_perf(path, names):
        one = sums[event, comm, f"0x{address:016x}" if name == "[unknown]" else name]
        one[0] += 1
        one[1] += period
    return dict(sums)


def sums_of_report(program, path, names, data=None):
    """Returns the sums of report. A function that runs at different levels has several rows."""
    sums = collections.defaultdict(lambda: [0, 0])
    for line in run(program, "report", "-j", "--addresses", "-i", path, *names,
                    data=data).decode().splitlines():
        row = json.loads(line)
        one = sums[row["event"], row["comm"], row["sym"]]
        one[0] += row["samples"]
        one[1] += row["period"]
    return dict(sums)


def script_of(command, path, names):
    """
    Samples in the order in which they are printed. Widths of columns and perf's marks of groups are
    left out; so is what code below a kernel is part of.
    """
    text = run(*command, "script", "-i", path, *names, "-F",
               "comm,pid,tid,cpu,time,event,period,ip,sym").decode()
    return [" ".join(line.replace(":S: ", ": ").split()) for line in text.splitlines() if line]


def worlds_of_perf(path):
    """Returns the cgroups of samples from perf report, because perf script does not show them."""
    text = run("perf", "report", "-i", path, "--stdio", "--percent-limit", "0", "-t", ";",
               "-F", "period,sample,cgroup,comm").decode()
    sums = {}
    for block in re.split(r"^# Samples: ", text, flags=re.M)[1:]:
        event = re.search(r"of event '([^']+)'", block)[1]
        for line in block.splitlines():
            part = [word.strip() for word in line.split(";")]
            if len(part) == 4 and part[0].isdigit():
                sums[event, part[2], part[3]] = [int(part[1]), int(part[0])]
    return sums


def worlds_of_report(program, path):
    rows = [json.loads(line) for line in
            run(program, "report", "-j", "-s", "cgroup,comm", "-i", path).decode().splitlines()]
    return {(row["event"], row["cgroup"], row["comm"]): [row["samples"], row["period"]]
            for row in rows}


def folded_of_perf(path, names, wanted):
    sums = collections.Counter()
    for event, comm, _, name, period in rows_of_perf(path, names):
        if event == wanted:
            sums[f"{comm.replace(' ', '_')};{name}"] += period
    return [f"{stack} {sums[stack]}" for stack in sorted(sums)]


def collapsed_of_perf(path, names):
    """Returns the output of perf's stackcollapse.py: all events together, in samples and not
    periods."""
    script = run("perf", "--exec-path").decode().strip() + "/scripts/python/stackcollapse.py"
    return sorted(run("perf", "script", "-i", path, *names, "--max-stack", "1000", "-s",
                      script).decode().splitlines())


def collapsed_of_convert(program, path, names, events):
    sums = collections.Counter()
    for event in events:
        folded = run(program, "convert", "-i", path, *names, "--event", event, "--samples", "--to", "folded")
        for line in folded.decode().splitlines():
            stack, samples = line.rsplit(" ", 1)
            sums[stack] += int(samples)
    return sorted(f"{stack} {sums[stack]}" for stack in sums)


def fields(data):
    """Yields number and value of each field of a protocol buffers message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"no type {key & 7} of a field is in profile.proto")


def numbers(data):
    """Returns the numbers of a packed field."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def folded_of_pprof(data):
    """Returns the folded stacks of a profile, with the label comm first."""
    strings, functions, locations, samples = [], {}, {}, []
    for number, value in fields(gzip.decompress(data)):
        if number == 6:
            strings.append(value.decode())
        elif number == 5:
            part = dict(fields(value))
            functions[part[1]] = part[2]
        elif number == 4:
            part = dict(fields(value))
            locations[part[1]] = dict(fields(part[4]))[1]
        elif number == 2:
            samples.append(list(fields(value)))
    sums = collections.Counter()
    for sample in samples:
        labels = {strings[dict(fields(v))[1]]: strings[dict(fields(v)).get(2, 0)]
                  for n, v in sample if n == 3}
        stack = [strings[functions[locations[i]]] for i in numbers(dict(sample)[1])]
        sums[";".join([labels["comm"], *reversed(stack)])] += list(numbers(dict(sample)[2]))[1]
    return [f"{stack} {sums[stack]}" for stack in sorted(sums)]


def total_of_flamegraph(data):
    """Returns samples and period of the lowest frame. The file must be valid XML."""
    root = xml.etree.ElementTree.fromstring(data)
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    found = [re.match(r"all \(([\d,]+) samples, ([\d,]+) .*, 100\.00%\)", t) for t in titles]
    return [[int(m[i].replace(",", "")) for i in (1, 2)] for m in found if m]


class Fxt:
    """A reader of Fuchsia's trace format, written from its specification. Invalid contents are an
    error."""

    def __init__(self, data):
        if len(data) % 8 or not data:
            raise ValueError("a trace is 64-bit words")
        self.words = [int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8)]
        self.data = data
        self.strings, self.names, self.events, self.at = {0: ""}, {}, [], 0
        if self.take() != 0x0016547846040010:
            raise ValueError("no magic number")
        while self.at < len(self.words):
            self.record()

    def take(self):
        self.at += 1
        return self.words[self.at - 1]

    def string(self, reference):
        if not reference & 0x8000:
            return self.strings[reference]
        size = reference & 0x7fff
        start = self.at * 8
        self.at += (size + 7) // 8
        return self.data[start:start + size].decode()

    def argument(self):
        start = self.at
        head = self.take()
        name = self.string(head >> 16 & 0xffff)
        kind = head & 0xf
        value = (self.string(head >> 32 & 0xffff) if kind == 6 else
                 struct.unpack("<d", struct.pack("<Q", self.take()))[0] if kind == 5 else
                 self.take() if kind in (4, 8) else None)
        if self.at - start != head >> 4 & 0xfff:
            raise ValueError(f"argument {name} is not as long as it says")
        return name, value

    def event(self, head):
        time, process, thread = self.take(), self.take(), self.take()
        category, name = self.string(head >> 32 & 0xffff), self.string(head >> 48)
        if head >> 24 & 0xff:
            raise ValueError("a thread that was not defined")
        values = dict(self.argument() for _ in range(head >> 20 & 0xf))
        kind = head >> 16 & 0xf
        last = self.take() if kind else None
        self.events.append((kind, category, name, process, thread, time, values, last))

    def record(self):
        start = self.at
        head = self.take()
        kind = head & 0xf
        if kind == 1:
            self.ticks = self.take()
        elif kind == 2:
            size = head >> 32 & 0x7fff
            self.strings[head >> 16 & 0x7fff] = self.data[self.at * 8:self.at * 8 + size].decode()
            self.at += (size + 7) // 8
        elif kind == 4:
            self.event(head)
        elif kind == 7:
            number = self.take()
            name = self.string(head >> 24 & 0xffff)
            self.names[head >> 16 & 0xff, number] = name
            for _ in range(head >> 40 & 0xf):
                self.argument()
        else:
            raise ValueError(f"a record of type {kind}")
        if self.at - start != head >> 4 & 0xfff:
            raise ValueError(f"a record of type {kind} is not as long as it says")


def sums_of_fxt(data):
    """Returns the sums of the samples in a trace. All other contents must agree with them."""
    trace = Fxt(data)
    sums = collections.defaultdict(lambda: [0, 0])
    before, rates, now, ran = {}, {}, {}, {}
    for kind, category, name, process, thread, time, values, last in trace.events:
        if process != 1 or trace.names[1, 1] != "machine" or (2, thread) not in trace.names:
            raise ValueError(f"thread {thread} of process {process} has no name")
        if (kind, category) == (0, "cpu:sample"):
            one = sums[name, values["comm"], values["function"] or f"0x{values['pc']:016x}"]
            one[0] += 1
            one[1] += values["value"]
            rate = rates.pop((name, thread), None)
            if rate and round(rate[1] * (time - rate[0]) / trace.ticks) != values["value"]:
                raise ValueError(f"{name} came {rate} a second until {time}, which is not {values}")
            if not rate and before.get((name, thread), time) < time:
                raise ValueError(f"no rate of {name} until {time}")
            before[name, thread] = time
            now.setdefault(thread, [time, time])[1] = time
        elif (kind, category) == (1, "cpu:perf") and last == thread:
            if time != before[name, thread]:
                raise ValueError(f"{name} is counted from {time}, not from the sample before")
            rates[name, thread] = (time, values["rate"])
        elif (kind, category) == (4, "cpu:ran"):
            if time != ran.get(thread, now[thread][0]):
                raise ValueError(f"nobody ran on {thread} before {time}")
            ran[thread] = last
        elif (kind, category) == (4, "cpu:blackout"):
            # A window is a sample where it ends.
            if before[name, thread] != last or values["instructions"] <= 0 or time > last:
                raise ValueError(f"{name} until {last} is no sample")
        else:
            raise ValueError(f"what is {kind} of {category}?")
    if ran != {thread: last for thread, (_, last) in now.items()} or rates:
        raise ValueError("slices end elsewhere than samples")
    return dict(sums)


def end_by_signals(program, data, repeat):
    """The first signal is meant for the writer. After further signals, the program does not wait
    for the pipe's end."""
    with subprocess.Popen([program, "report", "-i", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdin.write(data[:len(data) // 2])
        process.stdin.flush()
        # What has been read was read by a program that waits for signals too.
        while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        for _ in range(600):
            if not repeat or process.poll() is not None:
                break
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
        if not repeat:
            process.communicate(data[len(data) // 2:], timeout=600)
        return process.wait(timeout=600)


def check(equal, name, program, path, *names):
    """@equal: takes a name, the result of perf and the result of the program."""
    sums = sums_of_perf(path, names)
    equal(f"{name}.report", sums, sums_of_report(program, path, names))
    equal(f"{name}.script", True,
          script_of(["perf"], path, [*names, "-G"]) == script_of([program], path, [*names, "-G"]))
    timeline = [program, "convert", "-i", path, *names, "--to", "fxt"]
    equal(f"{name}.fxt", sums, sums_of_fxt(run(*timeline)))
    equal(f"{name}.same-bytes.fxt", True, run(*timeline) == run(*timeline))
    for event in sorted({key[0] for key in sums}):
        command = [program, "convert", "-i", path, *names, "--event", event, "--to"]
        folded = folded_of_perf(path, names, event)
        equal(f"{name}.folded.{event}", folded, run(*command, "folded").decode().splitlines())
        equal(f"{name}.pprof.{event}", folded, folded_of_pprof(run(*command, "pprof")))
        whole = [sum(value[i] for key, value in sums.items() if key[0] == event) for i in (0, 1)]
        equal(f"{name}.flamegraph.{event}", [whole], total_of_flamegraph(run(*command, "flamegraph")))
        for form in ("folded", "pprof", "flamegraph"):
            equal(f"{name}.same-bytes.{form}.{event}", True,
                  run(*command, form) == run(*command, form))


def check_pipe(equal, name, program, path, data, *names):
    """The format for pipes, read from a pipe and from a file."""
    sums = sums_of_perf(path, names)
    equal(f"{name}.report", sums, sums_of_report(program, path, names))
    equal(f"{name}.report-pipe", sums, sums_of_report(program, "-", names, data))
    equal(f"{name}.one-signal", 0, end_by_signals(program, data, False))
    equal(f"{name}.two-signals", 130, end_by_signals(program, data, True))
