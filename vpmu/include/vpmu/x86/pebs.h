/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_PEBS_H
#define VPMU_X86_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/latency.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_x86_pebs_armed() - the counters that make a PEBS record when they overflow
 * @v: the PMU.
 *
 * The machine stops at such an overflow (vpmu_x86_headroom()). Overflows whose records have not
 * been written yet are in @v->regs.due.
 *
 * Return: a mask with a bit for each counter, by its number.
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_done() - the machine has written PEBS records, or could not
 * @v: the PMU.
 * @counters: a mask of counters whose overflows were in @v->regs.due.
 * @reload: if not NULL, the new value of each counter, indexed by its number. Bits above the
 *     counter's width are dropped, and counts since the overflow are lost. If NULL, the counters
 *     continue.
 * @full: the buffer has reached its threshold. This sets OvfBuf and causes a PMI.
 *
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
void vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full);

/**
 * struct vpmu_x86_data_access - an access to memory
 * @address: the linear address.
 * @level: enum vpmu_data_level; VPMU_DATA_UNKNOWN: there was no access.
 * @translated: enum vpmu_translated.
 */
struct vpmu_x86_data_access {
    uint64_t address;
    uint8_t level;
    uint8_t translated;
};

/**
 * struct vpmu_x86_data_accesses - accesses of the instruction that a record describes
 * @load: its slowest read.
 * @store: its slowest write.
 * @locked: it has a LOCK prefix, or is an XCHG.
 */
struct vpmu_x86_data_accesses {
    struct vpmu_x86_data_access load;
    struct vpmu_x86_data_access store;
    bool locked;
};

/**
 * struct vpmu_x86_pebs_data - words of a record, which describe an access
 * @address: Data Linear Address.
 * @source: Data Source Encoding.
 * @latency: Latency, in cycles.
 */
struct vpmu_x86_pebs_data {
    uint64_t address;
    uint64_t source;
    uint64_t latency;
};

/**
 * vpmu_x86_pebs_with_data() - the counters whose records describe an access
 * @v: the PMU.
 *
 * These count loads above a latency (with PEBS_ENABLE.LL_EN), precise stores (with PS_EN), or from
 * format 2 on retired loads and stores.
 *
 * Return: a mask with a bit for each counter, by its number, as vpmu_x86_pebs_armed() has it.
 */
uint64_t vpmu_x86_pebs_with_data(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_data() - the words of a record that describe an access
 * @v: the PMU.
 * @counters: the counters that the record is of.
 * @accesses: those of the instruction.
 *
 * Return: the words of the lowest counter in @counters whose records describe an access; otherwise
 *     zeros.
 * Source: SDM volume 3B, "Load Latency Performance Monitoring Facility", "Precise Store Facility"
 *     and "PEBS Data Linear Address Profiling".
 */
struct vpmu_x86_pebs_data vpmu_x86_pebs_data(const struct vpmu_x86 *v, uint64_t counters,
                                             const struct vpmu_x86_data_accesses *accesses);

/**
 * vpmu_x86_load_counts() - tell whether a load counts as VPMU_X86_SRC_LOAD_LATENCY
 * @v: the PMU.
 * @load: the load.
 *
 * The machine need not tally loads that hit L1 and the first TLB: if the threshold is below their
 * latency, the event counts VPMU_X86_SRC_LOAD instead.
 *
 * Return: true if its latency exceeds MSR_PEBS_LD_LAT_THRESHOLD.
 */
static inline bool vpmu_x86_load_counts(const struct vpmu_x86 *v,
                                        const struct vpmu_x86_data_access *load)
{
    return vpmu_access_latency(load->level, load->translated) > v->regs.load_latency;
}

VPMU_DECLS_END

#endif
