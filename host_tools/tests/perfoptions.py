# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares docs/perf-options.md with the options that --help prints."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "perf-options.md"
# Commands whose section has another title.
COMMANDS = {"top": ["top", "--symbols"]}
OPTION = re.compile(r"`(--?[A-Za-z0-9][a-z0-9-]*)")


def sections():
    """Yields the words of each command and the rows of its table: perf's options, verdict, remark."""
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        name = section.split("\n", 1)[0]
        yield COMMANDS.get(name, [name]), re.findall(
            r"^\| (.*?) \| (same|different|none) \| ?(.*?) ?\|$", section, re.M)


def options_of(text):
    """Returns the options in a text of --help."""
    heads = re.findall(r"^ +(-.*?)(?: {2}|$)", text, re.M)
    return {name for head in heads for name in re.findall(r"(?<![\w-])--?[A-Za-z][a-z0-9-]*", head)}


def forward_references(text, common):
    """Options that a text of --help mentions before it describes them."""
    text = text.split("\n      --usage")[0]
    entries = re.split(r"^(?= {2,6}-)", text, flags=re.M)[1:]
    heads = [options_of(entry) for entry in entries]
    later = set().union(*heads) - set(common)
    found = []
    for entry, head in zip(entries, heads):
        later -= head
        found += [name for name in re.findall(r"(?<![\w-])--?[A-Za-z][a-z0-9-]*", entry)
                  if name in later]
    return found


def fault_of(row, known):
    """Returns what is wrong with a row; None if nothing is."""
    left, verdict, remark = row
    options, said = OPTION.findall(left), set(OPTION.findall(remark))
    missing = [name for name in options if name not in known]
    if verdict == "same" and missing:
        return f"there is no {missing}"
    # A different option has another name, or the remark says that a form is missing.
    if verdict == "different" and missing and not said & known:
        return f"there is no {missing}, and the remark names no option"
    taken = [name for name in options if name in known and name not in said]
    if verdict == "none" and taken:
        return f"there is {taken}, and the remark does not say what it does"
    return None


def check(report, run):
    """@run: takes the arguments of vpmu-stats and returns its output."""
    for words, rows in sections():
        known = options_of(run([*words, "--help"]))
        named = [name for left, _, _ in rows for name in OPTION.findall(left)]
        faults = [f"{row[0]}: {fault}" for row in rows if (fault := fault_of(row, known))]
        faults += [f"{name} has two rows" for name in sorted(set(named)) if named.count(name) > 1]
        report.add(f"tools.perf-options.{words[0]}", f"expected no difference got {faults}" if faults or not rows
                   else None)
