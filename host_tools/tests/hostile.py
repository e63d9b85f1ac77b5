# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings of a hostile guest, into files and pipes that accept no more data."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

import btf
from recorder import perf, perfs, samples_of, symbol

# In scribble.S: the memory that is overwritten, at the addresses where EL0 and EL1 read it.
REGION = 0x46000000 + 0x40000000


def check_scribbles(case, elf):
    """Frames, threads, files and page tables change all the time, and are never valid."""
    start = symbol(elf, "_start")
    kernel, types = (os.path.join(case.directory, name) for name in ("kallsyms", "types"))
    for seed, more in ((1, ""), (2, ""), (3, "2000 R swapper_pg_dir\n1000 R tramp_pg_dir\n"), (4, "")):
        # In the fourth the pointer to the thread is in upper addresses, with those page tables.
        current = REGION if seed < 4 else 0xffffff8000000000
        pathlib.Path(kernel).write_text(
            f"{start:x} T _text\n{symbol(elf, 'end'):x} T _etext\n{current:x} D __entry_task\n{more}",
            encoding="utf-8")
        pathlib.Path(types).write_bytes(btf.make_any(seed, 256))
        recorder = case.record(f"scribbles-{seed}", "-j", "-g", "-e", "instructions,br_retired", "-c",
                               "97", "--kallsyms", kernel, "--vmlinux", types, "--buffer", "65536")
        case.go_on(30000)
        code, rows, err = recorder.end(signal.SIGINT)
        case.equal(f"scribbles-{seed}.code", (0, ""), (code, err.partition("[")[0]))
        samples = samples_of(recorder.path)
        case.check_sum(f"scribbles-{seed}", rows, samples)
        case.equal(f"scribbles-{seed}.some", True, len(samples) >= 30000)
        # It is looked at, and anything is found; but where there are no such page tables.
        case.equal(f"scribbles-{seed}.threads", seed < 4, len({s.tid for s in samples}) > 100)


def rss_of(pid):
    """Returns the KiB of memory of a process, without files."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1])
    raise ValueError("no RssAnon")


def samples_taken(case):
    return sum(c["samples"] + c["lost"] for c in case.info()["counts"])


def wait_each(case, number):
    """Waits until each vCPU has taken so many samples. On a busy computer some run later than others."""
    while min(c["samples"] + c["lost"] for c in case.info()["counts"]) < number:
        time.sleep(0.05)


def wait_samples(case, number):
    while samples_taken(case) < number:
        time.sleep(0.05)


def without_fake_stack():
    """
    Returns an environment in which AddressSanitizer keeps local variables on the stack. To detect use
    after return, the AddressSanitizer of GCC 13 and later gives each call a new part of a fake stack
    of 11 MiB instead. So memory grows with the number of calls until all 11 MiB have been used.
    """
    options = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "ASAN_OPTIONS": f"{options}:detect_stack_use_after_return=0"}


def check_bounded(case):
    """100,000 samples per second of each vCPU, while they are read and while they are not."""
    recorder = case.record("bounded", "-g", "-e", "instructions", "-F", "100000", "--buffer", "1024",
                           output="/dev/null", env=without_fake_stack())
    pid = case.machine.process.pid
    case.machine.command("cont")
    wait_each(case, 40000)
    # What both allocate once is there by then.
    wait_samples(case, 500000)
    before = rss_of(pid), rss_of(recorder.pid)
    for name, stop, go_on in (("read", signal.SIGCONT, signal.SIGCONT),
                              ("not-read", signal.SIGSTOP, signal.SIGCONT)):
        os.kill(recorder.pid, stop)
        wait_samples(case, samples_taken(case) + 500000)
        # Buffers of 1 MiB had all their memory before; a byte more of each sample would be seen.
        grown = rss_of(pid) - before[0], rss_of(recorder.pid) - before[1]
        case.equal(f"bounded.{name}", (True, grown), (max(grown) < 400, grown))
        os.kill(recorder.pid, go_on)
    case.machine.command("stop")
    case.equal("bounded.code", 0, recorder.end(signal.SIGINT)[0])


def is_alive(case, name):
    case.wait_state("finished")
    before = sum(case.observed().values())
    time.sleep(0.3)
    case.equal(f"{name}.guest", True, sum(case.observed().values()) - before > 10000)
    case.machine.command("stop")


def check_part(case, name, path):
    done = subprocess.run([case.program, "report", "-j", "-i", path], capture_output=True, text=True,
                          check=False)
    case.equal(f"{name}.report", 0, done.returncode)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    case.equal(f"{name}.samples", (True, {"instructions"}),
               (sum(row["samples"] for row in rows) > 1000, {row["event"] for row in rows}))
    check_partial(case.equal, f"{name}.perf", str(path), 1000)


def check_full(case):
    """The disk is full: one line, the old file is unchanged, the samples so far can be read, the
    guest continues."""
    path = os.path.join(case.directory, "full.data")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    for name, output, before in (("file", path, limit), ("device", "/dev/full", None)):
        pathlib.Path(path).write_text("before", encoding="utf-8")
        process = subprocess.Popen(
            [case.program, "record", "--no-names", "-e", "instructions", "-c", "101", "-o", output,
             case.socket], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=before)
        case.wait_state("active", "finishing", "finished")
        case.machine.command("cont")
        _, err = process.communicate(timeout=600)
        case.equal(f"full.{name}.code", (6, 1, True),
                   (process.returncode, err.count("\n"), f"cannot write {output}: " in err))
        case.equal(f"full.{name}.left", "before", pathlib.Path(path).read_text(encoding="utf-8"))
        parts = list(pathlib.Path(case.directory).glob("full.data.*"))
        case.equal(f"full.{name}.parts", (1 if name == "file" else 0, name == "file"),
                   (len(parts), "the samples until then are in " in err))
        for part in parts:
            check_part(case, f"full.{name}", part)
            part.unlink()
        is_alive(case, f"full.{name}")


def check_closed(case):
    """The reader of the pipe closes it, as `| head` does: status 141, as --help says, and no message."""
    process = subprocess.Popen(
        [case.program, "record", "--no-names", "-e", "instructions", "-c", "101", "-o", "-", case.socket],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    case.wait_state("active")
    case.machine.command("cont")
    process.stdout.read(100000)
    process.stdout.close()
    process.wait(timeout=600)
    err = process.stderr.read().decode()
    process.stderr.close()
    case.equal("closed.code", (141, 0), (process.returncode, err.count("\n")))
    is_alive(case, "closed")


def check_partial(equal, name, path, least):
    """Both versions of perf open an incomplete file and find its samples."""
    for version, command in perfs().items():
        lines = perf("script", "-i", path, "-F", "ip", command=command).splitlines()
        equal(f"{name}.{version}", True, len(lines) > least)
