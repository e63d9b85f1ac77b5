/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Last branch records of an x86 CPU, by the vpmu library
 *
 * branches.c reports branches, interrupts and exceptions while records are
 * enabled.  A PMI freezes records.
 *
 * While all near branches are recorded and nobody else wants them, generated
 * code only stores them.  lbr_settle() makes them records before anything else
 * uses or changes the records, their filter, or the CPL.
 *
 * All records tell whether the branch was mispredicted, so blocks feed the
 * model of branch prediction where near branches are recorded.  If records have
 * cycles, all blocks tally them.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "cpu.h"
#include "system/vpmu_compat.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/parts.h"
#include "vpmu/x86/lbr.h"

struct X86LBR {
    struct vpmu_lbr lbr;
    X86CPU *cpu;
    /*
     * Time is the tally of cycles plus an offset: tallies begin at 0 in a QEMU
     * that continues a stream, which has the time.
     */
    uint64_t offset;
};

#define MSR_DEBUGCTL          0x1d9
#define MSR_STATUS_SET        0x391
#define MSR_AMD_STATUS        0xc0000300
#define MSR_AMD_STATUS_CLEAR  0xc0000302
#define MSR_AMD_STATUS_SET    0xc0000303

/* Bits of IA32_DEBUGCTL: BTF, which does nothing, and freezes of counters. */
#define DEBUGCTL_BTF (1ull << 1)
#define DEBUGCTL_FREEZE_PERFMON (1ull << 12)
#define DEBUGCTL_FREEZE_SMM (1ull << 14)

#define LEAF_1C 0x1c

#define NEAR_GROUPS (VPMU_BRGROUP_ALL & ~VPMU_BRGROUP_EXCEPTION)

QEMU_BUILD_BUG_ON(offsetof(X86VPMU, stored));

/*
 * What is recorded
 */

static unsigned int lbr_cpl(CPUX86State *env)
{
    return env->hflags & HF_CPL_MASK;
}

/* Returns the groups of branches that are recorded at a CPL. */
static unsigned int lbr_recorded_at(X86CPU *cpu, unsigned int cpl)
{
    struct vpmu_lbr *lbr = &cpu->vpmu->lbr->lbr;
    unsigned int was = lbr->cpl;
    unsigned int groups;

    vpmu_lbr_move(lbr, cpl);
    groups = vpmu_lbr_recorded(lbr);
    vpmu_lbr_move(lbr, was);
    return groups;
}

static unsigned int lbr_near(X86CPU *cpu, unsigned int ctx)
{
    bool user = ctx == X86_PMU_USER || ctx == X86_PMU_GUEST_USER;

    return lbr_recorded_at(cpu, user ? 3 : 0) & NEAR_GROUPS;
}

static bool lbr_records_far(X86CPU *cpu)
{
    return (lbr_recorded_at(cpu, 0) | lbr_recorded_at(cpu, 3)) &
           VPMU_BRGROUP_EXCEPTION;
}

/* Records have cycles, and these are tallied. */
static bool lbr_counts_cycles(X86CPU *cpu)
{
    return vpmu_lbr_counts_cycles(&cpu->vpmu->lbr->lbr) &&
           !(cpu->vpmu->pmu.config.timed & CYCLES);
}

bool x86_lbr_enabled(X86CPU *cpu)
{
    return cpu->vpmu->lbr && vpmu_lbr_enabled(&cpu->vpmu->lbr->lbr);
}

static vpmu_sources lbr_sources(X86CPU *cpu, unsigned int ctx)
{
    if (!x86_lbr_enabled(cpu) || ctx == X86_PMU_SMM) {
        return 0;
    }
    return (lbr_near(cpu, ctx) ? MISSES : 0) |
           (lbr_counts_cycles(cpu) ? CYCLES : 0);
}

static uint64_t lbr_flags(X86CPU *cpu, unsigned int ctx)
{
    bool alone = !cpu->vpmu->branches;

    if (!x86_lbr_enabled(cpu) || ctx == X86_PMU_SMM) {
        return 0;
    }
    return (lbr_near(cpu, ctx) ? X86_PMU_NEAR_MASK : 0) |
           (alone && lbr_near(cpu, ctx) == NEAR_GROUPS ? X86_PMU_STORED_MASK
                                                       : 0) |
           (lbr_records_far(cpu) ? X86_PMU_FAR_MASK : 0);
}

