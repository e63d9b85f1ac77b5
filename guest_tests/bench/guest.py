# SPDX-License-Identifier: GPL-2.0-or-later
"""The benchmark's guest. It is timed from outside by the lines that it prints."""
import contextlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import time

BOOT_SECONDS = 300
STEP_SECONDS = 600
# The number of processes that run before the measured minute.
WARM = 100


class Trouble(Exception):
    """The reason why there is no measurement."""


def cpu_seconds(pid):
    """
    Returns the processor time of all threads that a process has or had, to the nanosecond. The time
    in /proc is only as of the last tick. Python lacks clock_getcpuclockid(3), so the clock's number
    is computed here.
    """
    return time.clock_gettime((~pid << 3) | 2)


class Guest:
    """A QEMU with a console and a monitor. Use it with `with`."""

    def __init__(self, command, directory, monitored=True):
        self.monitor_path = os.path.join(directory, "monitor")
        self.recorder_path = os.path.join(directory, "recorder")
        if monitored:
            command = command + ["-serial", "stdio", "-qmp", f"unix:{self.monitor_path},server=on,wait=off",
                                 "-qmp", f"unix:{self.recorder_path},server=on,wait=off"]
        self.errors = tempfile.TemporaryFile(dir=directory)
        self.pending = b""
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, bufsize=0, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()

    def said(self):
        """Returns what QEMU itself printed, as one line."""
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").split()) or "no message"

    def now(self):
        """Returns the time since the start, and the processor time used."""
        return time.monotonic() - self.started, cpu_seconds(self.process.pid)

    def line(self, seconds):
        """Returns the console's next line, when it came, and the processor time used until then."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Trouble(f"nothing on the console for {seconds} s")
            data = os.read(self.process.stdout.fileno(), 4096)
            if not data:
                raise Trouble(f"QEMU ended: {self.said()}")
            self.pending += data
            self.came = self.now()
        text, self.pending = self.pending.split(b"\n", 1)
        return text.decode(errors="replace").strip(), *self.came

    def send(self, text):
        """Types a line at the console, which echoes it."""
        self.process.stdin.write(text.encode() + b"\n")

    def qmp(self, name, **arguments):
        """Returns the result of a QMP command."""
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(30)
            sock.connect(self.monitor_path)
            stream = sock.makefile("rw")
            answer = json.loads(stream.readline())
            for request in ({"execute": "qmp_capabilities"},
                            {"execute": name, "arguments": arguments}):
                stream.write(json.dumps(request) + "\n")
                stream.flush()
                answer = json.loads(stream.readline())
                while "event" in answer:
                    answer = json.loads(stream.readline())
        if "return" not in answer:
            raise Trouble(f"the monitor says {answer} to {name} {arguments}")
        return answer["return"]

    def monitor(self, command):
        """Returns the output of a command of the human monitor."""
        return self.qmp("human-monitor-command", **{"command-line": command})

    def observed(self, event):
        """Returns the count of an observer."""
        cpus = self.qmp("query-stats", target="vcpu", providers=[{"provider": "vpmu"}])
        return sum(stat["value"] for cpu in cpus for stat in cpu["stats"]
                   if stat["name"] == f"observer/{event}")


class Recorder:
    """
    Samples a guest from outside, from its start on. With a command of None it samples nothing.
    """

    def __init__(self, command, guest):
        self.process = None
        while command and not os.path.exists(guest.recorder_path):
            if guest.process.poll() is not None:
                raise Trouble(f"QEMU ended: {guest.said()}")
            time.sleep(0.01)
        if command:
            self.process = subprocess.Popen(command + [guest.recorder_path], stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, text=True)

    def end(self):
        """Returns the number of samples and of lost samples; None if nothing was sampled."""
        if not self.process:
            return None
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=STEP_SECONDS)
        if self.process.returncode:
            raise Trouble(f"vpmu-stats ended with {self.process.returncode}: {err.strip()}")
        rows = [json.loads(line) for line in out.splitlines()]
        return {name: sum(row[name] for row in rows) for name in ("samples", "lost")}


def translation(text):
    """
    Reads from `info jit`: blocks, flushes, bytes of generated code, and bytes per instruction.
    """
    code = re.search(r"gen code size\s+(\d+)", text)
    blocks = re.search(r"TB count\s+(\d+)", text)
    flushes = re.search(r"TB flush count\s+(\d+)", text)
    expansion = re.search(r"expansion ratio: ([\d.]+)", text)
    if not (code and blocks and flushes and expansion):
        raise Trouble("`info jit` reads otherwise than expected")
    return {"blocks": int(blocks[1]), "flushes": int(flushes[1]), "host_bytes": int(code[1]),
            "host_bytes_per_instruction": 4 * float(expansion[1])}


class Trial:
    """
    A guest that is booted and then runs workloads on request; in between it is idle. Use it with
    `with`. `result` has the measurements, and its "error" the reason why there are no more.
    """

    def __init__(self, command, recorder=None):
        self.command = command
        self.recorder = recorder
        self.result = {"boot": None, "runs": {}, "counts": {}, "unsupported": [], "jit": None,
                       "recorded": None, "error": None}
        self.working = self.begun = None
        self.open = contextlib.ExitStack()

    def __enter__(self):
        place = self.open.enter_context(tempfile.TemporaryDirectory(prefix="vpmu-"))
        self.guest = self.open.enter_context(Guest(self.command, place))
        return self

    def __exit__(self, *_):
        self.open.close()

    @contextlib.contextmanager
    def errors_kept(self):
        try:
            yield
        except (Trouble, OSError, LookupError, ValueError) as trouble:
            self.result["error"] = str(trouble)

    def until(self, word, seconds, turn=0):
        """
        Reads lines until the guest prints this word. Returns the other lines of its console as one
        line.
        """
        words, others = [], []
        while words[:1] != [word]:
            text, at, cpu = self.guest.line(seconds)
            words = text.split()[1:] if text.startswith("BENCH ") else []
            if words:
                self.take(words, at, cpu, turn)
            else:
                others.append(text)
        return " ".join(filter(None, others))

    def take(self, words, at, cpu, turn):
        """Enters the content of a line that the guest printed. See workload.c, count.c and init."""
        result = self.result
        if words[0] == "shell":
            result["boot"] = {"seconds": at, "cpu": cpu}
        elif words[0] == "begin":
            # The guest waits until it is told to continue.
            self.working = words[1]
            self.begun = self.guest.now()
            self.guest.send("")
        elif words[0] == "end":
            result["runs"].setdefault(words[1], []).append(
                {"turn": turn, "seconds": at - self.begun[0], "cpu": cpu - self.begun[1],
                 "result": words[2]})
        elif words[0] == "counted":
            # This belongs to the workload that began last. Its worst turn counts.
            count, percent = int(words[2]), int(words[3])
            seen = self.counts_of(words[1])
            seen["count"] = min(seen.get("count", count), count)
            seen["percent"] = min(seen.get("percent", percent), percent)
        elif words[0] == "sampled":
            seen = self.counts_of(words[1])
            seen["samples"] = seen.get("samples", 0) + int(words[2])
            seen["user"] = seen.get("user", 0) + int(words[3])
            # Of the other samples, this counts those at the address of the first one.
            if int(words[5]) and words[4] == seen.setdefault("address", words[4]):
                seen["same"] = seen.get("same", 0) + int(words[5])
        elif words[0] == "unsupported" and words[1] not in result["unsupported"]:
            result["unsupported"].append(words[1])

    def counts_of(self, event):
        """Returns what is known of an event's counts during the workload that began last."""
        return self.result["counts"].setdefault(self.working, {}).setdefault(event, {})

    def boot(self):
        with self.errors_kept():
            self.outside = Recorder(self.recorder, self.guest)
            self.until("ready", BOOT_SECONDS)

    def run(self, name, size, turn):
        """Runs a workload, unless something failed before or cannot be counted."""
        if self.result["error"] or self.result["unsupported"]:
            return
        with self.errors_kept():
            self.guest.send(f"{name} {size}")
            said = self.until("ready", STEP_SECONDS, turn)
            runs = self.result["runs"].get(name)
            if not (runs and runs[-1]["turn"] == turn) and not self.result["unsupported"]:
                raise Trouble(f"{name} did not end: {said}")

    def finish(self):
        """Records what is known only at the end."""
        if self.result["error"]:
            return
        with self.errors_kept():
            self.result["jit"] = translation(self.guest.monitor("info jit"))
            self.result["recorded"] = self.outside.end()

    def counted(self, name, size):
        """Returns the counts of a workload by event, without those of what precedes it."""
        found = []
        for how in ("", " prepare"):
            self.result["counts"].clear()
            self.working = name
            self.guest.send(f"{name} {size}{how}")
            self.until("ready", STEP_SECONDS)
            found.append(self.result["counts"][name])
        return {event: seen["count"] - found[1][event]["count"] for event, seen in found[0].items()}

    def executed(self, name, sizes):
        """
        Returns how many more instructions the guest executes if a workload's size grows by one.
        """
        event, counts = "instructions", []
        found = {"error": None, "instructions": 0}
        with self.errors_kept():
            self.guest.qmp("vpmu-observe", event=event)
            for size in sizes:
                before = self.guest.observed(event)
                self.guest.send(f"{name} {size}")
                self.until("ready", STEP_SECONDS)
                counts.append(self.guest.observed(event) - before)
            found["instructions"] = (counts[-1] - counts[-2]) / (sizes[-1] - sizes[-2])
        return found | {"error": self.result["error"]}

    def translated(self, name, seconds):
        """
        Measures what is translated while a booted guest works for this many seconds. The guest
        first does a little of the same work. Also estimates an upper limit for the time of one
        block: all processor time of the boot divided by its blocks.
        """
        found = {"error": None, "seconds": seconds}
        with self.errors_kept():
            jit = translation(self.guest.monitor("info jit"))
            found["block_ms"] = 1000 * cpu_seconds(self.guest.process.pid) / jit["blocks"]
            self.guest.send(f"{name} {WARM}")
            self.until("ready", STEP_SECONDS)
            self.guest.send(f"{name} 1000000")
            self.until("begin", STEP_SECONDS)
            before = translation(self.guest.monitor("info jit"))
            cpu = cpu_seconds(self.guest.process.pid)
            time.sleep(seconds)
            after = translation(self.guest.monitor("info jit"))
            found["cpu"] = cpu_seconds(self.guest.process.pid) - cpu
            found |= {key: after[key] - before[key] for key in ("flushes", "blocks", "host_bytes")}
        return found | {"error": self.result["error"]}
