# SPDX-License-Identifier: GPL-2.0-or-later
"""Where record writes: a link, a FIFO, an open file, and over an older file."""
import os
import pathlib
import signal
import stat
import subprocess

from recorder import perf
from reporting import Fxt, run

OLD = b"older and longer " * 100000


def record(case, name, output, *arguments):
    recorder = case.record(name, *(arguments or ("--no-names", "-e", "instructions", "-c", "1009")),
                           output=output)
    case.go_on(2000)
    return recorder.end(signal.SIGINT)


def samples(path, **more):
    return len(perf("script", "-i", path, "-F", "ip", **more).splitlines())


def check_link(case, name, arguments, read):
    """The file that a link names is replaced: the link stays, and so do other names of the old file."""
    target, link, other = (os.path.join(case.directory, f"{name}.{part}")
                           for part in ("target", "link", "other"))
    pathlib.Path(target).write_bytes(OLD)
    os.link(target, other)
    os.symlink(os.path.basename(target), link)
    case.equal(f"outputs.{name}.code", 0, record(case, name, link, *arguments)[0])
    case.equal(f"outputs.{name}.link", (True, OLD),
               (os.path.islink(link), pathlib.Path(other).read_bytes()))
    case.equal(f"outputs.{name}.mode", 0o600, stat.S_IMODE(os.stat(target).st_mode))
    case.equal(f"outputs.{name}.read", True, read(target))


def check_fifo(case):
    """perf reads what the reader of a FIFO gets."""
    fifo, copy = (os.path.join(case.directory, f"outputs.{part}") for part in ("fifo", "copy"))
    os.mkfifo(fifo)
    with open(copy, "wb") as file, subprocess.Popen(["cat", fifo], stdout=file) as reader:
        code, _, _ = record(case, "fifo", fifo)
        reader.wait(timeout=60)
    with open(copy, "rb") as file:
        case.equal("outputs.fifo", (0, True), (code, samples("-", stdin=file) >= 2000))


def check_no_reader(case):
    """A signal ends the wait for a reader of the FIFO."""
    process = subprocess.Popen([case.program, "record", "--no-names", "-o",
                                os.path.join(case.directory, "outputs.fifo"), case.socket],
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               # A shell starts what runs in its background with SIGINT ignored.
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        process.communicate(timeout=1)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    case.equal("outputs.no-reader", -signal.SIGINT, process.returncode)


def check_report(case):
    """A report replaces the file that a link names."""
    data, target, link = (os.path.join(case.directory, f"outputs.{part}")
                          for part in ("data", "report", "report-link"))
    case.equal("outputs.report.record", 0, record(case, "report", data)[0])
    pathlib.Path(target).write_bytes(OLD)
    os.symlink(target, link)
    run(case.program, "report", "-j", "-s", "cpu", "-i", data, "-o", link)
    case.equal("outputs.report", (run(case.program, "report", "-j", "-s", "cpu", "-i", data), True),
               (pathlib.Path(target).read_bytes(), os.path.islink(link)))


def check(case):
    check_link(case, "perf-data", (), lambda path: samples(path) >= 2000)
    check_link(case, "trace", ("--category", "cpu:fixed:instructions_retired,cpu:sample:1009"),
               lambda path: len(Fxt(pathlib.Path(path).read_bytes()).events) >= 2000)
    check_fifo(case)
    check_no_reader(case)
    check_report(case)
