/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/* Last branch records: Intel's legacy ones with MSR_LBR_INFO, architectural ones, AMD's. */

#define MSR_PERF_CAPABILITIES 0x345u
#define CAPABILITIES_FORMAT 0x3fu
#define MSR_DEBUGCTL 0x1d9u
#define LEGACY_SELECT 0x1c8u
#define LEGACY_TOS 0x1c9u
#define LEGACY_FROM 0x680u
#define LEGACY_TO 0x6c0u
#define ARCH_CTL 0x14ceu
#define ARCH_DEPTH 0x14cfu
#define ARCH_FROM 0x1500u
#define ARCH_TO 0x1600u
#define ARCH_INFO 0x1200u
#define AMD_SELECT 0xc000010eu
#define AMD_EXTN_CFG 0xc000010fu
#define AMD_FROM 0xc0010300u
#define AMD_TO 0xc0010301u

#define CPUID_PDCM BIT(15)
#define CPUID_ARCH_LBR BIT(19)
#define CPUID_AMD_LBR BIT(1)
#define LEAF_AMD_LBR 0x80000022u
#define MISPREDICTED BIT(63)

/* control switches records on. Without it, there are none. */
static struct {
    uint32_t control;
    uint32_t select;
    uint32_t from;
    uint32_t to;
    uint32_t info;
    uint32_t step;
    unsigned depth;
} lbr;

static void init_amd(void)
{
    uint32_t regs[4];

    cpuid(0x80000000, regs);
    if (regs[0] < LEAF_AMD_LBR) {
        return;
    }
    cpuid(LEAF_AMD_LBR, regs);
    if (regs[0] & CPUID_AMD_LBR) {
        lbr.control = AMD_EXTN_CFG;
        lbr.select = AMD_SELECT;
        lbr.from = AMD_FROM;
        lbr.to = AMD_TO;
        lbr.step = 2;
        lbr.depth = regs[1] >> 4 & 0x3f;
    }
}

static void init_arch(void)
{
    lbr.control = ARCH_CTL;
    lbr.from = ARCH_FROM;
    lbr.to = ARCH_TO;
    lbr.info = ARCH_INFO;
    lbr.step = 1;
    lbr.depth = (unsigned)read_msr(ARCH_DEPTH);
}

static void init_legacy(void)
{
    uint64_t format = read_msr(MSR_PERF_CAPABILITIES) & CAPABILITIES_FORMAT;

    if (format != 0) {
        lbr.control = MSR_DEBUGCTL;
        lbr.select = LEGACY_SELECT;
        lbr.from = LEGACY_FROM;
        lbr.to = LEGACY_TO;
        lbr.step = 1;
        lbr.depth = format == 5 ? 32 : 16;
    }
}

void lbr_init(bool intel)
{
    uint32_t regs[4];

    cpuid(7, regs);
    if (!intel) {
        init_amd();
    } else if (regs[3] & CPUID_ARCH_LBR) {
        init_arch();
    } else {
        cpuid(1, regs);
        if (regs[2] & CPUID_PDCM) {
            init_legacy();
        }
    }
}

static void clear(void)
{
    for (unsigned i = 0; i < lbr.depth; i++) {
        write_msr(lbr.from + i * lbr.step, 0);
        write_msr(lbr.to + i * lbr.step, 0);
        if (lbr.info != 0) {
            write_msr(lbr.info + i, 0);
        }
    }
}

/* What is recorded begins with the last write. */
void lbr_set(void)
{
    if (lbr.control == 0) {
        return;
    }
    write_msr(lbr.control, 0);
    if (lbr.control == ARCH_CTL) {
        write_msr(ARCH_DEPTH, lbr.depth);
    }
    clear();
    if (lbr.select != 0) {
        write_msr(lbr.select, program->lbr_select);
    }
    if (lbr.control != MSR_DEBUGCTL) {
        write_msr(MSR_DEBUGCTL, program->debugctl);
    }
    write_msr(lbr.control, program->lbr_control);
}

/*
 * Nothing is recorded after the first access. The newest record comes first. Interrupts of the next
 * program, before it begins, must not freeze its records.
 */
void lbr_record(void)
{
    unsigned top = 0;
    unsigned depth = lbr.depth;
    bool circle = lbr.control == MSR_DEBUGCTL;

    if (lbr.control == 0) {
        return;
    }
    write_msr(lbr.control, 0);
    if (circle) {
        top = (unsigned)read_msr(LEGACY_TOS);
    }
    if (!circle) {
        write_msr(MSR_DEBUGCTL, 0);
    }
    if (lbr.control == ARCH_CTL) {
        depth = (unsigned)read_msr(ARCH_DEPTH);
    }
    for (unsigned i = 0; i < depth; i++) {
        unsigned n = circle ? (top - i) % lbr.depth : i;
        uint64_t *record = result->branches + BRANCH_WORDS * i;

        record[0] = read_msr(lbr.from + n * lbr.step) & ~MISPREDICTED;
        record[1] = read_msr(lbr.to + n * lbr.step);
        record[2] = lbr.info != 0 ? read_msr(lbr.info + n) & LBR_INFO_TYPE : 0;
    }
}
