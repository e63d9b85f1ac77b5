# SPDX-License-Identifier: GPL-2.0-or-later
"""A peer that runs with KVM and is recorded: its vCPU has samples, and samples that were lost."""
import os
import struct

from peer import Peer

# The records of vpmu/record.h, by type: the fields after the head.
FIELDS = {1: "QIHHQ", 2: "QQ64s", 3: "QQQIHBBBBHHH", 4: "QQII", 5: "QQQQQII", 6: "QII", 9: "QQQQII"}
START, EVENT, SAMPLE, LOST, COUNT, END, HOST = FIELDS
MAGIC = 0x02434552554d5056
X86 = 2
PERIOD = 100


def record(kind, *values):
    fields = FIELDS[kind]
    return struct.pack("<HHI" + fields, kind, struct.calcsize("<HHI" + fields), 0, *values)


def stream(flags, samples, lost, elsewhere, host=True):
    """The stream of a machine with one vCPU and one event."""
    weight = PERIOD * (samples + lost)
    return b"".join((
        record(START, MAGIC, 1, 1, flags, 0), record(EVENT, PERIOD, 0, b"instructions"),
        *[record(SAMPLE, 1000, 0x8000, PERIOD, 0, 0, 0, 1, 0, 0, 0, 0, 0)] * samples,
        record(LOST, 2000, lost, 0, 0),
        record(HOST, 90, 90, elsewhere, 0, 0, 0) if host else b"",
        record(COUNT, weight, weight, samples, lost, PERIOD, 0, 0), record(END, 3000, 0, 0)))


class RecordedPeer(Peer):
    """Sends this stream when it is recorded."""

    def __init__(self, path, kvm, data):
        self.kvm = kvm
        self.data = data
        self.pipe = None
        super().__init__(path)

    def query_kvm(self, _):
        return {"return": {"enabled": self.kvm, "present": True}}

    def getfd(self, _):
        self.pipe = self.descriptors.pop()
        return {"return": {}}

    def vpmu_record_start(self, _):
        os.write(self.pipe, self.data)
        os.close(self.pipe)
        return {"return": {}}
