/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Address spaces of the models of an Arm CPU, and TLB maintenance
 *
 * A TLBI of a shareability domain affects the models of all CPUs.  Each CPU's
 * thread changes its own models: other CPUs put requests into its inbox.  If
 * the models are fed, the CPU is woken and handles the requests before it
 * executes anything after the TLBI, like QEMU's own TLB flushes.  If the models
 * are not fed, nothing is looked up in them, and the CPU handles the requests
 * when they are fed again.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"

/*
 * An address space has the numbers with which the architecture tags TLB
 * entries:  regime, VMID and ASID.  The lower and upper half of the addresses
 * have one space each.
 */
typedef struct VPMUSpaces {
    uint32_t low;
    uint32_t high;
    bool two_stages;
} VPMUSpaces;

#define REGIME_OR_VMID 0xffff0000
#define REGIME_EL3     0xffff0000
#define REGIME_EL2     0xfffe0000
#define REGIME_EL2_TOP 0xfffd0000
#define REGIME_NONE    0xfffb0000
/* In place of an ASID, for the upper half, which is the kernel's and global. */
#define GLOBAL         0x0000fffc

/*
 * The security state, in the highest bits of a VMID.  Numbers of two states can
 * be equal only if a hypervisor has more than 2^14 VMIDs.
 */
static VPMUSpaces spaces_of_state(CPUARMState *env, VPMUSpaces spaces)
{
    uint32_t state = (uint32_t)arm_security_space_below_el3(env) << 30;

    return (VPMUSpaces) {
        .low = spaces.low ^ state, .high = spaces.high ^ state,
        .two_stages = spaces.two_stages,
    };
}

static VPMUSpaces el1_spaces(CPUARMState *env, uint16_t asid)
{
    uint64_t vttbr = arm_is_el2_enabled(env) ? env->cp15.vttbr_el2 : 0;
    uint32_t vmid = extract64(vttbr, 48, 16) << 16;

    return spaces_of_state(env, (VPMUSpaces) {
        .low = vmid | asid, .high = vmid | GLOBAL,
        .two_stages = arm_hcr_el2_eff(env) & (HCR_VM | HCR_DC),
    });
}

static VPMUSpaces el2_spaces(CPUARMState *env, uint16_t asid)
{
    bool has_asid = arm_hcr_el2_eff(env) & HCR_E2H;

    return spaces_of_state(env, (VPMUSpaces) {
        .low = REGIME_EL2 | (has_asid ? asid : 0), .high = REGIME_EL2_TOP,
    });
}

static uint16_t asid_of(CPUARMState *env, int el)
{
    uint64_t tcr = env->cp15.tcr_el[el];

    if (!arm_el_is_aa64(env, el) && !(tcr & TTBCR_EAE)) {
        return extract64(env->cp15.contextidr_el[el], 0, 8);
    }
    return extract64(tcr & TTBCR_A1 ? env->cp15.ttbr1_el[el]
                                    : env->cp15.ttbr0_el[el], 48, 16);
}

/* Is this the Secure state of an AArch32 EL3, which then is PL1 of it? */
static bool el3_is_pl1(CPUARMState *env)
{
    return arm_is_secure_below_el3(env) && !arm_el_is_aa64(env, 3);
}

/* An AArch64 EL3 has no ASIDs. */
static VPMUSpaces el3_spaces(CPUARMState *env, uint16_t asid)
{
    bool has_asid = !arm_el_is_aa64(env, 3);

    return (VPMUSpaces) {
        .low = REGIME_EL3 | (has_asid ? asid : 0), .high = REGIME_EL3,
    };
}

void arm_vpmu_model_moved(CPUARMState *env)
{
    const uint64_t on = SCTLR_M | SCTLR_C;
    int el = arm_current_el(env);
    VPMUSpaces spaces;

    if ((arm_sctlr(env, el) & on) != on) {
        /* Accesses are not cached, and must not hit lines of another space. */
        spaces = (VPMUSpaces) { REGIME_NONE, REGIME_NONE, false };
    } else if (el == 3 || (el == 0 && el3_is_pl1(env))) {
        spaces = el3_spaces(env, asid_of(env, 3));
    } else if (el == 2 || (el == 0 && (arm_hcr_el2_eff(env) & HCR_TGE))) {
        spaces = el2_spaces(env, asid_of(env, 2));
    } else {
        spaces = el1_spaces(env, asid_of(env, 1));
    }
    vpmu_model_set_space(env->pmu.model, spaces.low, spaces.high);
    /*
     * A TLB entry has the smaller page of two stages, but QEMU's has the larger
     * one.
     */
    vpmu_model_set_largest_page(env->pmu.model, spaces.two_stages
                                ? VPMU_PAGE_SHIFT : VPMU_PAGE_MAX_SHIFT);
}

