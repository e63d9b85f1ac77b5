# SPDX-License-Identifier: GPL-2.0-or-later
"""
A machine whose console is read and whose monitor is used while it runs, and the report of a test.
Programs that act on a guest from outside share this module. They add this directory to their path.
"""
import json
import os
import queue
import re
import socket
import subprocess
import tempfile
import threading
import time

from patience import LOOK

# Seconds to wait for an answer of the monitor or for an end. This is long because the computer may
# have other work.
ANSWER = 600


def quick_boot():
    """The kernel parameters in linux/quick_boot."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linux", "quick_boot")
    with open(path, encoding="utf-8") as file:
        return " ".join(line.strip() for line in file if not line.startswith("#"))


class Trouble(Exception):
    """The reason why a test fails."""


class Guest:
    """
    A running QEMU: its console as lines, its monitor as functions. The caller passes the console's
    streams.
    """

    def __init__(self, name, patience, monitor_path):
        self.name = name
        self.patience = patience
        self.monitor_path = monitor_path
        self.lines = queue.Queue()
        self.shown = True
        self.monitor = None
        self.process = None
        self.jobs = 0

    def attach_console(self, reader, writer):
        self.console = writer
        threading.Thread(target=self.read_console, args=(reader,), daemon=True).start()

    def read_console(self, reader):
        for line in reader:
            self.lines.put(line.decode(errors="replace").rstrip())
        self.lines.put(None)

    def said(self):
        """Returns what QEMU itself printed, as one line."""
        return ""

    def ended(self):
        """Says why the monitor has closed."""
        return "QEMU ended"

    def wait(self, awaited):
        """Fails when waiting is in vain. Callers that wait call it again and again."""
        if why := self.patience.over():
            raise Trouble(f"{self.name}: {why}, waiting for {awaited}")

    def read_line(self, awaited):
        """Returns the next line of the console. Lines that people should see are printed."""
        while True:
            try:
                line = self.lines.get(timeout=LOOK)
                break
            except queue.Empty:
                self.wait(awaited)
        if line is None:
            raise Trouble(f"{self.name}: ended before it said {awaited}: {self.said()}")
        self.patience.progress()
        if self.shown:
            print(f"  {self.name}: {line}", flush=True)
        return line

    def wait_line(self, pattern):
        """Returns the first line that matches."""
        while True:
            found = re.search(pattern, self.read_line(pattern))
            if found:
                return found

    def lines_until(self, pattern):
        """Returns what the console prints before the first line that matches."""
        lines = []
        while not re.search(pattern, line := self.read_line(pattern)):
            lines.append(line)
        return lines

    def send(self, line):
        """Types a line at the console."""
        try:
            self.console.write(line.encode() + b"\n")
            self.console.flush()
        except OSError:
            raise Trouble(f"{self.name}: ended: {self.said()}") from None

    def wait_pass(self):
        """Returns the guest's own verdict."""
        failed = int(self.wait_line(r"^END passed=\d+ failed=(\d+)")[1])
        if failed:
            raise Trouble(f"{self.name}: {failed} tests failed in the guest")

    def open_socket(self, path):
        """Connects as soon as QEMU listens, which may take long on a busy computer."""
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(ANSWER)
        while True:
            try:
                sock.connect(path)
                return sock
            except OSError:
                if self.process and self.process.poll() is not None:
                    raise Trouble(f"{self.name}: {self.ended()}") from None
                self.wait("a connection")
                time.sleep(0.05)

    def greet(self):
        self.monitor.readline()
        self.command("qmp_capabilities")

    def connect(self):
        self.monitor = self.open_socket(self.monitor_path).makefile("rw")
        self.greet()

    def ask(self, name, arguments):
        """Returns the next answer or event that QEMU sends after a command."""
        try:
            if name:
                self.monitor.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
                self.monitor.flush()
            answer = self.monitor.readline()
        except OSError:
            answer = None
        if not answer:
            raise Trouble(f"{self.name}: {self.ended()}")
        return json.loads(answer)

    def command(self, name, /, **arguments):
        if self.monitor is None:
            self.connect()
        answer = self.ask(name, arguments)
        while True:
            if "error" in answer:
                raise Trouble(f"{self.name}: {name}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]
            answer = self.ask(None, None)

    def job(self, name, /, **arguments):
        """Runs a command that continues in the background, until it has completed."""
        self.jobs += 1
        job_id = f"job{self.jobs}"
        self.command(name, **{"job-id": job_id}, **arguments)
        while True:
            job = next((j for j in self.command("query-jobs") if j["id"] == job_id), None)
            if job is None:
                raise Trouble(f"{self.name}: {name}: QEMU has dropped the job, because it ends")
            if job["status"] == "concluded":
                break
            self.wait(name)
            time.sleep(0.02)
        self.command("job-dismiss", id=job_id)
        if "error" in job:
            raise Trouble(f"{self.name}: {name}: {job['error']}")

    def add_disk(self, directory):
        """Returns the arguments of snapshots in a disk image that no device of the guest shows."""
        path = os.path.join(directory, "disk")
        self.job("blockdev-create", options={"driver": "file", "filename": path, "size": 0})
        self.command("blockdev-add", **{"driver": "file", "node-name": "file", "filename": path})
        self.job("blockdev-create", options={"driver": "qcow2", "file": "file", "size": 1 << 20})
        self.command("blockdev-add", **{"driver": "qcow2", "node-name": "disk", "file": "file"})
        return {"tag": "vpmu", "vmstate": "disk", "devices": ["disk"]}

    def migrate(self, uri):
        """Runs a migration to its end, which leaves the machine stopped."""
        self.command("migrate", uri=uri)
        while True:
            status = self.command("query-migrate")["status"]
            if status == "completed":
                return
            if status in ("failed", "cancelled"):
                raise Trouble(f"{self.name}: the migration {status}")
            self.wait("the migration")
            time.sleep(0.02)


class Machine(Guest):
    """A QEMU that runs on this computer."""

    def __init__(self, command, directory, name, patience, incoming=None):
        super().__init__(name, patience, os.path.join(directory, name))
        extra = ["-serial", "stdio", "-qmp", f"unix:{self.monitor_path},server=on,wait=off"]
        if incoming:
            extra += ["-incoming", "file:" + incoming]
        self.errors = tempfile.TemporaryFile(dir=directory)
        self.process = subprocess.Popen(command + extra, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.attach_console(self.process.stdout, self.process.stdin)

    def said(self):
        """Returns what QEMU itself printed, as one line."""
        self.errors.seek(0)
        return " ".join(self.errors.read().decode(errors="replace").split())

    def ended(self):
        status = self.process.wait(timeout=ANSWER)
        return f"QEMU ended with status {status}: {self.said()}"

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Report:
    """Prints the lines that run-guest reads."""

    def __init__(self):
        self.counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}

    def _add(self, verdict, name, reason=None):
        self.counts[verdict] += 1
        print(f"{verdict} {name}" + (f": {reason}" if reason else ""), flush=True)

    def add(self, name, fault=None):
        """Reports a test that passed, or why it failed."""
        self._add("FAIL" if fault else "PASS", name, fault)

    def skip(self, name, reason):
        self._add("SKIP", name, reason)

    def failed(self):
        return self.counts["FAIL"]

    def end(self):
        print("END passed={PASS} failed={FAIL} skipped={SKIP}".format(**self.counts), flush=True)
