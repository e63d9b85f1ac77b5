# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints what was measured, as Markdown."""
from meter import BLACKOUTS, LEAKS


# The number of text columns; the columns after them are numbers.
TEXTS = 3


def _cell(value):
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else value


def _print(title, head, rows):
    print(f"### {title}\n")
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if i < TEXTS else "---:" for i in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(_cell(value) for value in row) + " |")
    print()


def _phases(trials):
    for run, trial in trials:
        lost = [trial.lost(i) for i in trial.own()]
        yield (run, trial.phase.name, f"`{trial.phase.command.split(' --count')[0]}`",
               trial.known["rounds"] if trial.known else "", len(lost), sum(map(bool, lost)),
               trial.stats.blackout())


def _spreads(trials, kinds):
    for run, trial in trials:
        for kind in kinds(trial):
            spread = trial.stats.spread(kind)
            if spread:
                yield run, trial.phase.name, kind.removeprefix("reason-"), *spread


def _losses(trials):
    for run, trial in trials:
        exits = trial.stats.windows("exit")
        for i in trial.own():
            if trial.lost(i):
                value, lost = trial.rows[i].value, trial.lost(i)
                yield (run, trial.phase.name, f"`{trial.rows[i].event}`", value, lost, lost / exits,
                       100 * lost / (value + lost))


def print_tables(trials):
    """Prints the tables. trials: pairs of the run's name and a Trial that has been finished."""
    spread = ("windows", "least", "mean", "most")
    _print("Phases", ("run", "phase", "command", "rounds", "events", "that lose", "lost by each"),
           _phases(trials))
    _print("Instructions in windows, by kind", ("run", "phase", "window") + spread,
           _spreads(trials, lambda _: BLACKOUTS + LEAKS))
    _print("Instructions in the windows of exits, by reason", ("run", "phase", "reason") + spread,
           _spreads(trials, lambda trial: trial.stats.reasons()))
    _print("What events lose", ("run", "phase", "event", "perf", "lost", "per exit", "%"),
           _losses(trials))
