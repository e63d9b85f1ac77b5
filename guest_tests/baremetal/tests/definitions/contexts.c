/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What rows need of the machine, and the state in which they run. */
#include "tests/definitions/contexts.h"

#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"

#define ID_AA64ISAR2_EL1 S3_0_C0_C6_2
#define ID_AA64ZFR0_EL1 S3_0_C0_C4_4
#define VNCR_EL2 S3_4_C2_C2_0
#define ZCR_EL1 S3_0_C1_C2_0
#define ZCR_EL2 S3_4_C1_C2_0
#define ZCR_EL3 S3_6_C1_C2_0

#define HCR_EL2_VF BIT(6)
#define HCR_EL2_VI BIT(7)
#define HCR_EL2_APK BIT(40)
#define HCR_EL2_API BIT(41)
#define HCR_EL2_NV1 BIT(43)
#define HCR_EL2_NV2 BIT(45)
#define SCR_EL3_APK BIT(16)
#define SCR_EL3_API BIT(17)
#define SCR_EL3_HXEN BIT(38)
#define CPTR_EL2_TFP BIT(10)
#define CPTR_EL2_NO_TRAPS UINT64_C(0x22ff)
#define CPTR_EL3_EZ BIT(8)
#define CPTR_EL3_ESM BIT(12)
#define CPACR_EL1_NO_TRAPS (UINT64_C(3) << 24 | UINT64_C(3) << 20 | UINT64_C(3) << 16)
#define SCTLR_AARCH32 UINT64_C(0x30c50838)
#define CPACR_AARCH32 (UINT64_C(0xf) << 20)
#define FPEXC_EN BIT(30)
#define MDSCR_EL1_SS BIT(0)
#define MDSCR_EL1_MDE BIT(15)
#define SPSR_SS BIT(21)
#define SPSR_IL BIT(20)
#define SPSR_F BIT(6)
#define SPSR_I BIT(7)
#define DBG_ENABLED_AT_EL0 (BIT(0) | UINT64_C(2) << 1)
#define DBGBCR_BAS (UINT64_C(0xf) << 5)
#define DBGWCR_LOADS_AND_STORES (UINT64_C(3) << 3 | UINT64_C(0xff) << 5)
#define EC_ILLEGAL_STATE 0x0eu
#define EC_PC_ALIGNMENT 0x22u

enum id {
    ISAR0,
    ISAR1,
    ISAR2,
    PFR0,
    PFR1,
    ZFR0,
    MMFR1,
    MMFR2
};

uint8_t definition_buffer[4096] __attribute__((aligned(4096)));

static uint64_t read_id(enum id id)
{
    switch (id) {
    case ISAR0:
        return read_sysreg(id_aa64isar0_el1);
    case ISAR1:
        return read_sysreg(id_aa64isar1_el1);
    case ISAR2:
        return read_sysreg(ID_AA64ISAR2_EL1);
    case PFR0:
        return read_sysreg(id_aa64pfr0_el1);
    case PFR1:
        return read_sysreg(id_aa64pfr1_el1);
    case ZFR0:
        return read_sysreg(ID_AA64ZFR0_EL1);
    case MMFR1:
        return read_sysreg(id_aa64mmfr1_el1);
    default:
        return read_sysreg(id_aa64mmfr2_el1);
    }
}

/* The field of an ID register that says that a feature exists, and its lowest value. */
static const struct {
    enum id id;
    uint8_t shift, least;
} features[] = {
    [HAS_LSE] = {ISAR0, 20, 2},   [HAS_RCPC] = {ISAR1, 20, 1}, [HAS_RCPC2] = {ISAR1, 20, 2},
    [HAS_CRYPTO] = {ISAR0, 4, 2}, [HAS_SVE] = {PFR0, 32, 1},   [HAS_SVE2] = {ZFR0, 0, 1},
    [HAS_BF16] = {ISAR1, 44, 1},  [HAS_FHM] = {ISAR0, 48, 1},  [HAS_FCMA] = {ISAR1, 16, 1},
    [HAS_MTE] = {PFR1, 8, 1},     [HAS_MOPS] = {ISAR2, 16, 1}, [HAS_HBC] = {ISAR2, 20, 1},
    [HAS_JSCVT] = {ISAR1, 12, 1}, [HAS_SB] = {ISAR1, 36, 1},   [HAS_LOR] = {MMFR1, 16, 1},
    [HAS_SME] = {PFR1, 24, 1},    [HAS_NV2] = {MMFR2, 24, 2},  [HAS_VHE] = {MMFR1, 8, 1},
    [HAS_SHA3] = {ISAR0, 32, 1},  [HAS_SM4] = {ISAR0, 40, 1},
};

