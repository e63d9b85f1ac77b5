/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What instructions count as, by event, and which features the machine has. */
#include "tests/events/events.h"

#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"

#define C(column) (1u << (column))
#define BRANCHES (C(BR_IMMED) | C(BR_RETURN) | C(BR_INDIRECT))
#define BRANCHES_INDIRECT (C(BR_RETURN) | C(BR_INDIRECT) | C(EXC_RETURN))

#define PC_WRITE_SPEC 0x76
#define LOADS_SPEC (C(LD) | C(LD_SKIPPED))
#define STORES_SPEC (C(ST) | C(ST_SKIPPED))
#define OPERATIONS (LOADS_SPEC | STORES_SPEC | C(PREFETCH))

/* Arm ARM D14.12. Nothing is speculative here. */
const struct event instruction_events[] = {
    {0x0008, C(INST)},                  /* INST_RETIRED */
    {0x0006, C(LD)},                    /* LD_RETIRED */
    {0x0007, C(ST)},                    /* ST_RETIRED */
    {0x000a, C(EXC_RETURN)},            /* EXC_RETURN */
    {0x000b, C(CID)},                   /* CID_WRITE_RETIRED */
    {0x000c, C(PC_WRITE)},              /* PC_WRITE_RETIRED */
    {0x000d, C(BR_IMMED)},              /* BR_IMMED_RETIRED */
    {0x000e, C(BR_RETURN)},             /* BR_RETURN_RETIRED */
    {0x000f, C(UNALIGNED)},             /* UNALIGNED_LDST_RETIRED */
    {0x0012, BRANCHES},                 /* BR_PRED */
    {0x0013, C(LD) | C(ST)},            /* MEM_ACCESS */
    {0x001b, C(INST)},                  /* INST_SPEC */
    {0x001c, C(TTBR)},                  /* TTBR_WRITE_RETIRED */
    {0x0021, BRANCHES | C(EXC_RETURN)}, /* BR_RETIRED */
    {0x003a, C(INST)},                  /* OP_RETIRED */
    {0x003b, C(INST)},                  /* OP_SPEC */
    {0x0066, C(LD)},                    /* MEM_ACCESS_RD */
    {0x0067, C(ST)},                    /* MEM_ACCESS_WR */
    {0x0070, LOADS_SPEC},               /* LD_SPEC */
    {0x0071, STORES_SPEC},              /* ST_SPEC */
    {0x0072, OPERATIONS},               /* LDST_SPEC */
    {0x0073, C(DP)},                    /* DP_SPEC */
    {0x0074, C(ASE)},                   /* ASE_SPEC */
    {0x0075, C(VFP)},                   /* VFP_SPEC */
    {PC_WRITE_SPEC, C(PC_WRITE)},
    {0x0078, C(BR_IMMED)},                         /* BR_IMMED_SPEC */
    {0x0079, C(BR_RETURN) | C(BR_RETURN_SKIPPED)}, /* BR_RETURN_SPEC */
    {0x007a, BRANCHES_INDIRECT},                   /* BR_INDIRECT_SPEC */
    {0x007c, C(ISB)},                              /* ISB_SPEC */
    {0x007d, C(DSB)},                              /* DSB_SPEC */
    {0x007e, C(DMB)},                              /* DMB_SPEC */
    {0x0031, 0},                                   /* REMOTE_ACCESS */
    {0x006a, C(UNALIGNED_ACCESS)},                 /* UNALIGNED_LDST_SPEC */
    {0x4020, C(UNALIGNED_ACCESS)},                 /* LDST_ALIGN_LAT */
    {0x0004, C(L1D_RD) | C(L1D_WR)},               /* L1D_CACHE */
    {0x0025, C(L1D_RD) | C(L1D_WR)},               /* L1D_TLB */
    {0x0040, C(L1D_RD)},                           /* L1D_CACHE_RD */
    {0x0041, C(L1D_WR)},                           /* L1D_CACHE_WR */
    {0x004e, C(L1D_RD)},                           /* L1D_TLB_RD */
    {0x004f, C(L1D_WR)},                           /* L1D_TLB_WR */
};

const size_t instruction_events_count = sizeof(instruction_events) / sizeof(instruction_events[0]);

