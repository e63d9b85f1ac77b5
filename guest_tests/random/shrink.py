# SPDX-License-Identifier: GPL-2.0-or-later
"""
Finds the smallest program that still makes a difference. Many candidates run at once, as programs
of one image.
"""

from layout import MASK

# The number of programs at once.
BATCH = 48


def without(items, start, count):
    return items[:start] + items[start + count:]


def _passes(program, differ, size):
    """Removes pieces of one size, as long as any can be removed."""
    while program.items:
        starts = list(range(0, len(program.items), size))
        candidates = [program.copy(items=without(program.items, s, size)) for s in starts]
        good = [s for s, bad in zip(starts, differ(candidates)) if bad]
        if not good:
            break
        program = _together(program, good, differ, lambda smaller, start: smaller.copy(
            items=without(smaller.items, start, size)))
    return program


def _together(program, changes, differ, change):
    """
    Returns all changes that work together, out of those that work alone; or the first half of them,
    and so on; at least the first.
    """
    tries = []
    take = len(changes)
    while take:
        changed = program
        for one in reversed(changes[:take]):
            changed = change(changed, one)
        tries.append(changed)
        take //= 2
    if len(tries) == 1:
        return tries[0]
    return next((t for t, bad in zip(tries, differ(tries)) if bad), tries[-1])


def _words(program):
    """Replaces instructions of items, one by one, by a NOP of the same size."""
    nops = program.state.nops
    candidates = []
    for number, (name, words) in enumerate(program.items):
        for at, word in enumerate(words):
            nop = nops(name, word)
            if word != nop and len(words) > 1:
                items = list(program.items)
                items[number] = (name, words[:at] + [nop] + words[at + 1:])
                candidates.append(items)
    return candidates


def _simpler(program):
    """Returns candidates in which one value is more usual than it was."""
    values, state = program.values, program.state
    for name in state.controls:
        value = values.get(name, 0)
        if name in state.fixed_controls or not value:
            continue
        plain = program.plain.get(name, 0) | value & state.kept.get(name, 0)
        if value != plain:
            yield program.copy(**{name: plain})
        for n in range(64):
            if value >> n & 1 and not plain >> n & 1 and name not in state.whole_controls:
                yield program.copy(**{name: value & ~(1 << n) & MASK})
    for name, count in state.arrays.items():
        for n in range(count):
            if values[name][n]:
                yield program.copy(**{name: values[name][:n] + [0] + values[name][n + 1:]})
    for n, value in enumerate(values["regs"]):
        if value and n not in state.fixed:
            yield program.copy(regs=values["regs"][:n] + [0] + values["regs"][n + 1:])
    yield from _rounds(program)


def _greedy(program, differ, make):
    """Keeps as many as possible of candidates that each change one thing."""
    for _ in range(40):
        candidates = list(make(program))
        found = None
        for start in range(0, len(candidates), BATCH):
            part = candidates[start:start + BATCH]
            found = next((c for c, bad in zip(part, differ(part)) if bad), None)
            if found:
                break
        if not found:
            return program
        program = found
    return program


def shrink(program, differ, batch=BATCH):
    """
    differ(programs) says for each program whether it makes a difference. It may stop at the first
    that does.
    """
    def in_batches(candidates):
        answers = []
        for start in range(0, len(candidates), batch):
            answers += differ(candidates[start:start + batch])
            if batch != BATCH and any(answers):
                break
        return answers

    program = _greedy(program, differ, _rounds)
    size = max(len(program.items) // 2, 1)
    while True:
        program = _passes(program, in_batches, size)
        if size == 1:
            break
        size = max(size // 4, 1)
    program = _simplify(program, in_batches)
    program = _passes(program, in_batches, 1)
    return _greedy(program, differ, lambda p: (p.copy(items=i) for i in _words(p)))


def _rounds(program):
    if program.state.rounds(program.values) > 1:
        yield program.copy(**program.state.one_round(program.values))


def _simplify(program, differ):
    for _ in range(20):
        candidates = list(_simpler(program))
        good = [c for c, bad in zip(candidates, differ(candidates)) if bad]
        if not good:
            break
        before = program
        program = _together(program, good, differ, lambda now, one: now.copy(**{
            name: _merge(now.values.get(name, 0), before.values.get(name, 0), value)
            for name, value in one.values.items() if value != before.values.get(name)}))
    return program


def _merge(now, before, after):
    """Applies the change from before to after to another version."""
    if isinstance(now, list):
        return [a if a != b else n for n, b, a in zip(now, before, after)]
    return now & ~(before & ~after) | after & ~before
