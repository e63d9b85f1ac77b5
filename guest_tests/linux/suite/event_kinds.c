/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the PMU as Linux sees them. */
#include "event_kinds.h"

#include "suite.h"

#define BR_ALL (BR_IMMED | BR_RETURN | BR_INDIRECT)

/* Sorted by number. */
const struct pmu_event pmu_events[] = {
    {0x0001, "l1i_cache_refill", UNKNOWN, NEEDS_NOTHING},
    {0x0002, "l1i_tlb_refill", UNKNOWN, NEEDS_NOTHING},
    {0x0003, "l1d_cache_refill", UNKNOWN, NEEDS_NOTHING},
    {0x0004, "l1d_cache", LD | ST, NEEDS_NOTHING},
    {0x0005, "l1d_tlb_refill", UNKNOWN, NEEDS_NOTHING},
    {0x0006, "ld_retired", LD, NEEDS_NOTHING},
    {0x0007, "st_retired", ST, NEEDS_NOTHING},
    {0x0008, "inst_retired", INST, NEEDS_NOTHING},
    {0x0009, "exc_taken", UNKNOWN, NEEDS_NOTHING}, /* including interrupts */
    {0x000a, "exc_return", NEVER, NEEDS_NOTHING},
    {0x000b, "cid_write_retired", NEVER, NEEDS_NOTHING},
    {0x000c, "pc_write_retired", PC_WRITE, NEEDS_NOTHING},
    {0x000d, "br_immed_retired", BR_IMMED, NEEDS_NOTHING},
    {0x000e, "br_return_retired", BR_RETURN, NEEDS_NOTHING},
    {0x000f, "unaligned_ldst_retired", UNALIGNED, NEEDS_NOTHING},
    {0x0010, "br_mis_pred", UNKNOWN, NEEDS_NOTHING},
    {0x0011, "cpu_cycles", UNKNOWN, NEEDS_NOTHING},
    {0x0012, "br_pred", BR_ALL, NEEDS_NOTHING},
    {0x0013, "mem_access", LD | ST, NEEDS_NOTHING},
    {0x0014, "l1i_cache", UNKNOWN, NEEDS_NOTHING},
    {0x0015, "l1d_cache_wb", UNKNOWN, NEEDS_NOTHING},
    {0x0016, "l2d_cache", UNKNOWN, NEEDS_L2},
    {0x0017, "l2d_cache_refill", UNKNOWN, NEEDS_L2},
    {0x0018, "l2d_cache_wb", UNKNOWN, NEEDS_L2},
    {0x0019, "bus_access", UNKNOWN, NEEDS_NOTHING},
    {0x001b, "inst_spec", INST, NEEDS_NOTHING},
    {0x001c, "ttbr_write_retired", NEVER, NEEDS_NOTHING},
    {0x001d, "bus_cycles", UNKNOWN, NEEDS_NOTHING},
    {0x0020, "l2d_cache_allocate", UNKNOWN, NEEDS_L2},
    {0x0021, "br_retired", BR_ALL, NEEDS_NOTHING},
    {0x0022, "br_mis_pred_retired", UNKNOWN, NEEDS_NOTHING},
    {0x0023, "stall_frontend", UNKNOWN, NEEDS_STALLS},
    {0x0024, "stall_backend", UNKNOWN, NEEDS_STALLS},
    {0x0025, "l1d_tlb", LD | ST, NEEDS_NOTHING},
    {0x0026, "l1i_tlb", UNKNOWN, NEEDS_NOTHING},
    {0x0029, "l3d_cache_allocate", UNKNOWN, NEEDS_LLC},
    {0x002a, "l3d_cache_refill", UNKNOWN, NEEDS_LLC},
    {0x002b, "l3d_cache", UNKNOWN, NEEDS_LLC},
    {0x002d, "l2d_tlb_refill", UNKNOWN, NEEDS_NOTHING},
    {0x002f, "l2d_tlb", UNKNOWN, NEEDS_NOTHING},
    {0x0031, "remote_access", NEVER, NEEDS_NOTHING},
    {0x0032, "ll_cache", UNKNOWN, NEEDS_LLC},
    {0x0033, "ll_cache_miss", UNKNOWN, NEEDS_LLC},
    {0x0034, "dtlb_walk", UNKNOWN, NEEDS_NOTHING},
    {0x0035, "itlb_walk", UNKNOWN, NEEDS_NOTHING},
    {0x0036, "ll_cache_rd", UNKNOWN, NEEDS_LLC},
    {0x0037, "ll_cache_miss_rd", UNKNOWN, NEEDS_LLC},
    {0x0039, "l1d_cache_lmiss_rd", UNKNOWN, NEEDS_P4},
    {0x003a, "op_retired", INST, NEEDS_NOTHING},
    {0x003b, "op_spec", INST, NEEDS_NOTHING},
    {0x003c, "stall", UNKNOWN, NEEDS_STALLS},
    {0x003d, "stall_slot_backend", UNKNOWN, NEEDS_SLOTS},
    {0x003e, "stall_slot_frontend", UNKNOWN, NEEDS_SLOTS},
    {0x003f, "stall_slot", UNKNOWN, NEEDS_SLOTS},
    {0x0040, NULL, LD, NEEDS_NOTHING},
    {0x0041, NULL, ST, NEEDS_NOTHING},
    {0x0042, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x0043, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x0046, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x004e, NULL, LD, NEEDS_NOTHING},
    {0x004f, NULL, ST, NEEDS_NOTHING},
    {0x0050, NULL, UNKNOWN, NEEDS_L2},
    {0x0051, NULL, UNKNOWN, NEEDS_L2},
    {0x0052, NULL, UNKNOWN, NEEDS_L2},
    {0x0053, NULL, UNKNOWN, NEEDS_L2},
    {0x0056, NULL, UNKNOWN, NEEDS_L2},
    {0x0060, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x0061, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x0066, NULL, LD, NEEDS_NOTHING},
    {0x0067, NULL, ST, NEEDS_NOTHING},
    {0x0068, NULL, UNALIGNED_LD, NEEDS_NOTHING},
    {0x0069, NULL, UNALIGNED_ST, NEEDS_NOTHING},
    {0x006a, NULL, UNALIGNED, NEEDS_NOTHING},
    {0x006c, NULL, EXCLUSIVE, NEEDS_NOTHING},
    {0x006f, NULL, EXCLUSIVE, NEEDS_NOTHING},
    {0x0070, NULL, LD, NEEDS_NOTHING},
    {0x0071, NULL, ST, NEEDS_NOTHING},
    {0x0072, NULL, LD | ST | PREFETCH, NEEDS_NOTHING},
    {0x0073, NULL, DP, NEEDS_NOTHING},
    {0x0074, NULL, ASE, NEEDS_NOTHING},
    {0x0075, NULL, VFP, NEEDS_NOTHING},
    {0x0076, NULL, PC_WRITE_SPEC, NEEDS_NOTHING},
    {0x0078, NULL, BR_IMMED, NEEDS_NOTHING},
    {0x0079, NULL, BR_RETURN, NEEDS_NOTHING},
    {0x007a, NULL, BR_RETURN | BR_INDIRECT, NEEDS_NOTHING},
    {0x007c, NULL, ISB, NEEDS_NOTHING},
    {0x007d, NULL, DSB, NEEDS_NOTHING},
    {0x007e, NULL, DMB, NEEDS_NOTHING},
    {0x0081, NULL, UNDEF, NEEDS_NOTHING},
    {0x0082, NULL, SVC, NEEDS_NOTHING},
    {0x0083, NULL, FETCH_ABORT, NEEDS_NOTHING},
    {0x0084, NULL, DATA_ABORT, NEEDS_NOTHING},
    {0x0086, NULL, UNKNOWN, NEEDS_NOTHING},
    {0x0087, NULL, NEVER, NEEDS_NOTHING},
    {0x0088, NULL, NEVER, NEEDS_NOTHING},
    {0x008a, NULL, NEVER, NEEDS_NOTHING},
    {0x008b, NULL, NEVER, NEEDS_NOTHING},
    {0x008c, NULL, NEVER, NEEDS_NOTHING},
    {0x008d, NULL, NEVER, NEEDS_NOTHING},
    {0x008e, NULL, NEVER, NEEDS_NOTHING},
    {0x008f, NULL, NEVER, NEEDS_NOTHING},
    {0x00a0, NULL, UNKNOWN, NEEDS_LLC},
    {0x00a2, NULL, UNKNOWN, NEEDS_LLC},
    {0x4004, "cnt_cycles", UNKNOWN, NEEDS_P1},
    {0x4006, "l1i_cache_lmiss", UNKNOWN, NEEDS_P4},
    {0x4009, "l2d_cache_lmiss_rd", UNKNOWN, NEEDS_L2_P4},
    {0x400b, "l3d_cache_lmiss_rd", UNKNOWN, NEEDS_LLC_P4},
    {0x4020, "ldst_align_lat", UNALIGNED, NEEDS_P1},
    {0x4021, "ld_align_lat", UNALIGNED_LD, NEEDS_P1},
    {0x4022, "st_align_lat", UNALIGNED_ST, NEEDS_P1},
    {0x8005, NULL, ASE | QUADWORD, NEEDS_P1},
};
const size_t pmu_events_count = ARRAY_SIZE(pmu_events);

bool pmu_event_claimed(const struct pmu_event *event)
{
    switch (event->need) {
    case NEEDS_L2:
        return !machine.no_l2;
    case NEEDS_LLC:
        return !machine.no_llc && !machine.no_l2;
    case NEEDS_CYCLES_MODEL:
        return machine.width > 0;
    case NEEDS_SLOTS:
        return !machine.clock && machine.version >= PMU_P4;
    case NEEDS_STALLS:
        return machine.width > 0 || machine.version >= PMU_P1;
    case NEEDS_P1:
        return machine.version >= PMU_P1;
    case NEEDS_P4:
        return machine.version >= PMU_P4;
    case NEEDS_L2_P4:
        return !machine.no_l2 && machine.version >= PMU_P4;
    case NEEDS_LLC_P4:
        return !machine.no_llc && !machine.no_l2 && machine.version >= PMU_P4;
    case NEEDS_NOTHING:
        break;
    }
    return true;
}

const struct pmu_event *pmu_event_find(unsigned number)
{
    for (size_t i = 0; i < pmu_events_count; i++) {
        if (pmu_events[i].number == number && pmu_event_claimed(&pmu_events[i])) {
            return &pmu_events[i];
        }
    }
    return NULL;
}
