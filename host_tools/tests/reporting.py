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
import subprocess
import termios
import time
import xml.etree.ElementTree

SCRIPT = ["-F", "comm,tid,event,period,ip,sym"]
LINE = re.compile(r"^\s*(.*?)\s+(-?\d+)\s+(\d+)\s+(\S+?):(?::S)?\s+([0-9a-f]+) (\S.*)$")


def run(*command, data=None):
    """What it prints; all but that is a failure."""
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode or (command[0] != "perf" and done.stderr):
        raise ValueError(f"{command}: {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def rows_of_perf(path, names):
    """Event, thread's name, function or address, period of each sample."""
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
    """A function or address seen at different levels has several rows."""
    sums = collections.defaultdict(lambda: [0, 0])
    for line in run(program, "report", "-j", "-i", path, *names, data=data).decode().splitlines():
        row = json.loads(line)
        one = sums[row["event"], row["comm"], row["sym"]]
        one[0] += row["samples"]
        one[1] += row["period"]
    return dict(sums)


def worlds_of_perf(path):
    """perf script does not show cgroups, but perf report does."""
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


def fields(data):
    """Of a message of protocol buffers: number and value, one after another."""
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
    """Packed."""
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def folded_of_pprof(data):
    """What folded stacks it stands for; the label comm in front."""
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
    """Of the frame below all others: samples and period. It must be an XML file."""
    root = xml.etree.ElementTree.fromstring(data)
    titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
    found = [re.match(r"all \(([\d,]+) samples, ([\d,]+) .*, 100\.00%\)", t) for t in titles]
    return [[int(m[i].replace(",", "")) for i in (1, 2)] for m in found if m]


def end_by_signals(program, data, repeat):
    """One in the middle is for who writes; once there are more, the pipe need not end."""
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
    """@equal takes a name, what perf says, and what the program says."""
    sums = sums_of_perf(path, names)
    equal(f"{name}.report", sums, sums_of_report(program, path, names))
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
    """The format for pipes, from a pipe and from a file."""
    sums = sums_of_perf(path, names)
    equal(f"{name}.report", sums, sums_of_report(program, path, names))
    equal(f"{name}.report-pipe", sums, sums_of_report(program, "-", names, data))
    equal(f"{name}.one-signal", 0, end_by_signals(program, data, False))
    equal(f"{name}.two-signals", 130, end_by_signals(program, data, True))
