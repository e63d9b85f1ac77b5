# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor of a QEMU whose guest does not run."""
import json
import subprocess
import sys
import time


class Monitor:
    """A QEMU with its monitor at its standard input and output. Use it with `with`."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            [*command, "-nodefaults", "-display", "none", "-qmp", "stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.command("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def command(self, name, **arguments):
        """Returns a command's answer; nothing if it failed."""
        self.process.stdin.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if "return" in answer or "error" in answer:
                return answer.get("return")
        return sys.exit("error: QEMU ended")

    def migrated(self):
        """Waits for the end of a migration. Returns whether it was completed."""
        status = None
        while status not in ("completed", "failed"):
            time.sleep(0.05)
            status = (self.command("query-migrate") or {}).get("status")
        return status == "completed"
