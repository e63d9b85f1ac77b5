# SPDX-License-Identifier: GPL-2.0-or-later
"""
The patches for QEMU as merge writes them. A hunk that is not for all versions names its versions.
"""

import re

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: \[([^]]*)\])?(.*)")
ENCODING = {"encoding": "utf-8", "errors": "surrogateescape"}


class Hunk:
    """Lines that replace others; versions is None for all versions."""

    def __init__(self, at, old, new, lines, versions=None, where=""):
        self.at, self.old, self.new = at, old, new
        self.lines, self.versions, self.where = lines, versions, where

    def has(self, version):
        return self.versions is None or version in self.versions

    def text(self):
        tag = f" [{' '.join(self.versions)}]" if self.versions is not None else ""
        return (f"@@ -{self.at[0]},{len(self.old)} +{self.at[1]},{len(self.new)} @@{tag}{self.where}\n"
                + "".join(line + "\n" for line in self.lines))


def places(old, lines):
    """The places where the lines old are in lines"""
    first = old[0]
    return [i for i, line in enumerate(lines[:len(lines) - len(old) + 1])
            if line == first and lines[i:i + len(old)] == old]


class Patch:
    """A patch for all versions: a message, and hunks for each file"""

    def __init__(self, message):
        self.message, self.files = message, {}

    @classmethod
    def read(cls, path):
        text = path.read_text(**ENCODING)
        patch = cls(text.split("\n---\n", 1)[0].removeprefix("Subject: [PATCH] "))
        lines = iter(text.split("\n---\n", 1)[1].split("\n"))
        for line in lines:
            if line.startswith("+++ b/"):
                hunks = patch.files.setdefault(line[6:], [])
            elif match := HUNK.match(line):
                old, new, body = [], [], []
                count = [int(match[n] or 1) for n in (2, 4)]
                while [len(old), len(new)] != count:
                    line = next(lines)
                    body.append(line)
                    if line[0] in " -":
                        old.append(line[1:])
                    if line[0] in " +":
                        new.append(line[1:])
                hunks.append(Hunk((int(match[1]), int(match[3])), old, new, body,
                                  match[5].split() if match[5] is not None else None, match[6]))
        return patch

    def text(self):
        files = "".join(f"--- a/{name}\n+++ b/{name}\n" + "".join(hunk.text() for hunk in hunks)
                        for name, hunks in self.files.items() if hunks)
        return f"Subject: [PATCH] {self.message}\n---\n{files}" if files else ""


def apply(hunks, before):
    """Applies hunks; None if one does not apply at exactly one place behind the one before it"""
    lines, shift, end = list(before), 0, 0
    for hunk in hunks:
        at = places(hunk.old, before)
        if len(at) != 1 or at[0] < end:
            return None
        end = at[0] + len(hunk.old)
        lines[at[0] + shift:end + shift] = hunk.new
        shift += len(hunk.new) - len(hunk.old)
    return lines
