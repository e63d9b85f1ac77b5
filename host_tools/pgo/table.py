#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
table.py BUILD ARCH...: prints what demo has counted of the program before and after BOLT and AutoFDO.
"""
import json
import pathlib
import sys

PROGRAMS = ("base", "bolt", "afdo")
ROWS = (
    ("instructions", ("instructions:u",)),
    ("branches", ("branches:u",)),
    ("taken branches", ("r20c4:u", "r000c:u")),
    ("mispredicted branches", ("branch-misses:u",)),
    ("L1I misses", ("L1-icache-load-misses:u",)),
    ("instruction TLB misses", ("iTLB-load-misses:u",)),
    ("cycles of the model", ("cycles:u",)),
)


def counts(path):
    """Returns the counts of a report by event."""
    with open(path, encoding="utf-8") as file:
        return {event["event"]: event["value"] for event in json.load(file)["events"]}


def row(name, values):
    """Returns a line: the count before, and each count after with the change in percent."""
    line = f"{name:24}{values[0]:>14,}"
    for value in values[1:]:
        change = (value - values[0]) * 100 / values[0]
        line += f"{value:>16,} {change:+6.1f} %"
    return line


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for arch in sys.argv[2:]:
        reports = [counts(pathlib.Path(sys.argv[1]) / arch / f"{name}.json") for name in PROGRAMS]
        print(f"{arch + ', SQLite':24}{'before':>14}{'after BOLT':>25}{'after AutoFDO':>25}")
        for name, events in ROWS:
            event = next(event for event in events if event in reports[0])
            print(row(name, [report[event] for report in reports]))
        print()


main()
