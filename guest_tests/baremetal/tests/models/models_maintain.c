/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Cache maintenance, as the Arm ARM defines it (D7.5.9): DC CIVAC takes the line out of all caches,
 * DC CVAC writes it back and keeps it, DC CVAU writes it from L1D to L2, where fetches find it, and
 * DC IVAC only takes it out. The caches are those of models.c.
 */
#include "tests/models/models.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define TIMES UINT64_C(1000)

enum {
    L1I_CACHE_REFILL = 0x01,
    L1D_CACHE_REFILL = 0x03,
    L1D_CACHE_WB = 0x15,
    L2D_CACHE_REFILL = 0x17,
    L2D_CACHE_WB = 0x18,
    LL_CACHE_MISS = 0x33,
    L1D_CACHE_WB_VICTIM = 0x46,
    L1D_CACHE_WB_CLEAN = 0x47,
    L2D_CACHE_WB_VICTIM = 0x56,
    L2D_CACHE_WB_CLEAN = 0x57,
    BUS_ACCESS_WR = 0x61,
};

static const uint16_t events[] = {L1D_CACHE_REFILL,
                                  L2D_CACHE_REFILL,
                                  LL_CACHE_MISS,
                                  L1D_CACHE_WB,
                                  L2D_CACHE_WB,
                                  BUS_ACCESS_WR,
                                  L1D_CACHE_WB_VICTIM,
                                  L1D_CACHE_WB_CLEAN,
                                  L2D_CACHE_WB_VICTIM,
                                  L2D_CACHE_WB_CLEAN,
                                  0};

struct row {
    const char *what;
    level_fn code;
    uint64_t refills;    /* of each cache */
    uint64_t l1_written; /* from L1D to L2 */
    uint64_t l2_written;
    uint64_t written; /* to memory */
};

/* @fetches: how many lines of code L2 and the last level may have to fetch, too. */
static void expect_row(const struct row *row, uint64_t fetches)
{
    expect_eq(row->what, L1D_CACHE_REFILL, row->refills, model_take(L1D_CACHE_REFILL));
    expect_range(row->what, L2D_CACHE_REFILL, row->refills, row->refills + fetches,
                 model_take(L2D_CACHE_REFILL));
    expect_range(row->what, LL_CACHE_MISS, row->refills, row->refills + fetches,
                 model_take(LL_CACHE_MISS));
    expect_eq(row->what, L1D_CACHE_WB, row->l1_written, model_take(L1D_CACHE_WB));
    expect_eq(row->what, L2D_CACHE_WB, row->l2_written, model_take(L2D_CACHE_WB));
    expect_eq(row->what, BUS_ACCESS_WR, row->written, model_take(BUS_ACCESS_WR));
    /* D14.3: a victim is replaced; what maintenance writes is cleaned. */
    expect_eq(row->what, L1D_CACHE_WB_VICTIM, 0, model_take(L1D_CACHE_WB_VICTIM));
    expect_eq(row->what, L1D_CACHE_WB_CLEAN, row->l1_written, model_take(L1D_CACHE_WB_CLEAN));
    expect_eq(row->what, L2D_CACHE_WB_VICTIM, 0, model_take(L2D_CACHE_WB_VICTIM));
    expect_eq(row->what, L2D_CACHE_WB_CLEAN, row->l2_written, model_take(L2D_CACHE_WB_CLEAN));
}

/* One line, 1,000 times. */
void test_maintained(void)
{
    static const struct row rows[] = {
        {"dc civac", model_dc_civac, TIMES, TIMES, TIMES, TIMES},
        {"dc cvac", model_dc_cvac, 1, TIMES, TIMES, TIMES},
        {"dc cvap", model_dc_cvap, 1, TIMES, TIMES, TIMES},
        {"dc cvau", model_dc_cvau, 1, TIMES, 0, 0},
    };

    model_count(events);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        model_flush();
        model_run(rows[i].code, model_fresh(64), TIMES, 0);
        expect_row(&rows[i], 2);
    }
}

/* Counted at EL1, where DC IVAC may be executed. */
static void run_at_el1(level_fn code, uint64_t iterations, uint64_t stride)
{
    struct model_arg arg = {
        .address = model_fresh(64 * iterations),
        .iterations = iterations,
        .mask = BIT(MODEL_EVENTS) - 1,
        .stride = stride,
    };

    model_count(events);
    for (unsigned n = 0; events[n]; n++) {
        write_pmevtyper(n, events[n] | PMEVTYPER_U);
    }
    model_flush();
    call_at(EL1, code, (uintptr_t)&arg);
}

void test_maintained_from_el1(void)
{
    static const struct row rows[] = {
        {"dc civac", model_dc_civac, TIMES, TIMES, TIMES, TIMES},
        {"dc ivac", model_dc_ivac, TIMES, 0, 0, 0},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run_at_el1(rows[i].code, TIMES, 0);
        expect_row(&rows[i], 2);
    }
}

/*
 * By set and way: software empties caches with it, set by set, so the first one empties all, the
 * code's lines as well. The models do not write them back.
 */
void test_emptied(void)
{
    static const struct row rows[] = {
        {"nothing", model_nop, 1, 0, 0, 0},
        {"dc cisw", model_dc_cisw, TIMES, 0, 0, 0},
        {"dc isw", model_dc_isw, TIMES, 0, 0, 0},
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run_at_el1(rows[i].code, TIMES, 0);
        expect_row(&rows[i], 2 * TIMES);
    }
}

/* Each time the loop's own line is fetched again, which may be one more at its start. */
void test_maintained_fetches(void)
{
    static const uint16_t fetches[] = {L1I_CACHE_REFILL, 0};
    struct model_arg arg = {.iterations = TIMES, .mask = 1};

    model_count(fetches);
    model_run(model_ic_ivau, 0, TIMES, 0);
    expect_range("ic ivau", L1I_CACHE_REFILL, TIMES, TIMES + 2, model_take(L1I_CACHE_REFILL));
    write_pmevtyper(0, L1I_CACHE_REFILL | PMEVTYPER_U);
    call_at(EL1, model_ic_iallu, (uintptr_t)&arg);
    expect_range("ic iallu", L1I_CACHE_REFILL, TIMES, TIMES + 2, model_take(L1I_CACHE_REFILL));
}
