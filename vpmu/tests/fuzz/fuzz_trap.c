/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Fuzz target: the input is the state of a PE, some register values and a sequence of syndromes. A
 * trapped access must do the same as the separate calls, and must write only Rt and Rt2.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "vpmu/arm/state.h"
#include "vpmu/arm/trap.h"

struct machine {
    struct vpmu_arm v;
    struct vpmu_arm_totals totals;
};

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void start(struct machine *m, const struct vpmu_arm_controls *controls)
{
    static const struct vpmu_arm_config config = {
        .version = VPMU_V3P9,
        .counters = 6,
        .features = VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_ICNTR,
        .sources = VPMU_SRC_ALL,
        .timed = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES),
        .cycle_units = 1,
    };

    memset(m, 0, sizeof(*m));
    must(vpmu_arm_init(&m->v, &config, &m->totals, NULL, NULL) == 0);
    vpmu_arm_set_controls(&m->v, controls, NULL);
}

static uint64_t *reg_of(uint64_t *x, uint64_t *sink, unsigned n)
{
    return n < VPMU_TRAP_XREGS ? &x[n] : sink;
}

/* The same access by the functions that vpmu_arm_trap() calls. */
static enum vpmu_access by_hand(struct vpmu_arm *v, struct vpmu_pe pe, const struct vpmu_trap *t,
                                uint64_t *x)
{
    uint64_t sink = 0;
    uint64_t *rt = reg_of(x, &sink, t->rt);
    uint64_t *rt2 = reg_of(x, &sink, t->rt2);
    uint64_t val;
    enum vpmu_access access;

    pe.aarch32 = t->aarch32;
    access = t->skipped ? VPMU_ACCESS_OK : vpmu_arm_reg_access(v, t->reg, &pe, t->write);
    if (access != VPMU_ACCESS_OK || t->skipped) {
        return access;
    }
    if (t->write) {
        val = t->pair ? *rt2 << 32 | (*rt & 0xffffffff) : *rt;
        must(vpmu_arm_reg_write(v, t->reg, &pe, val, NULL) >= 0);
        return access;
    }
    must(vpmu_arm_reg_read(v, t->reg, &pe, &val, NULL) >= 0);
    *rt = t->pair ? val & 0xffffffff : val;
    if (t->pair) {
        *rt2 = val >> 32;
    }
    return access;
}

static void expect_same(struct machine *a, struct machine *b)
{
    uint8_t state[2][VPMU_STATE_SIZE];

    must(vpmu_arm_state_save(&a->v, state[0], VPMU_STATE_SIZE, NULL) >= 0);
    must(vpmu_arm_state_save(&b->v, state[1], VPMU_STATE_SIZE, NULL) >= 0);
    must(memcmp(state[0], state[1], VPMU_STATE_SIZE) == 0);
}

static void step(struct machine m[2], const struct vpmu_pe *pe, uint64_t x[2][VPMU_TRAP_XREGS],
                 uint64_t esr, uint64_t spsr)
{
    struct vpmu_trap trap;
    enum vpmu_access access;
    int due = vpmu_arm_trap(&m[0].v, pe, esr, spsr, x[0], NULL, &access);

    if (vpmu_arm_trap_decode(esr, spsr, &trap)) {
        must(due == -VPMU_ERR_REG && access == VPMU_ACCESS_OK);
    } else {
        must(trap.reg < VPMU_REG_COUNT && trap.rt < 32 && trap.rt2 < 32);
        must(due >= 0 && access == by_hand(&m[1].v, *pe, &trap, x[1]));
    }
    must(memcmp(x[0], x[1], sizeof(x[0])) == 0);
    expect_same(&m[0], &m[1]);
}

/*
 * Makes a syndrome of random bits, or one with a PMU register, because others are always refused.
 */
static uint64_t choose_esr(struct chooser *c)
{
    uint64_t bits = choose_bits(c);
    unsigned reg = (unsigned)choose_below(c, VPMU_REG_COUNT);
    bool aarch32 = choose_one_in(c, 2);
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(reg);
    uint64_t enc = aarch32 ? info->enc32 : info->enc64;
    uint64_t op1 = enc >> 11 & 7;
    uint64_t rest = (enc >> 7 & 15) << 10 | (enc >> 3 & 15) << 1 | (enc & 7) << 17;
    uint64_t other_n = bits & (reg >= VPMU_PMEVCNTR0 ? 7 << 17 | 3 << 1 : 0);

    if (enc == VPMU_ENC_NONE || choose_one_in(c, 4)) {
        return bits;
    }
    if (aarch32 && enc >> 14 == 2) {
        return (bits & 0x1f07fe1) | 4ull << 26 | op1 << 16 | rest;
    }
    return (bits & (aarch32 ? 0x1f003e1 : 0x3e1)) | (aarch32 ? 3ull : 0x18) << 26 |
           (aarch32 ? 0 : enc >> 14 << 20) | op1 << 14 | rest | other_n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t nothing[1];
    static struct machine m[2];
    struct chooser c = {.bytes = size > 0 ? data : nothing, .left = size};
    uint64_t x[2][VPMU_TRAP_XREGS];
    struct vpmu_arm_controls controls = {.mdcr_el2 = choose_one_in(&c, 2) ? choose_bits(&c) : 6,
                                         .mdcr_el3 = choose_one_in(&c, 2) ? choose_bits(&c)
                                                                          : VPMU_MDCR_EL3_ENPM2};
    struct vpmu_pe pe = {
        .el = (uint8_t)choose_below(&c, 4),
        .aarch32 = choose_one_in(&c, 2),
        .el1_aarch32 = choose_one_in(&c, 2),
        .el2_enabled = choose_one_in(&c, 2),
        .tge = choose_one_in(&c, 4),
    };

    start(&m[0], &controls);
    start(&m[1], &controls);
    for (unsigned n = 0; n < VPMU_TRAP_XREGS; n++) {
        x[0][n] = x[1][n] = choose_bits(&c);
    }
    while (c.left > 0) {
        uint64_t esr = choose_esr(&c);

        step(m, &pe, x, esr, choose_bits(&c));
    }
    return 0;
}

/* Random bytes are enough as register values. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    size_t size = choose_below(c, max / 4);

    for (size_t i = 0; i < size; i++) {
        buf[i] = (uint8_t)choose_bits(c);
    }
    return size;
}