/*
 * Branches
 */

/* Returns the time at a total of slots of all contexts. */
static uint64_t lbr_time(X86CPU *cpu, uint64_t slots)
{
    return lbr_counts_cycles(cpu)
        ? (slots + cpu->vpmu->lbr->offset) / cpu->env.pmu.width
        : VPMU_BRANCH_NO_TIME;
}

/*
 * Makes records of stored branches.  The CPU has been in one context since the
 * first of them, so the cycles of the other contexts are as they were.
 */
static void lbr_settle(X86CPU *cpu)
{
    VPMUStored *stored = &cpu->vpmu->stored;
    struct vpmu_lbr *lbr = &cpu->vpmu->lbr->lbr;
    uint64_t n = vpmu_stored(stored);
    const VPMUTaken *taken = stored->taken;
    uint64_t others;

    if (likely(!n)) {
        return;
    }
    others = x86_branch_slots(cpu) -
             cpu->env.pmu.totals[taken->ctx][X86_PMU_CYCLES];
    for (uint64_t i = vpmu_lost(n, lbr->ring.depth); i < n; i++) {
        taken = &stored->taken[i % VPMU_TAKEN_KEPT];
        vpmu_lbr_branch(lbr, x86_branch_type(taken->desc),
                        FIELD_EX32(taken->desc, X86PMUTAKEN, MISPREDICTED),
                        taken->from, taken->to,
                        lbr_time(cpu, taken->slots + others));
    }
    stored->size = 0;
}

static void lbr_arrived(X86CPU *cpu)
{
    if (cpu->vpmu->lbr) {
        lbr_settle(cpu);
        vpmu_lbr_move(&cpu->vpmu->lbr->lbr, lbr_cpl(&cpu->env));
    }
}

static void lbr_controls(X86CPU *cpu, struct vpmu_x86_controls *controls)
{
    if (cpu->vpmu->lbr) {
        vpmu_lbr_rdmsr(&cpu->vpmu->lbr->lbr, MSR_DEBUGCTL,
                       &controls->debugctl);
    }
}

static uint64_t lbr_now(X86CPU *cpu)
{
    return lbr_time(cpu, x86_branch_slots(cpu));
}

/* A block reports its branches also if only a recording wants them. */
static bool lbr_in_smm(X86CPU *cpu)
{
    return cpu->env.hflags & HF_SMM_MASK;
}

void x86_lbr_taken(X86CPU *cpu, enum vpmu_branch_type type, bool mispredicted,
                   uint64_t from, uint64_t to)
{
    if (!lbr_in_smm(cpu)) {
        lbr_settle(cpu);
        vpmu_lbr_branch(&cpu->vpmu->lbr->lbr, type, mispredicted, from, to,
                        lbr_now(cpu));
    }
}

void x86_lbr_far(X86CPU *cpu, uint64_t from)
{
    if (!lbr_in_smm(cpu)) {
        lbr_settle(cpu);
        vpmu_lbr_far(&cpu->vpmu->lbr->lbr, lbr_cpl(&cpu->env),
                     VPMU_BRTYPE_TRAP, from, x86_pmu_ip(&cpu->env),
                     lbr_now(cpu));
    }
}

void x86_lbr_debug(X86CPU *cpu)
{
    if (x86_lbr_enabled(cpu)) {
        lbr_settle(cpu);
        vpmu_lbr_debug(&cpu->vpmu->lbr->lbr);
        x86_vpmu_rearm(cpu);
    }
}

static void lbr_interrupting(X86CPU *cpu)
{
    if (cpu->vpmu->lbr) {
        lbr_settle(cpu);
        vpmu_lbr_pmi(&cpu->vpmu->lbr->lbr);
    }
}

/*
 * Registers
 */

