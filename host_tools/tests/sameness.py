# SPDX-License-Identifier: GPL-2.0-or-later
"""Samples of a program do not depend on how the machine runs it."""
import signal
import tempfile

from recorder import Case, perf

# Whatever the size of blocks, the same instructions end the periods: far from an overflow, close to it
# and always close to it, for events of blocks, of helpers and of exceptions, and for cycles.
ALL = "instructions,cycles,ld_retired,pc_write_retired,br_mis_pred,exc_taken,stall_backend,l1d_cache," \
    "l1d_cache_refill,l1i_cache"
# Events, their period, the number of samples, and other arguments of the machine.
SAME = (("instructions,cycles,ld_retired", 1, 2000, []), (ALL, 97, 2000, []), (ALL, 7001, 2000, []),
        (ALL, 40009, 800, []),
        # A miss in the middle of a block ends a period, and nothing else keeps blocks short there.
        ("cycles", 50021, 500, ["-device", "loader,addr=0x47000000,data=1,data-len=4"]))
SAME_WAYS = {"blocks": [], "one-insn": ["-accel", "tcg,one-insn-per-tb=on"],
             "small": ["-accel", "tcg,tb-size=1"]}


def take_samples(report, program, directory, kernel, arguments, least, more):
    """Records a machine for some time, which is counted in instructions."""
    case = Case(report, program, directory, kernel, "-M", "virt", "-icount", "shift=0", *more)
    try:
        recorder = case.record("same", "-g", "--buffer", "65536", *arguments)
        # In a tenth of a second some ways take a hundred times as many.
        case.go_on(least, pause=0.01)
        code, _, _ = recorder.end(signal.SIGINT)
        case.equal("same.code", 0, code)
        return perf("script", "-i", recorder.path, "-F", "tid,period,event,ip").split("\n\n")
    finally:
        case.machine.stop()


def check(report, program, kernel, name, cpu):
    for events, period, least, machine in SAME:
        case_name = f"tools.record.same.{name}.{events.count(',') + 1}-events.{period}"
        arguments = ["-e", events, "-c", str(period)]
        taken = {}
        for way, more in SAME_WAYS.items():
            with tempfile.TemporaryDirectory() as directory:
                taken[way] = take_samples(report, program, directory, kernel, arguments, least,
                                          ["-cpu", cpu, *machine, *more])
        n = min(map(len, taken.values())) - 1
        report.add(f"{case_name}.samples",
                   None if n >= least // 2 else f"expected {least} samples got {n}")
        for way, samples in taken.items():
            report.add(f"{case_name}.{way}", next(
                (f"sample {i}: expected {want!r} got {got!r}"
                 for i, (want, got) in enumerate(zip(taken["one-insn"][:n], samples[:n]))
                 if want != got), None))