uint8_t event_buffer[2 * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

/*
 * What a counter reads after a case: its iterations, each with the loop's own subs and b.ne (not
 * taken the last time), and the write that ends it, which is DP.
 */
static uint64_t column_count(const struct event_case *c, enum column column, uint64_t iterations)
{
    uint64_t each = c->counts[column] * iterations;

    switch (column) {
    case INST:
        return each + 2 * iterations + 1;
    case DP:
        return each + iterations + 1;
    case BR_IMMED:
        return each + iterations;
    case PC_WRITE:
        return each + iterations - 1;
    default:
        return each;
    }
}

/*
 * Translation is off at EL2 and EL3. Their memory is therefore Device memory, which no cache holds.
 */
static bool is_cached(enum column column, enum level level)
{
    return (column != L1D_RD && column != L1D_WR) || level <= EL1;
}

bool event_count(const struct event_case *c, const struct event *event, enum level level,
                 uint64_t iterations, uint64_t *count)
{
    uint32_t columns = event->columns;

    if (event->number == PC_WRITE_SPEC && pmu_version() >= PMUVER_V3P8) {
        /* Branches that are not taken count, too. */
        columns = BRANCHES | C(EXC_RETURN);
    }
    *count = 0;
    for (unsigned column = 0; column < COLUMNS; column++) {
        if (!(columns >> column & 1)) {
            continue;
        }
        if (c->counts[column] == UNKNOWN) {
            return false;
        }
        if (is_cached((enum column)column, level)) {
            *count += column_count(c, (enum column)column, iterations);
        }
    }
    return true;
}

bool event_exists(uint64_t number)
{
    uint64_t announced = number & 0x20 ? read_sysreg(pmceid1_el0) : read_sysreg(pmceid0_el0);

    if ((number & 0x3fff) >= 0x40) {
        return number < 0x4000 || pmu_version() >= PMUVER_V3P1;
    }
    return announced >> ((number & 0x1f) + (number & 0x4000 ? 32 : 0)) & 1;
}

/* ID_AA64MMFR2_EL1 and others, by encodings that every assembler knows. */
#define ID_AA64ISAR0_EL1 S3_0_C0_C6_0
#define ID_AA64ISAR1_EL1 S3_0_C0_C6_1
#define ID_AA64ISAR2_EL1 S3_0_C0_C6_2
#define ID_AA64MMFR1_EL1 S3_0_C0_C7_1
#define ID_AA64PFR0_EL1 S3_0_C0_C4_0
#define ID_AA64PFR1_EL1 S3_0_C0_C4_1

enum id_register {
    ISAR0,
    ISAR1,
    ISAR2,
    MMFR1,
    PFR0,
    PFR1
};

/* A field of an ID register, and the values from and to which the feature is present. */
static const struct {
    uint8_t reg, shift, width, from, to;
} features[] = {
    [NEEDS_LSE] = {ISAR0, 20, 4, 2, 15},   [NEEDS_RCPC] = {ISAR1, 20, 4, 1, 15},
    [NEEDS_RCPC2] = {ISAR1, 20, 4, 2, 15}, [NEEDS_LOR] = {MMFR1, 16, 4, 1, 15},
    [NEEDS_FP16] = {PFR0, 16, 4, 1, 14},   [NEEDS_AES] = {ISAR0, 4, 4, 1, 15},
    [NEEDS_SVE] = {PFR0, 32, 4, 1, 15},    [NEEDS_MTE] = {PFR1, 8, 4, 2, 15},
    [NEEDS_MOPS] = {ISAR2, 16, 4, 1, 15},  [NEEDS_SB] = {ISAR1, 36, 4, 1, 15},
    [NEEDS_XS] = {ISAR1, 56, 4, 1, 15},    [NEEDS_VHE] = {MMFR1, 8, 4, 1, 15},
    [NEEDS_HBC] = {ISAR2, 20, 4, 1, 15},   [NEEDS_PAUTH] = {ISAR1, 4, 8, 1, 255},
    [NEEDS_JSCVT] = {ISAR1, 12, 4, 1, 15},
};

bool has_feature(unsigned needs)
{
    const uint64_t values[] = {
        [ISAR0] = read_sysreg(ID_AA64ISAR0_EL1), [ISAR1] = read_sysreg(ID_AA64ISAR1_EL1),
        [ISAR2] = read_sysreg(ID_AA64ISAR2_EL1), [MMFR1] = read_sysreg(ID_AA64MMFR1_EL1),
        [PFR0] = read_sysreg(ID_AA64PFR0_EL1),   [PFR1] = read_sysreg(ID_AA64PFR1_EL1),
    };
    uint64_t field;

    if (needs == 0) {
        return true;
    }
    field = FIELD(values[features[needs].reg], features[needs].shift, features[needs].width);
    return field >= features[needs].from && field <= features[needs].to;
}

/* The fields of the register. */
#define CPACR_FPEN (UINT64_C(3) << 20)
#define CPACR_ZEN (UINT64_C(3) << 16)
/* The RES1 bits, without the trap of SVE (TZ). */
#define CPTR_EL2_NO_TRAPS (UINT64_C(0x33ff) & ~BIT(8))
#define CPTR_EL3_EZ BIT(8)
#define SCR_EL3_HXEN BIT(38)
#define ZCR_EL1 S3_0_C1_C2_0
#define ZCR_EL2 S3_4_C1_C2_0
#define ZCR_EL3 S3_6_C1_C2_0

void enable_features(void)
{
    bool sve = has_feature(NEEDS_SVE);

    if (home == EL3) {
        write_sysreg(scr_el3, read_sysreg(scr_el3) | SCR_EL3_HXEN);
        write_sysreg(cptr_el3, sve ? CPTR_EL3_EZ : 0);
        isb();
        if (sve) {
            write_sysreg(ZCR_EL3, 0);
        }
    }
    if (home >= EL2 && has_el(EL2)) {
        write_sysreg(cptr_el2, sve ? CPTR_EL2_NO_TRAPS : UINT64_C(0x33ff));
        isb();
        if (sve) {
            write_sysreg(ZCR_EL2, 0);
        }
        if (has_feature(NEEDS_MOPS)) {
            write_sysreg(HCRX_EL2, HCRX_EL2_MSCEN);
        }
    }
    write_sysreg(cpacr_el1, CPACR_FPEN | (sve ? CPACR_ZEN : 0));
    isb();
    if (sve) {
        write_sysreg(ZCR_EL1, 0);
    }
    if (has_feature(NEEDS_MOPS)) {
        write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_MSCEN);
    }
    isb();
}
