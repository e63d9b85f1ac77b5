# SPDX-License-Identifier: GPL-2.0-or-later
"""vpmu-stats beside a machine."""
import json
import subprocess

from machine import Trouble


class Stats:
    """
    PROGRAM is vpmu-stats, SOCKET the machine's monitor, TIME how long it measures, in milliseconds.
    """

    def __init__(self, program, socket, time):
        self.program = program
        self.socket = socket
        self.time = time

    def run(self, *arguments):
        """Returns what vpmu-stats prints: JSON objects, one in a line."""
        done = subprocess.run([self.program, *arguments, "-j"], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise Trouble(f"vpmu-stats {arguments[0]}: {done.stderr.strip()}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def measure(self, subcommand, *arguments):
        return self.run(subcommand, f"--qmp={self.socket}", f"--timeout={self.time}", *arguments)
