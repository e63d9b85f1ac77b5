# SPDX-License-Identifier: GPL-2.0-or-later
"""
A QMP peer that looks like a machine with two vCPUs, and can be told to behave otherwise. Counts
grow by a known number with each reading.
"""
import json
import os
import socket
import threading

GREETING = {"QMP": {"version": {"qemu": {"major": 10, "minor": 0, "micro": 0}, "package": ""},
                    "capabilities": ["oob"]}}
PATHS = ["/machine/unattached/device[0]", "/machine/unattached/device[1]"]
SPANS = ("entry", "exit", "inside", "aborted", "leak-host", "leak-guest")
# How far observers of these events move between two readings of a vCPU; others move by 10.
STEPS = {"instructions": 1000, "cycles": 2000, "branches": 100, "branch-misses": 30}


def counter(index=0, **more):
    return {"index": index, "event": 8, "name": "INST_RETIRED", "type": 8 | 1 << 31, "value": 7,
            "enabled": True, "counting": True, "overflow": False, "interrupt": True, **more}


def pmu(cpu, **more):
    return {"cpu-index": cpu, "qom-path": PATHS[cpu], "version": "p5", "event-counters": 6,
            "meter": False, "observers": 0, "runs": "host-el1", "counters": [counter()], **more}


def error(description, kind="GenericError"):
    return {"error": {"class": kind, "desc": description}}


def unknown(peer, request):
    """Answers as QEMU answers an unknown command."""
    return error(f"The command {request['execute']} has not been found", "CommandNotFound")


class Peer:
    """
    Listens at a path. Changes are what it does instead of what is usual, by the command's name, or
    "greeting": a function of the peer and the request that returns an answer without its id, bytes
    to be sent as they are, or None to close the connection.
    """

    def __init__(self, path, changes=None):
        self.changes = changes or {}
        self.observers = {}
        self.meter = False
        self.readings = 0
        self.requests = []
        self.descriptors = []
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen(4)
        self.connection = None
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                self.connection, _ = self.server.accept()
            except OSError:
                return
            try:
                self.talk(self.connection)
            except OSError:
                pass
            self.connection.close()

    def talk(self, connection):
        if not self.send(connection, self.usual("greeting", {}), {}):
            return
        for line in self.lines(connection):
            request = json.loads(line)
            self.requests.append(request["execute"])
            answered = self.send(connection, self.usual(request["execute"], request), request)
            self.close_descriptors()
            if not answered:
                return

    def lines(self, connection):
        data = b""
        while more := self.receive(connection):
            *lines, data = (data + more).split(b"\n")
            yield from lines

    def receive(self, connection):
        more, descriptors, *_ = socket.recv_fds(connection, 65536, 1)
        self.descriptors += descriptors
        return more

    def close_descriptors(self):
        """Closes those that came with a request and that the answer did not take."""
        while self.descriptors:
            os.close(self.descriptors.pop())

    def send(self, connection, answer, request):
        if answer is None:
            return False
        if not isinstance(answer, bytes):
            identity = {"id": request["id"]} if "id" in request else {}
            answer = json.dumps({**answer, **identity}).encode() + b"\r\n"
        connection.sendall(answer)
        return True

    def usual(self, name, request):
        change = self.changes.get(name)
        return change(self, request) if change else self.answer(name, request.get("arguments", {}))

    def answer(self, name, arguments):
        """Answers as QEMU does."""
        method = getattr(self, name.replace("-", "_"), None)
        return method(arguments) if method else unknown(self, {"execute": name})

    def greeting(self, _):
        return GREETING

    def qmp_capabilities(self, _):
        return {"return": {}}

    def query_name(self, _):
        return {"return": {"name": "fake"}}

    def query_uuid(self, _):
        return {"return": {"UUID": "00000000-0000-0000-0000-000000000000"}}

    def query_kvm(self, _):
        return {"return": {"enabled": False, "present": True}}

    def query_vpmu(self, _):
        return {"return": [pmu(0, meter=self.meter), pmu(1, meter=self.meter)]}

    def vpmu_observe(self, arguments):
        if arguments["event"].startswith("nothing"):
            return error(f"cannot observe '{arguments['event']}': an event is one of ...")
        self.observers[arguments["name"]] = arguments["event"]
        return {"return": {}}

    def vpmu_unobserve(self, arguments):
        if self.observers.pop(arguments["name"], None) is None:
            return error(f"there is no observer '{arguments['name']}'")
        return {"return": {}}

    def vpmu_meter(self, arguments):
        self.meter = arguments["enable"]
        return {"return": {}}

    def value(self, name):
        """Returns the value of a statistic: 8 windows of 64 instructions each per reading."""
        if name.startswith("observer/"):
            event = self.observers.get(name.removeprefix("observer/"))
            return event and STEPS.get(event.split(":")[0], 10) * self.readings
        ends = {"-windows": 8, "-instructions": 512, "-cycles": 512, "-nanoseconds": 512}
        for end, step in ends.items():
            if name.endswith(end):
                return step * self.readings
        return 64 if name.endswith(("-min", "-max")) else [0] * 7 + [8 * self.readings]

    def query_stats(self, arguments):
        self.readings += 1
        names = arguments["providers"][0]["names"]
        stats = [{"name": name, "value": self.value(name)} for name in names]
        stats = [stat for stat in stats if stat["value"] is not None]
        return {"return": [{"provider": "vpmu", "qom-path": path, "stats": stats}
                           for path in PATHS]}

    def close(self):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        if self.connection:
            # Whoever reads from it still has it open.
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.connection.close()