/*
 * What a TLBI removes
 */

typedef enum VPMUScope {
    VPMU_SCOPE_ALL,
    /* The regime; for EL1 and EL0, with the current VMID. */
    VPMU_SCOPE_REGIME,
    VPMU_SCOPE_ASID,
    VPMU_SCOPE_PAGE,
    VPMU_SCOPE_PAGE_ANY_ASID,
} VPMUScope;

/* Indices are op1 and op2, which are opc1 and opc2 of A32 and T32. */
static const uint8_t vpmu_scopes[8][8] = {
    [0] = { VPMU_SCOPE_REGIME, VPMU_SCOPE_PAGE, VPMU_SCOPE_ASID,
      VPMU_SCOPE_PAGE_ANY_ASID, VPMU_SCOPE_ALL, VPMU_SCOPE_PAGE,
      VPMU_SCOPE_ALL, VPMU_SCOPE_PAGE_ANY_ASID },
    [4] = { VPMU_SCOPE_REGIME, VPMU_SCOPE_PAGE, [5] = VPMU_SCOPE_PAGE,
      /* VMALLS12E1 */
      [6] = VPMU_SCOPE_REGIME },
    [6] = { VPMU_SCOPE_REGIME, VPMU_SCOPE_PAGE, [5] = VPMU_SCOPE_PAGE },
};

typedef struct VPMUTLBI {
    unsigned int op1;
    unsigned int crm;
    unsigned int op2;
    bool a32;
    uint64_t value;
} VPMUTLBI;

/*
 * Is this a TLBI by guest physical address?  Models know virtual addresses
 * only, so it removes everything of the VMID.
 */
static bool is_stage2(const VPMUTLBI *tlbi)
{
    return tlbi->op1 == 4 && (tlbi->crm == 0 || tlbi->crm == 4);
}

static bool is_range(const VPMUTLBI *tlbi)
{
    return tlbi->crm == 2 || tlbi->crm == 5 || tlbi->crm == 6;
}

/* Does the TLBI affect the inner or outer shareable domain? */
static bool is_shared(CPUARMState *env, const VPMUTLBI *tlbi)
{
    if (tlbi->op1 == 0 && arm_current_el(env) == 1 &&
        (arm_hcr_el2_eff(env) & HCR_FB)) {
        return true;
    }
    if (tlbi->crm == 4) {
        return (tlbi->op2 & 3) == 0 || (tlbi->op2 & 3) == 3;
    }
    return tlbi->crm <= 3 || tlbi->crm == 5;
}

static VPMUSpaces tlbi_spaces(CPUARMState *env, const VPMUTLBI *tlbi)
{
    const uint64_t host = HCR_E2H | HCR_TGE;
    uint16_t asid = tlbi->a32 ? extract64(tlbi->value, 0, 8)
                              : extract64(tlbi->value, 48, 16);

    if (tlbi->op1 == 6 || (tlbi->op1 == 0 && el3_is_pl1(env))) {
        return el3_spaces(env, asid);
    }
    if (tlbi->op1 == 0 ? (arm_hcr_el2_eff(env) & host) == host
                       : tlbi->op2 != 6 && !is_stage2(tlbi)) {
        return el2_spaces(env, asid);
    }
    return el1_spaces(env, asid);
}

/* With TCR.DS the base of a range has units of 64 KB, whatever the granule. */
static bool has_large_bases(CPUARMState *env, const VPMUTLBI *tlbi)
{
    bool host = arm_hcr_el2_eff(env) & HCR_E2H;
    int el = tlbi->op1 == 0 ? 1 : tlbi->op1 == 4 ? 2 : 3;

    if (el == 1 && host && (env->cp15.hcr_el2 & HCR_TGE)) {
        el = 2;
    }
    return extract64(env->cp15.tcr_el[el],
                     el == 1 || (el == 2 && host) ? 59 : 32, 1);
}

static void set_range(CPUARMState *env, const VPMUTLBI *tlbi,
                      struct vpmu_flush *flush)
{
    uint64_t value = tlbi->value;
    unsigned int granule = 10 + 2 * extract64(value, 46, 2);
    unsigned int pages_log2 = 5 * extract64(value, 44, 2) + 1;
    uint64_t pages = (extract64(value, 39, 5) + 1) << pages_log2;

    if (granule == 10) {
        /* This granule is reserved: the TLBI has no range. */
        return;
    }
    flush->first = sextract64(value, 0, 37)
                   << (has_large_bases(env, tlbi) ? 16 : granule);
    flush->last = flush->first + (pages << granule) - 1;
    if (flush->last < flush->first) {
        flush->last = UINT64_MAX;
    }
}