enum vpmu_x86_access x86_lbr_rdmsr(X86CPU *cpu, uint32_t msr, uint64_t *val)
{
    if (!cpu->vpmu->lbr) {
        return VPMU_X86_UNKNOWN;
    }
    lbr_settle(cpu);
    return vpmu_lbr_rdmsr(&cpu->vpmu->lbr->lbr, msr, val);
}

enum vpmu_x86_access x86_lbr_wrmsr(X86CPU *cpu, uint32_t msr, uint64_t val)
{
    enum vpmu_x86_access result;

    if (!cpu->vpmu->lbr) {
        return VPMU_X86_UNKNOWN;
    }
    lbr_settle(cpu);
    result = vpmu_lbr_wrmsr(&cpu->vpmu->lbr->lbr, msr, val);
    if (result == VPMU_X86_OK && msr == MSR_DEBUGCTL) {
        x86_vpmu_set_controls(cpu, cpu->vpmu->pmu.controls.halted);
    }
    if (result == VPMU_X86_OK) {
        x86_vpmu_rearm(cpu);
    }
    return result;
}

uint64_t x86_lbr_read_bits(X86CPU *cpu, uint32_t msr)
{
    const struct vpmu_lbr *lbr;

    if (!cpu->vpmu->lbr) {
        return 0;
    }
    lbr = &cpu->vpmu->lbr->lbr;
    switch (msr) {
    case MSR_IA32_PERF_CAPABILITIES:
        return vpmu_lbr_capabilities(&lbr->config);
    case MSR_CORE_PERF_GLOBAL_STATUS:
    case MSR_AMD_STATUS:
        return vpmu_lbr_frozen(lbr) ? VPMU_LBR_STATUS_FROZEN : 0;
    default:
        return 0;
    }
}

void x86_lbr_wrote(X86CPU *cpu, uint32_t msr, uint64_t val)
{
    if (!cpu->vpmu->lbr || !(val & VPMU_LBR_STATUS_FROZEN)) {
        return;
    }
    lbr_settle(cpu);
    switch (msr) {
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
    case MSR_AMD_STATUS_CLEAR:
        vpmu_lbr_thaw(&cpu->vpmu->lbr->lbr);
        break;
    case MSR_STATUS_SET:
    case MSR_AMD_STATUS_SET:
        vpmu_lbr_freeze(&cpu->vpmu->lbr->lbr);
        break;
    default:
        return;
    }
    x86_vpmu_rearm(cpu);
}

void x86_lbr_cpuid(X86CPU *cpu, uint32_t index, struct vpmu_x86_cpuid *leaf)
{
    struct vpmu_x86_cpuid own;

    if (cpu->vpmu->lbr) {
        own = vpmu_lbr_cpuid(&cpu->vpmu->lbr->lbr.config, index);
        leaf->eax |= own.eax;
        leaf->ebx |= own.ebx;
        leaf->ecx |= own.ecx;
        leaf->edx |= own.edx;
    }
}

void x86_lbr_copy(X86CPU *cpu, uint64_t *words, unsigned int count)
{
    if (!cpu->vpmu->lbr) {
        return;
    }
    lbr_settle(cpu);
    for (unsigned int i = 0; i < count; i++) {
        vpmu_lbr_record(&cpu->vpmu->lbr->lbr, i,
                        words + i * VPMU_LBR_RECORD_WORDS);
    }
}

/*
 * Creation and migration
 */

/* What the PMU must be like for the records. */
void x86_lbr_config_pmu(X86CPU *cpu, struct vpmu_x86_config *config)
{
    struct vpmu_lbr_config lbr;

    if (!x86_pmu_config(cpu)->lbr ||
        vpmu_lbr_config_of(config->family, &lbr)) {
        return;
    }
    if (config->vendor == VPMU_X86_INTEL) {
        config->features |= VPMU_X86_HAS_PDCM;
    }
    if (lbr.kind == VPMU_LBR_ARCH) {
        /* A PMI freezes these records by GLOBAL_STATUS of version 4. */
        config->version = 5;
    }
}

