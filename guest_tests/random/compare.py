# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares two results of one program, and describes the difference."""


# For these the first entry that differs is enough.
LOGS = {"log": "exception", "samples": "sample"}


def differs(expected, got):
    """
    Returns whether a way is at fault. If a program hangs in the reference, nothing can be said.
    """
    if got is None or not isinstance(expected, bytes):
        return False
    return got != expected


def fault(result, guest):
    """Returns what is wrong with a result by itself, or None."""
    if isinstance(result, bytes):
        misplaced = guest.layout.unpack_result(result)["misplaced"]
        if misplaced:
            return guest.misplaced.format(misplaced)
    return None


def _field(name, a, b):
    if isinstance(a, tuple):
        parts = [f"{name}[{i}] {x:#x}, not {y:#x}" for i, (x, y) in enumerate(zip(b, a)) if x != y]
        return ", ".join(parts)
    return f"{name} {b:#x}, not {a:#x}"


def explain(expected, got, guest):
    """Lines."""
    if got is None:
        return ["it was not run"]
    if isinstance(got, str):
        return [got]
    a, b = guest.layout.unpack_result(expected), guest.layout.unpack_result(got)
    lines = [_field(name, a[name], b[name]) for name in a if name not in LOGS and a[name] != b[name]]
    for name, what in LOGS.items():
        for number, (x, y) in enumerate(zip(a.get(name, ()), b.get(name, ()))):
            if x != y:
                show = [" ".join(f"{word:#x}" for word in entry) for entry in (y, x)]
                lines.append(f"{what} {number}: {show[0]}, not {show[1]}")
                break
    return lines
