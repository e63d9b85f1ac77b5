# SPDX-License-Identifier: GPL-2.0-or-later
"""Two results of one program: whether they are the same, and in words what is different."""

from layout import unpack_result


def differs(expected, got):
    """Whether a way is at fault; a program that hangs in the reference says nothing."""
    if got is None or not isinstance(expected, bytes):
        return False
    return got != expected


def fault(result):
    """What is wrong with a result whatever others are, or None."""
    if isinstance(result, bytes):
        misplaced = unpack_result(result)["misplaced"]
        if misplaced:
            return f"a trap of WFI or WFE at {misplaced:#x}, where there is neither"
    return None


def _field(name, a, b):
    if isinstance(a, tuple):
        parts = [f"{name}[{i}] {x:#x}, not {y:#x}" for i, (x, y) in enumerate(zip(b, a)) if x != y]
        return ", ".join(parts)
    return f"{name} {b:#x}, not {a:#x}"


def explain(expected, got):
    """Lines."""
    if got is None:
        return ["it was not run"]
    if isinstance(got, str):
        return [got]
    a, b = unpack_result(expected), unpack_result(got)
    lines = [_field(name, a[name], b[name]) for name in a if name != "log" and a[name] != b[name]]
    for number, (x, y) in enumerate(zip(a["log"], b["log"])):
        if x != y:
            show = [" ".join(f"{word:#x}" for word in entry) for entry in (y, x)]
            lines.append(f"exception {number}: {show[0]}, not {show[1]}")
            break
    return lines
