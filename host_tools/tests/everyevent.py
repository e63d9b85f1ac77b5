# SPDX-License-Identifier: GPL-2.0-or-later
"""Each event, in a host and in its guest: samples add up to the count of an observer."""
import os
import pathlib
import re
import signal
import time

from machine import Trouble
from recorder import samples_of

TABLE = pathlib.Path(__file__).resolve().parents[2] / "vpmu/src/arm/events.c"
ROW = re.compile(r'^    \{0x[0-9a-f]{4}, [^"]*"([A-Z0-9_]+)",', re.M)
# What no machine, or not this one, makes happen.
NONE = {
    "sw_incr", "chain", "remote_access", "remote_access_rd",
    "stall_slot", "stall_slot_backend", "stall_slot_frontend",
    # Events of a machine with pmu-llc-shared=on; with spe=on; with mte=on; of some cores
    "l1d_cache_inval", "l2d_cache_inval",
    "sample_pop", "sample_feed", "sample_filtrate", "sample_collision",
    "mem_access_checked", "mem_access_checked_rd", "mem_access_checked_wr",
    "l2i_tlb", "l2i_tlb_refill", "bus_access_normal", "ext_mem_req", "br_indirect_addr_pred",
    "br_return_addr_pred", "l1d_cache_refill_dm", "l2d_cache_refill_dm", "l2_miss_count",
    "bus_read_total_mem", "bus_write_total_mem", "uop_spec", "fp_mv_spec", "prd_spec", "fp_ld_spec",
    "fp_st_spec", "bc_ld_spec", "effective_inst_spec", "pre_index_spec", "post_index_spec",
}
# As many as a recording can have, of two worlds.
BATCH = 16
# Of processor time
SECONDS = 0.5
# In real time, if the machine does nothing
PATIENCE = 60


def processor_time(pid):
    """Returns the seconds that a process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def go_on(case):
    """Lets the machine run for a time that does not depend on how busy the computer is."""
    pid = case.machine.process.pid
    end, until = processor_time(pid) + SECONDS, time.monotonic() + PATIENCE
    case.machine.command("cont")
    while processor_time(pid) < end and time.monotonic() < until:
        time.sleep(0.02)
    case.machine.command("stop")


def compare(case, name, events, period, disturb=None):
    """Records while the machine runs for some time. Returns the counts by vCPU and event."""
    for event in events:
        case.machine.command("vpmu-observe", event=event)
    recorder = case.record(name, "-j", "-e", ",".join(events), "-c", str(period), "--buffer", "65536")
    go_on(case)
    if disturb:
        disturb(case)
        go_on(case)
    observed = case.observed()
    code, rows, _ = recorder.end(signal.SIGINT)
    case.equal(f"{name}.code", 0, code)
    case.check_sum(name, rows, samples_of(recorder.path))
    counts = {(row["cpu"], row["event"]): row["counter-value"] for row in rows}
    case.equal(f"{name}.observed", observed, counts)
    case.wait_state("finished")
    for event in events:
        case.machine.command("vpmu-unobserve", name=event)
    return counts


def can_be(case, name):
    """Tells whether this machine can observe the event."""
    try:
        case.machine.command("vpmu-observe", event=name)
    except Trouble as trouble:
        if "cannot observe" not in str(trouble):
            raise
        return False
    case.machine.command("vpmu-unobserve", name=name)
    return True


def check(case, period):
    """A hypervisor at EL2, a kernel and programs below it, and their guest."""
    table = [name.lower() for name in ROW.findall(TABLE.read_text(encoding="utf-8"))]
    names = [name for name in table if can_be(case, name)]
    case.equal("every-event.none", NONE, set(table) - set(names))
    seen = {}
    for at in range(0, len(names), BATCH):
        events = [f"{name}:{world}" for name in names[at:at + BATCH] for world in "GH"]
        seen |= compare(case, f"every-event-{at}", events, period)
    case.equal("every-event.names", True, len(names) > 60 and len(seen) == 2 * len(names))
    # What does not happen there counts 0, to both; a guest has no exceptions of its own, nor data.
    for world, least in (("G", 10), ("H", 30)):
        happened = sum(value > 0 for (_, event), value in seen.items() if event.endswith(world))
        case.equal(f"every-event.{world}", (True, happened), (happened >= least, happened))


def check_migrated(case, migrate):
    """The host and its guest migrate to another QEMU and back."""
    compare(case, "migrated-worlds", [f"{name}:{world}" for name in
            ("instructions", "exc_taken", "ld_retired", "br_retired") for world in "GH"], 97, migrate)