bool definition_has(unsigned feature)
{
    switch (feature) {
    case 0:
        return true;
    case HAS_FP16:
        return FIELD(read_id(PFR0), 16, 4) == 1;
    case HAS_PAUTH:
        return FIELD(read_id(ISAR1), 4, 8) != 0 || FIELD(read_id(ISAR2), 12, 4) != 0;
    case HAS_HYP:
        return home >= EL2 && has_el(EL2);
    case HAS_EL3:
        return home == EL3;
    case HAS_AARCH32:
        return has_aarch32(EL0);
    default:
        return FIELD(read_id(features[feature].id), features[feature].shift, 4) >=
               features[feature].least;
    }
}

static void set_hcr(uint64_t bits)
{
    write_sysreg(hcr_el2, read_sysreg(hcr_el2) | bits);
}

static void set_tde(void)
{
    write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) | MDCR_EL2_TDE);
}

static void enter_e2h(void)
{
    set_hcr(HCR_EL2_E2H);
}

static void enter_nv2(void)
{
    set_hcr(HCR_EL2_NV | HCR_EL2_NV1 | HCR_EL2_NV2);
    write_sysreg(VNCR_EL2, (uintptr_t)definition_buffer);
}

static void enter_tge(void)
{
    set_hcr(HCR_EL2_TGE);
}

static void enter_host(void)
{
    set_hcr(HCR_EL2_E2H | HCR_EL2_TGE);
}

static void enter_hcr(void)
{
    set_hcr(HCR_EL2_TWI | HCR_EL2_TSC | HCR_EL2_TVM);
}

static void enter_stage2(void)
{
    page_map(0, PAGE_EL1_CODE);
    stage2_enable();
}

static void enter_no_hvc(void)
{
    write_sysreg(scr_el3, read_sysreg(scr_el3) & ~SCR_EL3_HCE);
}

static void enter_no_fp(void)
{
    write_sysreg(cpacr_el1, 0);
}

static void enter_tfp(void)
{
    write_sysreg(cptr_el2, read_sysreg(cptr_el2) | CPTR_EL2_TFP);
}

static void enter_el0_traps(void)
{
    uint64_t sctlr = read_sysreg(sctlr_el1);

    write_sysreg(sctlr_el1, sctlr & ~(SCTLR_EL1_UCT | SCTLR_EL1_NTWI));
}

static void enter_debug(void)
{
    write_sysreg(oslar_el1, 0);
    write_sysreg(dbgbvr0_el1, (uintptr_t)definition_break);
    write_sysreg(dbgbcr0_el1, DBG_ENABLED_AT_EL0 | DBGBCR_BAS);
    write_sysreg(dbgwvr0_el1, (uintptr_t)definition_buffer);
    write_sysreg(dbgwcr0_el1, DBG_ENABLED_AT_EL0 | DBGWCR_LOADS_AND_STORES);
    write_sysreg(mdscr_el1, MDSCR_EL1_MDE);
}

static void enter_debug_tde(void)
{
    enter_debug();
    set_tde();
}

static void enter_step(void)
{
    write_sysreg(oslar_el1, 0);
    write_sysreg(mdscr_el1, MDSCR_EL1_SS);
}

static void enter_step_tde(void)
{
    enter_step();
    set_tde();
}

static void enter_virq(void)
{
    set_hcr(HCR_EL2_IMO | HCR_EL2_VI);
}

static void enter_vfiq(void)
{
    set_hcr(HCR_EL2_FMO | HCR_EL2_VF);
}

static void enter_sgi(void)
{
    gic_enable(0);
}

static void enter_imo(void)
{
    enter_sgi();
    set_hcr(HCR_EL2_IMO);
}

/* Without translation; CP15's barriers and both coprocessors of floating point are enabled. */
static void enter_aarch32(void)
{
    write_sysreg(sctlr_el1, SCTLR_AARCH32);
    write_sysreg(cpacr_el1, CPACR_AARCH32);
    write_sysreg(fpexc32_el2, FPEXC_EN);
    write_sysreg(hcr_el2, 0);
}

#define HOMES_ALL (1u << EL1 | 1u << EL2 | 1u << EL3)
#define HOMES_HYP (1u << EL2 | 1u << EL3)