static const char *lbr_fault(X86CPU *cpu, struct vpmu_lbr_config *config)
{
    const struct vpmu_x86_config *pmu = &cpu->vpmu->pmu.config;
    const char *why = NULL;

    if (vpmu_lbr_config_of(pmu->family, config)) {
        return "only Nehalem to Cooperlake, Icelake-Server from v4 on, "
               "SapphireRapids, GraniteRapids, SierraForest, EPYC-Genoa and "
               "EPYC-Turin have them";
    }
    if (config->kind == VPMU_LBR_AMD && pmu->version < VPMU_X86_AMD_V2) {
        return "they need 'perfmon-v2' and CPUID leaf 0x80000022";
    }
    if (config->kind == VPMU_LBR_ARCH && cpu->env.cpuid_level < LEAF_1C) {
        return "they need CPUID leaf 0x1c";
    }
    config->address_bits =
        cpu->env.features[FEAT_7_0_ECX] & CPUID_7_0_ECX_LA57 ? 57 : 48;
    config->debugctl = DEBUGCTL_BTF | DEBUGCTL_FREEZE_PERFMON;
    if (pmu->vendor == VPMU_X86_INTEL) {
        config->debugctl |= DEBUGCTL_FREEZE_SMM;
    }
    if (config->kind == VPMU_LBR_LEGACY && pmu->version < 4) {
        config->features &= ~VPMU_LBR_STATUS;
    }
    g_assert(2 * config->depth <= VPMU_TAKEN_KEPT);
    vpmu_lbr_init(&cpu->vpmu->lbr->lbr, config, &why);
    return why;
}

static bool lbr_realize(X86CPU *cpu, Error **errp)
{
    struct vpmu_lbr_config config;
    const char *why;

    if (!x86_pmu_config(cpu)->lbr) {
        return true;
    }
    cpu->vpmu->lbr = g_new0(X86LBR, 1);
    cpu->vpmu->lbr->cpu = cpu;
    why = lbr_fault(cpu, &config);
    if (why) {
        error_setg(errp, "this CPU cannot have last branch records ('lbr'): %s",
                   why);
        g_clear_pointer(&cpu->vpmu->lbr, g_free);
        return false;
    }
    if (config.kind == VPMU_LBR_ARCH) {
        cpu->env.features[FEAT_7_0_EDX] |= CPUID_7_0_EDX_ARCH_LBR;
    }
    return true;
}

static void lbr_reset(X86CPU *cpu)
{
    if (cpu->vpmu->lbr) {
        cpu->vpmu->stored.size = 0;
        vpmu_lbr_reset(&cpu->vpmu->lbr->lbr);
        lbr_arrived(cpu);
    }
}

void x86_lbr_save(X86CPU *cpu, uint8_t *buf)
{
    X86LBR *own = cpu->vpmu->lbr;

    lbr_settle(cpu);
    vpmu_lbr_save(&own->lbr, buf, VPMU_LBR_STATE_SIZE);
    stq_le_p(buf + VPMU_LBR_STATE_SIZE, x86_branch_slots(cpu) + own->offset);
}

bool x86_lbr_load(X86CPU *cpu, const uint8_t *buf)
{
    X86LBR *own = cpu->vpmu->lbr;
    const char *why;

    cpu->vpmu->stored.size = 0;
    lbr_arrived(cpu);
    if (vpmu_lbr_load(&own->lbr, buf, VPMU_LBR_STATE_SIZE, &why)) {
        error_report("last branch records of CPU %d: %s",
                     CPU(cpu)->cpu_index, why);
        return false;
    }
    own->offset = ldq_le_p(buf + VPMU_LBR_STATE_SIZE) - x86_branch_slots(cpu);
    return true;
}

static void lbr_finalize(X86CPU *cpu)
{
    g_clear_pointer(&cpu->vpmu->lbr, g_free);
}

const X86Part x86_lbr_part = {
    .realize = lbr_realize,
    .finalize = lbr_finalize,
    .reset = lbr_reset,
    .controls = lbr_controls,
    .arrived = lbr_arrived,
    .interrupting = lbr_interrupting,
    .sources = lbr_sources,
    .flags = lbr_flags,
};
