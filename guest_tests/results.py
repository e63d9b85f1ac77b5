# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writes measured tables to docs/results/, with the date, the commit and the computer they come from.

Only a complete run may replace a file in docs/results/. The caller says in `partial` why a run is not
complete (it was quick, it left something out, something failed); such a run is written to
build/results/ instead, and the file there says why.
"""
import datetime
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPLETE, PARTIAL = pathlib.Path("docs/results"), pathlib.Path("build/results")
UNKNOWN = "not recorded"


def git(*arguments):
    """Returns what git prints about this tree, or None if git or the history is missing."""
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True,
                              check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def commit():
    """Returns the commit of this tree, and whether files outside docs/ differ from it."""
    name = git("rev-parse", "--short=12", "HEAD")
    changed = git("diff", "--name-only", "HEAD", "--", ".", ":!docs")
    return (name or UNKNOWN) + (", with local changes" if changed else "")


def version(program):
    """Returns the first line that a program prints for --version."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0]


def processor():
    """
    Returns the model of the processor from /proc/cpuinfo; on other machines the machine's name.
    """
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return models[0] if models else platform.machine()


def environment():
    """Returns what measured numbers depend on."""
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "commit": commit(), "processor": processor(), "processors": os.cpu_count(),
            "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "kernel": platform.release(), "load": os.getloadavg()}


def make_command(target):
    """The make command of a target, with the variables that select another kernel or QEMU."""
    chosen = [f"{name}={os.environ[variable]}" for name, variable in
              (("KERNEL", "KERNEL"), ("QEMU", "QEMU_SERIES")) if os.environ.get(variable)]
    return " ".join(["make", target] + chosen)


def header(found, command):
    """Yields the rows of the table at the top of a file."""
    number, memory = found.get("processors"), found.get("memory")
    load = found.get("load")
    yield "command", f"`{command}`"
    yield "date", found.get("date", UNKNOWN)
    yield "commit", found.get("commit", UNKNOWN)
    yield "processor", found.get("processor", UNKNOWN)
    yield "number of processors", str(number) if number else UNKNOWN
    yield "memory", f"{memory / 2**30:.1f} GiB" if memory else UNKNOWN
    yield "kernel", found.get("kernel", UNKNOWN)
    yield "load at the start", f"{load[0]:.1f}" if load else UNKNOWN
    if found.get("qemu"):
        yield "emulator", found["qemu"]


def fenced(title, lines):
    """Returns a section whose lines are shown unchanged."""
    return f"## {title}\n\n```\n" + "\n".join(line.rstrip() for line in lines) + "\n```\n"


def document(title, command, found, body, partial=None):
    """Returns the whole file as text. `found` is what environment() returned when the run began."""
    parts = ["<!-- SPDX-License-Identifier: GPL-2.0-or-later -->", f"# {title}", "",
             "The command below wrote this file. The next complete run replaces it.", ""]
    if partial:
        parts += [f"**This run is not complete: {partial}.**", ""]
    parts += ["| | |", "| --- | --- |"]
    parts += [f"| {name} | {value} |" for name, value in header(found, command)]
    return "\n".join(parts) + f"\n\n{body.strip()}\n"


def write(name, title, command, found, body, partial=None, root=ROOT):
    """Writes NAME.md, at once or not at all, and says where."""
    path = root / (PARTIAL if partial else COMPLETE) / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    # The temporary file is in the same folder, so that the rename replaces the old file at once.
    temporary = path.with_suffix(".tmp")
    temporary.write_text(document(title, command, found, body, partial), encoding="utf-8")
    os.replace(temporary, path)
    reason = f", because {partial}; docs/results/ is unchanged" if partial else ""
    print(f"-- wrote {path.relative_to(root)}{reason}", flush=True)
    return path
