/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The layout of PEBS records: formats 1 to 3, whose words are fixed, and groups of words in 4. */
#include "vpmu/x86/pebs.h"

#include "x86_internal.h"

/*
 * SDM 3B, PEBS Record Format: EFLAGS, IP, GPRs, Applicable Counters and three words of an access;
 * in format 2 EventingIP and TSX besides, in format 3 the TSC.
 */
enum {
    FORMAT_1 = 22,
    FORMAT_2 = 24,
    FORMAT_3 = 25,
};

/* SDM 3B, Adaptive PEBS: the words of each group. */
enum {
    BASIC_WORDS = 4,
    MEMORY_WORDS = 4,
    GPRS_WORDS = 18,
    XMMS_WORDS = 32,
};

#define BASIC_SIZE_SHIFT 48

_Static_assert(VPMU_X86_PEBS_RECORD_WORDS == BASIC_WORDS + MEMORY_WORDS + GPRS_WORDS + XMMS_WORDS +
                                                 VPMU_LBR_RECORD_WORDS * VPMU_X86_PEBS_LBRS,
               "the largest record");

/* Numbers of registers, as instructions encode them. */
enum {
    RAX,
    RCX,
    RDX,
    RBX,
    RSP,
    RBP,
    RSI,
    RDI,
    R8,
    GPRS = 16,
};

/* A record is written from its begin to its end. */
struct writer {
    uint64_t *words;
    unsigned count;
};

static void put(struct writer *w, uint64_t word)
{
    w->words[w->count++] = word;
}

static void put_all(struct writer *w, const uint64_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        put(w, words[i]);
    }
}

static void put_gprs(struct writer *w, const struct vpmu_x86_pebs_cpu *cpu, const uint8_t order[R8])
{
    put(w, cpu->eflags);
    put(w, cpu->ip);
    for (unsigned i = 0; i < R8; i++) {
        put(w, cpu->gprs[order[i]]);
    }
    put_all(w, cpu->gprs + R8, GPRS - R8);
}

static void put_data(struct writer *w, const struct vpmu_x86 *v, uint64_t counters,
                     const struct vpmu_x86_pebs_cpu *cpu)
{
    struct vpmu_x86_pebs_data data = vpmu_x86_pebs_data(v, counters, &cpu->accesses);

    put(w, data.address);
    put(w, data.source);
    put(w, data.latency);
}

static bool is_adaptive(const struct vpmu_x86 *v, uint64_t counters)
{
    uint64_t adaptive = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters & vpmu_x86_implemented_(&v->config)) {
        adaptive |= idx < VPMU_X86_FIXED
                        ? v->regs.select[idx] & VPMU_X86_SEL_ADAPTIVE
                        : v->regs.fixed >> (idx - VPMU_X86_FIXED) * VPMU_X86_FIXED_BITS &
                              VPMU_X86_FIXED_ADAPTIVE;
    }
    return adaptive;
}

static unsigned lbr_entries(uint64_t groups)
{
    return (unsigned)(groups >> VPMU_X86_PEBS_LBR_SHIFT) + 1;
}

/* Up to format 3 ADAPTIVE is reserved, and there is no MSR_PEBS_DATA_CFG. */
uint64_t vpmu_x86_pebs_groups(const struct vpmu_x86 *v, uint64_t counters)
{
    const uint64_t most = (uint64_t)(VPMU_X86_PEBS_LBRS - 1) << VPMU_X86_PEBS_LBR_SHIFT;
    uint64_t entries = v->regs.data_cfg & ~vpmu_below_(VPMU_X86_PEBS_LBR_SHIFT);
    uint64_t groups = v->regs.data_cfg & vpmu_below_(VPMU_X86_PEBS_LBR_SHIFT);

    return is_adaptive(v, counters) ? groups | (entries < most ? entries : most) : 0;
}

static unsigned words_of(uint64_t groups)
{
    return BASIC_WORDS + (groups & VPMU_X86_PEBS_MEMORY ? MEMORY_WORDS : 0u) +
           (groups & VPMU_X86_PEBS_GPRS ? GPRS_WORDS : 0u) +
           (groups & VPMU_X86_PEBS_XMMS ? XMMS_WORDS : 0u) +
           (groups & VPMU_X86_PEBS_LBR ? VPMU_LBR_RECORD_WORDS * lbr_entries(groups) : 0u);
}

unsigned vpmu_x86_pebs_size(const struct vpmu_x86 *v, uint64_t counters)
{
    static const uint8_t sizes[VPMU_X86_PEBS_BASELINE] = {0, FORMAT_1, FORMAT_2, FORMAT_3};

    return vpmu_x86_has_baseline_(&v->config) ? words_of(vpmu_x86_pebs_groups(v, counters))
                                              : sizes[v->config.pebs];
}

static void put_groups(struct writer *w, const struct vpmu_x86 *v, uint64_t counters,
                       const struct vpmu_x86_pebs_cpu *cpu)
{
    static const uint8_t order[] = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI};
    uint64_t groups = vpmu_x86_pebs_groups(v, counters);

    put(w, groups | (uint64_t)words_of(groups) * sizeof(uint64_t) << BASIC_SIZE_SHIFT);
    put(w, cpu->eventing_ip);
    put(w, vpmu_x86_to_global_(counters));
    put(w, cpu->tsc);
    if (groups & VPMU_X86_PEBS_MEMORY) {
        put_data(w, v, counters, cpu);
        put(w, 0); /* TSX */
    }
    if (groups & VPMU_X86_PEBS_GPRS) {
        put_gprs(w, cpu, order);
    }
    if (groups & VPMU_X86_PEBS_XMMS) {
        put_all(w, cpu->xmm, XMMS_WORDS);
    }
    if (groups & VPMU_X86_PEBS_LBR) {
        put_all(w, cpu->lbr, VPMU_LBR_RECORD_WORDS * lbr_entries(groups));
    }
}

static void put_fixed(struct writer *w, const struct vpmu_x86 *v, uint64_t counters,
                      const struct vpmu_x86_pebs_cpu *cpu)
{
    static const uint8_t order[] = {RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP};

    put_gprs(w, cpu, order);
    put(w, counters);
    put_data(w, v, counters, cpu);
    if (v->config.pebs >= 2) {
        put(w, cpu->eventing_ip);
        put(w, 0); /* TSX */
    }
    if (v->config.pebs >= 3) {
        put(w, cpu->tsc);
    }
}

unsigned vpmu_x86_pebs_record(const struct vpmu_x86 *v, uint64_t counters,
                              const struct vpmu_x86_pebs_cpu *cpu,
                              uint64_t words[VPMU_X86_PEBS_RECORD_WORDS])
{
    struct writer w = {.words = words};

    if (vpmu_x86_has_baseline_(&v->config)) {
        put_groups(&w, v, counters, cpu);
    } else {
        put_fixed(&w, v, counters, cpu);
    }
    return w.count;
}
