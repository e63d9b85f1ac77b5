/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_PEBS_H
#define VPMU_X86_PEBS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/latency.h"
#include "vpmu/x86/access.h"
#include "vpmu/x86/lbr.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/**
 * vpmu_x86_pebs_armed() - the counters that make a PEBS record when they overflow
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
 * @counters: a mask of counters whose overflows were in @v->regs.due.
 * @reload: if not NULL, the new value of each counter in @counters, indexed by its number:
 *     VPMU_X86_COUNTER_COUNT elements, of which the others are not read. Bits above the counter's
 *     width are dropped, and counts since the overflow are lost. If NULL, the counters continue.
 * @full: the buffer has reached its threshold. This sets OvfBuf and causes a PMI.
 * @now: what the clocks show; NULL if no source is timed.
 *
 * Return: a mask of enum vpmu_due.
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
int vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full,
                       const struct vpmu_now *now);

/**
 * struct vpmu_x86_pebs_data - words of a record, which describe an access
 * @address: Data Linear Address.
 * @source: Data Source Encoding.
 * @latency: Latency, in cycles; on Sapphire Rapids and later twice, as that of the instruction in
 *     bits 15:0 and as that of the cache in 47:32.
 */
struct vpmu_x86_pebs_data {
    uint64_t address;
    uint64_t source;
    uint64_t latency;
};

/**
 * vpmu_x86_pebs_with_data() - the counters whose records describe an access
 *
 * These count loads above a latency (up to format 3 with PEBS_ENABLE.LL_EN), precise stores (with
 * PS_EN), sampled stores, or from format 2 on retired loads and stores.
 *
 * Return: a mask with a bit for each counter, by its number, as vpmu_x86_pebs_armed() has it.
 */
uint64_t vpmu_x86_pebs_with_data(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_together() - the counters that the next record is of
 * @due: the counters that have overflowed at the same instruction.
 *
 * Up to format 2 each counter has a record of its own, because the status does not tell which one
 * overflowed. Later, counters share a record if it can say of each what its event asks for.
 *
 * Return: a part of @due; 0 if @due is 0.
 */
uint64_t vpmu_x86_pebs_together(const struct vpmu_x86 *v, uint64_t due);

/**
 * vpmu_x86_pebs_data() - the words of a record that describe an access
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

/* The most words of a record: 4 basic, 4 of memory, 18 of GPRs, 32 of XMMs, 3 of each LBR entry. */
#define VPMU_X86_PEBS_RECORD_WORDS 154
#define VPMU_X86_PEBS_LBRS 32u

/* The groups of a record, as in MSR_PEBS_DATA_CFG; above them the LBR entries less one. */
#define VPMU_X86_PEBS_MEMORY (1u << 0)
#define VPMU_X86_PEBS_GPRS (1u << 1)
#define VPMU_X86_PEBS_XMMS (1u << 2)
#define VPMU_X86_PEBS_LBR (1u << 3)
#define VPMU_X86_PEBS_LBR_SHIFT 24

/**
 * struct vpmu_x86_pebs_cpu - what a record tells of the CPU, as it is after the instruction
 * @gprs: in the order of instruction encodings: RAX RCX RDX RBX RSP RBP RSI RDI R8 to R15.
 * @eflags: EFLAGS.
 * @ip: the linear address of the next instruction.
 * @eventing_ip: the linear address of the recorded instruction.
 * @tsc: the TSC.
 * @accesses: those of the recorded instruction; VPMU_DATA_UNKNOWN: none.
 * @xmm: XMM0 to XMM15, the low words first. Only used if vpmu_x86_pebs_groups() has
 *     VPMU_X86_PEBS_XMMS.
 * @lbr: FROM, TO and INFO of each entry, the latest first; 0 for an entry that does not exist. Only
 *     used if the groups have VPMU_X86_PEBS_LBR.
 */
struct vpmu_x86_pebs_cpu {
    uint64_t gprs[16];
    uint64_t eflags;
    uint64_t ip;
    uint64_t eventing_ip;
    uint64_t tsc;
    struct vpmu_x86_data_accesses accesses;
    uint64_t xmm[32];
    uint64_t lbr[VPMU_LBR_RECORD_WORDS * VPMU_X86_PEBS_LBRS];
};

/**
 * vpmu_x86_pebs_groups() - the groups of a record besides the basic one
 * @counters: the counters that the record is of.
 *
 * Return: the value of MSR_PEBS_DATA_CFG, with at most VPMU_X86_PEBS_LBRS entries, if one of
 *     @counters has ADAPTIVE set; otherwise 0, and always 0 up to format 3.
 * Source: SDM volume 3B, "Adaptive PEBS".
 */
uint64_t vpmu_x86_pebs_groups(const struct vpmu_x86 *v, uint64_t counters);

/**
 * vpmu_x86_pebs_size() - the size of a record
 * @v: the PMU, which has PEBS.
 * @counters: the counters that the record is of.
 *
 * Return: the number of its 64-bit words, up to VPMU_X86_PEBS_RECORD_WORDS.
 */
unsigned vpmu_x86_pebs_size(const struct vpmu_x86 *v, uint64_t counters);

/**
 * vpmu_x86_pebs_record() - make a record
 * @v: the PMU, which has PEBS.
 * @counters: the counters that the record is of, by their numbers.
 * @cpu: what the record tells of the CPU.
 * @words: is set to the record, in the configured format. Words behind its end are unchanged.
 *
 * Return: the number of words, which is vpmu_x86_pebs_size().
 * Source: SDM volume 3B, "PEBS Record Format" of each processor family, and "Adaptive PEBS".
 */
unsigned vpmu_x86_pebs_record(const struct vpmu_x86 *v, uint64_t counters,
                              const struct vpmu_x86_pebs_cpu *cpu,
                              uint64_t words[VPMU_X86_PEBS_RECORD_WORDS]);

/**
 * vpmu_x86_load_counts() - tell whether a load counts as VPMU_X86_SRC_LOAD_LATENCY
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
