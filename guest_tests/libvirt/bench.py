# SPDX-License-Identifier: GPL-2.0-or-later
"""A libvirtd of our own, the console of the guest that it runs, virsh and vpmu-stats."""
import json
import os
import pathlib
import queue
import re
import socket
import subprocess
import threading
import time

from machine import ANSWER, Trouble
from patience import LOOK, Patience

HERE = pathlib.Path(__file__).resolve().parent
NAME = "vpmu-test"
# The limit of processor time without progress.
SECONDS = 120
# All processes in the namespace that "enter", its first process, created.
ALL = 1


def until(patience, awaited, condition):
    """Waits for a condition and returns its value."""
    while not (value := condition()):
        if why := patience.over():
            raise Trouble(f"{why}, waiting for {awaited}")
        time.sleep(0.05)
    patience.progress()
    return value


class Console:
    """Where the guest's serial port is connected. Each QEMU that runs the guest connects again."""

    def __init__(self, path, patience):
        self.patience = patience
        self.lines = queue.Queue()
        self.connection = None
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen(4)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.connection, _ = self.server.accept()
            for line in self.connection.makefile("rb"):
                self.lines.put(line.decode(errors="replace").rstrip())

    def wait_line(self, pattern):
        while True:
            try:
                line = self.lines.get(timeout=LOOK)
            except queue.Empty:
                if why := self.patience.over():
                    raise Trouble(f"{why}, waiting for {pattern}") from None
                continue
            self.patience.progress()
            print(f"  guest: {line}", flush=True)
            if found := re.search(pattern, line):
                return found

    def lines_until(self, pattern, wanted):
        """Returns what matches before a line that does."""
        rows = []
        while not (found := self.wait_line(f"{pattern}|{wanted}"))[0].startswith(pattern):
            rows.append(found)
        return rows

    def send(self, line):
        self.connection.sendall(line.encode() + b"\n")


class Bench:
    """Controls libvirtd, virsh and vpmu-stats."""

    def __init__(self, uri, qemu, build, program, directory):
        self.uri = uri
        self.qemu = qemu
        self.build = build
        self.program = program
        self.directory = directory
        self.patience = Patience(SECONDS, ALL)
        self.console = Console(self.path("console"), self.patience)
        self.daemon = None
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("VPMU_QMP", "LIBVIRT_DEFAULT_URI")}
        self.environment["LIBVIRT_AUTOSTART"] = "0"

    def path(self, name):
        return os.path.join(self.directory, name)

    def start_daemon(self):
        log = open(self.path("libvirtd.log"), "ab")
        self.daemon = subprocess.Popen(["libvirtd"], stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, env=self.environment)
        until(self.patience, "libvirtd", self.daemon_answers)

    def daemon_answers(self):
        if self.daemon.poll() is not None:
            raise Trouble(f"libvirtd ended with status {self.daemon.returncode}")
        return self.try_virsh("uri").returncode == 0

    def try_virsh(self, *arguments):
        return subprocess.run(["virsh", "-q", "-c", self.uri, *arguments],
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=ANSWER, check=False)

    def virsh(self, *arguments):
        done = self.try_virsh(*arguments)
        if done.returncode:
            raise Trouble(f"virsh {' '.join(arguments)}: {' '.join(done.stderr.split())}")
        return done.stdout

    def define(self, template, name, **values):
        """Makes a domain from a template with its name, and with values between @s."""
        text = (HERE / template).read_text()
        values |= {"name": name, "qemu": self.qemu, "build": self.build,
                   "console": self.path("console")}
        for key, value in values.items():
            text = text.replace(f"@{key.upper()}@", value)
        path = self.path(name + ".xml")
        pathlib.Path(path).write_text(text)
        self.virsh("define", path)

    def observers(self):
        """Returns how many observers the guest has. It asks QEMU, not vpmu-stats."""
        answer = json.loads(self.virsh("qemu-monitor-command", NAME, '{"execute": "query-vpmu"}'))
        return answer["return"][0]["observers"]

    def start_stats(self, *arguments, program=None, prefix=()):
        return subprocess.Popen([*prefix, program or self.program, *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment)

    def end_stats(self, process, sign=None):
        """Returns exit code, lines of output, and lines of errors."""
        if sign:
            process.send_signal(sign)
        try:
            out, err = process.communicate(timeout=ANSWER)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Trouble("vpmu-stats does not end") from None
        return process.returncode, out.splitlines(), err.splitlines()

    def stats(self, *arguments, **more):
        """Runs vpmu-stats to its end."""
        return self.end_stats(self.start_stats(*arguments, **more))

    def start_counting(self, *arguments, count):
        """Starts vpmu-stats stat, and waits until it counts this many events."""
        before = self.observers()
        process = self.start_stats("stat", "-j", *arguments, NAME)

        def counts():
            if process.poll() is not None:
                raise Trouble(f"vpmu-stats ended: {process.stderr.read()}")
            return self.observers() == before + count

        until(self.patience, "observers", counts)
        return process

    def pid(self):
        """Returns the process ID of the guest's QEMU."""
        return int(next(pathlib.Path("/run").rglob(NAME + ".pid")).read_text())
