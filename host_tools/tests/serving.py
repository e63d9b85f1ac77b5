# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the exporter as a program, with requests over HTTP."""
import http.client
import os
import re
import signal
import socket
import subprocess
import threading
import time

# What anything may take that is waited for.
SECONDS = 120


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(SECONDS)
        self.sock.connect(self.path)


class Exporter:
    """A running exporter. Lines are its messages on standard error since it listens."""

    def __init__(self, program, arguments, directory, **environment):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("VPMU_QMP", "XDG_RUNTIME_DIR")}
        self.process = subprocess.Popen([program, "exporter", *arguments], cwd=directory, text=True,
                                        encoding="utf-8", stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        env={**kept, "LC_ALL": "C", **environment})
        self.before = []
        self.lines = []
        self.address = None
        for line in self.process.stderr:
            found = re.match(r"vpmu-stats: listening on (.*)\n", line)
            if found:
                self.address = found[1]
                break
            self.before.append(line.rstrip("\n"))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def connection(self):
        if self.address.startswith("unix:"):
            return UnixConnection(self.address.removeprefix("unix:"))
        host, port = self.address.rsplit(":", 1)
        return http.client.HTTPConnection(host.strip("[]"), int(port), timeout=SECONDS)

    def get(self, path="/metrics", method="GET", **headers):
        """Returns the status, the headers and the text."""
        connection = self.connection()
        try:
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def metrics(self):
        """Returns the values as text, by the text before them."""
        status, _, text = self.get()
        if status != 200:
            raise OSError(f"HTTP status {status}")
        return parse(text)

    def wait(self, condition):
        """Requests the metrics until the condition holds. Returns these or the last ones."""
        end = time.monotonic() + SECONDS
        while True:
            metrics = self.metrics()
            if condition(metrics) or time.monotonic() > end:
                return metrics
            time.sleep(0.05)

    def end(self, sign=signal.SIGTERM):
        """Ends the exporter. Returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(sign)
        try:
            code = self.process.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
            self.process.wait()
        self.reader.join(SECONDS)
        return code


def parse(text):
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def of_machine(metrics, machine):
    """Returns the metrics of a machine, without its name."""
    label = f'{{machine="{machine}"'
    return {name.replace(label, "{", 1).replace("{,", "{").replace("{}", ""): value
            for name, value in metrics.items() if label in name}


def check_metrics(promtool, text):
    """Returns the message of promtool; None if there is none."""
    done = subprocess.run([promtool, "check", "metrics"], input=text, text=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode or done.stdout.strip():
        return f"expected no complaint of promtool got {done.returncode}: {done.stdout[-300:]!r}"
    return None