static void set_page(CPUARMState *env, const VPMUTLBI *tlbi,
                     struct vpmu_flush *flush)
{
    if (tlbi->a32) {
        flush->first = flush->last = extract64(tlbi->value, 12, 20) << 12;
    } else if (is_range(tlbi)) {
        set_range(env, tlbi, flush);
    } else {
        flush->first = flush->last = sextract64(tlbi->value, 0, 44) << 12;
    }
}

static struct vpmu_flush flush_of(CPUARMState *env, const VPMUTLBI *tlbi)
{
    VPMUSpaces spaces = tlbi_spaces(env, tlbi);
    VPMUScope scope = is_stage2(tlbi)
                      ? VPMU_SCOPE_REGIME
                      : vpmu_scopes[tlbi->op1][tlbi->op2];
    struct vpmu_flush flush = {
        .last = UINT64_MAX,
        .space = { spaces.low, spaces.high },
        .mask = { UINT32_MAX, UINT32_MAX },
    };

    if (tlbi->a32 && scope == VPMU_SCOPE_PAGE) {
        /* A kernel's page is global: it may be there with any ASID. */
        scope = VPMU_SCOPE_PAGE_ANY_ASID;
    }
    switch (scope) {
    case VPMU_SCOPE_PAGE:
        set_page(env, tlbi, &flush);
        return flush;
    case VPMU_SCOPE_ASID:
        flush.last = MAKE_64BIT_MASK(0, 55);
        return flush;
    case VPMU_SCOPE_PAGE_ANY_ASID:
        set_page(env, tlbi, &flush);
        /* fall through */
    case VPMU_SCOPE_REGIME:
        flush.mask[0] = flush.mask[1] = REGIME_OR_VMID;
        return flush;
    default:
        flush.mask[0] = flush.mask[1] = 0;
        return flush;
    }
}

/*
 * Sending requests to other CPUs
 */

bool arm_vpmu_has_models;

static void empty_inbox(ARMCPU *cpu)
{
    ARMVPMUInbox *inbox = &cpu->vpmu->inbox;
    struct vpmu_flush flush[ARM_VPMU_INBOX_SIZE];
    unsigned int n;

    qemu_spin_lock(&inbox->lock);
    n = inbox->n;
    memcpy(flush, inbox->flush, n * sizeof(flush[0]));
    inbox->n = 0;
    qemu_spin_unlock(&inbox->lock);

    for (unsigned int i = 0; i < n && cpu->env.pmu.model; i++) {
        vpmu_model_flush(cpu->env.pmu.model, &flush[i]);
    }
}

static void inbox_work(CPUState *cs, run_on_cpu_data data)
{
    empty_inbox(ARM_CPU(cs));
}

static void send_flush(ARMCPU *to, const struct vpmu_flush *flush)
{
    ARMVPMUInbox *inbox = &to->vpmu->inbox;
    bool wake;

    qemu_spin_lock(&inbox->lock);
    wake = inbox->fed && inbox->n == 0;
    if (inbox->n < ARM_VPMU_INBOX_SIZE) {
        inbox->flush[inbox->n++] = *flush;
    } else {
        /* The inbox is full: remove everything. */
        inbox->flush[0] = (struct vpmu_flush) { .last = UINT64_MAX };
        inbox->n = 1;
    }
    qemu_spin_unlock(&inbox->lock);
    if (wake) {
        async_run_on_cpu(CPU(to), inbox_work, RUN_ON_CPU_NULL);
    }
}

void arm_vpmu_model_feed(ARMCPU *cpu, bool fed)
{
    ARMVPMUInbox *inbox = &cpu->vpmu->inbox;

    if (fed != inbox->fed) {
        qemu_spin_lock(&inbox->lock);
        inbox->fed = fed;
        qemu_spin_unlock(&inbox->lock);
        empty_inbox(cpu);
    }
}

void arm_vpmu_tlbi(CPUARMState *env, uint32_t what, uint64_t value)
{
    CPUState *cs, *self = env_cpu(env);
    VPMUTLBI tlbi = {
        .op1 = FIELD_EX32(what, PMUTLBI, OP1),
        .crm = FIELD_EX32(what, PMUTLBI, CRM),
        .op2 = FIELD_EX32(what, PMUTLBI, OP2),
        .a32 = FIELD_EX32(what, PMUTLBI, A32),
        .value = value,
    };
    struct vpmu_flush flush;

    if (!qatomic_read(&arm_vpmu_has_models)) {
        return;
    }
    flush = flush_of(env, &tlbi);
    if (env->pmu.model) {
        vpmu_model_flush(env->pmu.model, &flush);
    }
    if (!is_shared(env, &tlbi)) {
        return;
    }
    CPU_FOREACH(cs) {
        ARMCPU *cpu = ARM_CPU(cs);

        if (cs != self && qatomic_read(&cpu->env.pmu.model)) {
            send_flush(cpu, &flush);
        }
    }
}