static const struct {
    void (*enter)(void);
    uint8_t level;
    uint8_t homes; /* mask of the levels at which the image may have been started */
} contexts[AT_COUNT] = {
    [AT_EL0] = {NULL, EL0, HOMES_ALL},
    [AT_EL1] = {NULL, EL1, HOMES_ALL},
    [AT_EL2] = {NULL, EL2, HOMES_HYP},
    [AT_EL3] = {NULL, EL3, 1u << EL3},
    [AT_EL2_E2H] = {enter_e2h, EL2, HOMES_HYP},
    [AT_EL1_NV2] = {enter_nv2, EL1, HOMES_HYP},
    [AT_EL0_TGE] = {enter_tge, EL0, HOMES_HYP},
    [AT_EL0_HOST] = {enter_host, EL0, HOMES_HYP},
    [AT_EL0_TDE] = {set_tde, EL0, HOMES_HYP},
    [AT_EL1_TDE] = {set_tde, EL1, HOMES_HYP},
    [AT_EL1_HCR] = {enter_hcr, EL1, HOMES_HYP},
    [AT_EL1_S2] = {enter_stage2, EL1, HOMES_HYP},
    [AT_EL1_NO_HVC] = {enter_no_hvc, EL1, 1u << EL3},
    [AT_EL1_NO_FP] = {enter_no_fp, EL1, HOMES_ALL},
    [AT_EL1_TFP] = {enter_tfp, EL1, HOMES_HYP},
    [AT_EL0_TRAPS] = {enter_el0_traps, EL0, HOMES_ALL},
    [AT_EL0_DEBUG] = {enter_debug, EL0, HOMES_ALL},
    [AT_EL0_DEBUG_TDE] = {enter_debug_tde, EL0, HOMES_HYP},
    [AT_EL0_STEP] = {enter_step, EL0, HOMES_ALL},
    [AT_EL0_STEP_TDE] = {enter_step_tde, EL0, HOMES_HYP},
    [AT_EL1_VIRQ] = {enter_virq, EL1, HOMES_HYP},
    [AT_EL1_VFIQ] = {enter_vfiq, EL1, HOMES_HYP},
    [AT_EL1_SGI] = {enter_sgi, EL1, 1u << EL1},
    [AT_EL1_IMO] = {enter_imo, EL1, 1u << EL2},
    [AT_EL1_AARCH32] = {enter_aarch32, EL1, 1u << EL2},
};

bool context_exists(unsigned at)
{
    if (at == AT_EL1_AARCH32 && !has_aarch32(EL1)) {
        return false;
    }
    return (contexts[at].homes >> home & 1u) != 0 && has_el((enum level)contexts[at].level);
}

/* What the runtime does not skip: steps, illegal states, traps of SMC, branches to no code. */
static bool on_sync(struct frame *frame, unsigned el)
{
    switch (ESR_EC(frame->esr)) {
    case EC_STEP_LOWER:
        frame->spsr |= SPSR_SS;
        return true;
    case EC_ILLEGAL_STATE:
        frame->spsr &= ~SPSR_IL;
        frame->elr += 4;
        return true;
    case EC_PC_ALIGNMENT:
        frame->elr = frame->x[30];
        return true;
    case EC_SMC64:
        frame->elr += el == EL2 ? 4 : 0;
        return el == EL2;
    default:
        return false;
    }
}

static bool on_interrupt(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)el;
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    frame->spsr |= SPSR_I | SPSR_F;
    return true;
}

/* Nothing traps. Vectors of SVE have 128 bits. */
static void enable_el3(void)
{
    write_sysreg(scr_el3, read_sysreg(scr_el3) | SCR_EL3_HXEN | SCR_EL3_API | SCR_EL3_APK);
    write_sysreg(cptr_el3, CPTR_EL3_EZ | CPTR_EL3_ESM);
    isb();
    write_sysreg(ZCR_EL3, 0);
}

static void enable_el2(void)
{
    write_sysreg(cptr_el2, CPTR_EL2_NO_TRAPS);
    isb();
    write_sysreg(ZCR_EL2, 0);
    write_sysreg(HCRX_EL2, HCRX_EL2_MSCEN);
    set_hcr(HCR_EL2_API | HCR_EL2_APK);
}

static void enable_features(void)
{
    if (home == EL3) {
        enable_el3();
    }
    if (definition_has(HAS_HYP)) {
        enable_el2();
    }
    write_sysreg(cpacr_el1, CPACR_EL1_NO_TRAPS);
    isb();
    write_sysreg(ZCR_EL1, 0);
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_MSCEN);
}

enum level context_enter(unsigned at)
{
    struct cpu *cpu = this_cpu();

    enable_features();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    cpu->on_sync = on_sync;
    cpu->on_irq = on_interrupt;
    cpu->on_other = on_interrupt;
    if (contexts[at].enter) {
        contexts[at].enter();
    }
    isb();
    return (enum level)contexts[at].level;
}

void context_leave(void)
{
    page_map(0, PAGE_UNMAPPED);
    gic_disable(0);
    write_sysreg(dbgbcr0_el1, 0);
    write_sysreg(dbgwcr0_el1, 0);
    levels_reset();
}
