/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Random programs on the x86 PMU and on a second implementation that counts one event at a time.
 * Every MSR, every RDPMC and the number of interrupts must be equal after each step. Observers
 * count as well, and must have the sum of what happened in their contexts.
 */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_x86.h"
#include "vpmu/x86/observer.h"
#include "vpmu/x86/pebs.h"
#include "vpmu/x86/state.h"
#include "vpmu/x86/view.h"

#define PROGRAMS 24
#define STEPS 200
#define OBSERVERS 3

struct pair {
    struct vpmu_x86 v;
    struct vpmu_x86_totals totals;
    struct vpmu_now clock;
    uint64_t pmis;
    struct naive n;
    bool cycles; /* cycles are tallied, one for each instruction */
    struct vpmu_observer observer[OBSERVERS];
    uint64_t seen[OBSERVERS];    /* the expected count of each observer */
    uint64_t periods[OBSERVERS]; /* the sum of the reported periods */
};

/* Acts on what is due after a call of the library. Returns @due, or 0 if it is no error. */
static int serve(struct pair *p, int due)
{
    struct vpmu_sample sample;

    if (due < 0) {
        return due;
    }
    while ((due & VPMU_DUE_SAMPLES) && vpmu_sample_next(&p->v.count, &sample)) {
        p->periods[sample.observer - p->observer] += sample.periods;
    }
    p->pmis += due & VPMU_DUE_IRQ ? 1 : 0;
    return 0;
}

/* The result of an access that returns what is due, or an enum vpmu_x86_access, negated. */
static unsigned result(struct pair *p, int due)
{
    return (unsigned)-serve(p, due);
}

static struct vpmu_x86_config choose_config(struct chooser *c)
{
    const uint64_t clocks = SRC(CPU_CYCLES) | SRC(CNT_CYCLES);
    struct vpmu_x86_config config = {
        .vendor = (uint8_t)choose_below(c, 2),
        .cycle_units = 1,
        .sources = VPMU_X86_SRC_ALL,
        .timed = choose_one_in(c, 2) ? clocks : 0,
        .width = 48,
        .detector = choose_one_in(c, 2),
        .tsc_hz = 1000000000,
    };

    if (config.vendor == VPMU_X86_AMD) {
        config.version = (uint8_t)(1 + choose_below(c, 3));
        config.counters = (uint8_t)(config.version == 1   ? 4
                                    : config.version == 2 ? 6
                                                          : 6 + choose_below(c, 10));
        config.features = choose_one_in(c, 2) ? VPMU_X86_HAS_SVM : 0;
        config.family =
            (uint8_t)(choose_one_in(c, 4) ? VPMU_X86_GENERIC : VPMU_X86_ZEN1 + choose_below(c, 5));
    } else {
        static const uint8_t features[] = {0, VPMU_X86_HAS_PDCM,
                                           VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH};

        config.family = (uint8_t)choose_below(c, VPMU_X86_ZEN1);
        config.version = (uint8_t)(1 + choose_below(c, 5));
        config.counters = (uint8_t)(1 + choose_below(c, 8));
        config.fixed = config.version > 1 ? (uint8_t)choose_below(c, 4) : 0;
        config.width = (uint8_t)(32 + choose_below(c, 17));
        config.features = features[choose_below(c, 3)];
        if (config.features && config.version > 1 && choose_one_in(c, 2)) {
            config.family = (uint8_t)(VPMU_X86_ICELAKEX + choose_below(c, 3));
            config.features |= VPMU_X86_HAS_METRICS;
            config.fixed = 4;
        } else if (config.features && config.version > 1) {
            config.pebs = (uint8_t)choose_below(c, 4);
        }
        if (config.features && choose_one_in(c, 2)) {
            config.family = (uint8_t)(VPMU_X86_ICELAKEX + choose_below(c, 3));
            config.version = 5;
            config.pebs = 4;
        }
    }
    return config;
}

/* Compares the MSRs at all addresses near existing ones. */
static const struct {
    uint32_t first;
    uint32_t last;
} msrs[] = {
    {0xc0, 0xca},   {0x185, 0x18f},           {0x308, 0x30d},           {0x328, 0x32a},
    {0x345, 0x345}, {0x38c, 0x393},           {0x3f0, 0x3f7},           {0x4c0, 0x4ca},
    {0x600, 0x600}, {0xc0000300, 0xc0000304}, {0xc0010000, 0xc0010008}, {0xc0010200, 0xc0010220}};

static void expect_equal(struct pair *p)
{
    uint64_t want, got;

    for (size_t range = 0; range < COUNT_OF(msrs); range++) {
        for (uint32_t msr = msrs[range].first; msr <= msrs[range].last; msr++) {
            unsigned want_access = naive_rdmsr(&p->n, msr, &want);
            unsigned got_access = result(p, vpmu_x86_rdmsr(&p->v, msr, &got, &p->clock));

            ck_assert_msg(want_access == got_access && want == got,
                          "MSR %#x: expected %#llx (%u) got %#llx (%u)", msr,
                          (unsigned long long)want, want_access, (unsigned long long)got,
                          got_access);
        }
    }
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t ecx = i == 19 ? 1u << 29 : (i % 5) << 30 | i;

        expect("RDPMC", naive_rdpmc(&p->n, ecx, &want),
               result(p, vpmu_x86_rdpmc(&p->v, ecx, true, &got, &p->clock)));
        expect("what it reads", want, got);
    }
    expect("records that are due", p->n.due, p->v.regs.due);
    expect("interrupts", p->n.pmis, p->pmis);
    for (unsigned i = 0; i < OBSERVERS; i++) {
        const struct vpmu_observer *o = &p->observer[i];

        expect("observer", p->seen[i], vpmu_x86_observer_read(&p->v, o, &p->clock));
        expect("its periods", o->period ? p->seen[i] / o->period : 0, p->periods[i]);
    }
}

static void add_observers(struct pair *p)
{
    for (unsigned i = 0; i < OBSERVERS; i++) {
        p->seen[i] = 0;
        p->periods[i] = 0;
        expect("observer", 0,
               (uint64_t)serve(p, vpmu_x86_observer_add(&p->v, &p->observer[i], &p->clock)));
    }
}

static void choose_observers(struct pair *p, struct chooser *c)
{
    for (unsigned i = 0; i < OBSERVERS; i++) {
        size_t event = choose_below(c, vpmu_x86_events_count);

        p->observer[i] = (struct vpmu_observer){
            .sources = vpmu_x86_events[event].sources,
            .ctx_mask = {(uint16_t)choose_below(c, 32)},
            .period = i * choose_below(c, 30),
        };
    }
    add_observers(p);
}

static void observers_happen(struct pair *p, const uint64_t did[VPMU_X86_SRC_COUNT])
{
    for (unsigned i = 0; i < OBSERVERS; i++) {
        if (p->observer[i].ctx_mask[0] >> p->n.ctx & 1) {
            for (unsigned source = 0; source < VPMU_X86_SRC_COUNT; source++) {
                p->seen[i] += p->observer[i].sources >> source & 1 ? did[source] : 0;
            }
        }
    }
}

/*
 * Chooses mostly an event of this vendor that is counted, sometimes with conditions on cycles or on
 * host and guest.
 */
static uint64_t choose_select(struct chooser *c, unsigned vendor)
{
    const struct vpmu_x86_event *event;
    uint64_t select = choose_one_in(c, 8) ? 0 : BIT(22);

    do {
        event = &vpmu_x86_events[choose_below(c, vpmu_x86_events_count)];
    } while (event->vendor != vendor && !choose_one_in(c, 8));
    select |= event->select | (choose_one_in(c, 3) ? choose_below(c, 4) : 3) << 16;
    select |= choose_below(c, 2) << 20;
    if (choose_one_in(c, 2)) {
        select |= choose_below(c, 2) << 18 | choose_below(c, 2) << 23 | choose_below(c, 4) << 24;
    }
    if (vendor == VPMU_X86_INTEL && choose_one_in(c, 6)) {
        /* The event is each cycle, or close to it. */
        select = (select & ~0xff00ffffull) | (choose_one_in(c, 2) ? 0x1c0u : 0x1c2u) | BIT(23) |
                 (choose_one_in(c, 4) ? 15u : 16u) << 24;
    }
    if (vendor == VPMU_X86_INTEL && choose_one_in(c, 8)) {
        select |= BIT(34);
    }
    return select | (vendor == VPMU_X86_AMD && choose_one_in(c, 2) ? choose_below(c, 4) << 40 : 0);
}

static void write_both(struct pair *p, uint32_t msr, uint64_t val)
{
    expect("WRMSR", naive_wrmsr(&p->n, msr, val),
           result(p, vpmu_x86_wrmsr(&p->v, msr, val, &p->clock)));
}

/* Writes a counter with a value close to overflow. */
static void write_counter(struct pair *p, struct chooser *c)
{
    bool intel = p->n.config.vendor == VPMU_X86_INTEL;
    unsigned i = (unsigned)choose_below(c, p->n.config.counters);
    uint64_t near = (0 - choose_below(c, 30)) & (BIT(p->n.config.width) - 1);

    if (choose_one_in(c, 6)) {
        near = (0 - BIT(22 + choose_below(c, 19))) & (BIT(p->n.config.width) - 1);
    }
    if (!intel && choose_one_in(c, 2)) {
        near |= ~(BIT(p->n.config.width) - 1);
    }
    if (p->n.config.fixed && choose_one_in(c, 3)) {
        write_both(p, 0x309 + (uint32_t)choose_below(c, p->n.config.fixed), near);
    } else {
        write_both(p,
                   intel   ? 0xc1 + i
                   : i < 4 ? 0xc0010004 + i
                           : 0xc0010201 + 2 * i,
                   intel ? near & 0xffffffff : near);
    }
}

static void write_select(struct pair *p, struct chooser *c)
{
    bool intel = p->n.config.vendor == VPMU_X86_INTEL;
    unsigned i = (unsigned)choose_below(c, p->n.config.counters);
    uint32_t msr = intel ? 0x186 + i : i < 4 ? 0xc0010000 + i : 0xc0010200 + 2 * i;
    uint64_t select;

    /* Often changes only the conditions of the current event. */
    if (choose_one_in(c, 3)) {
        naive_rdmsr(&p->n, msr, &select);
        select ^= choose_below(c, 2) << 18 | choose_below(c, 2) << 23 | choose_below(c, 4) << 24 |
                  (uint64_t)choose_one_in(c, 4) << 34;
    } else {
        select = choose_select(c, p->n.config.vendor);
    }
    write_both(p, msr, select);
}

/* Enables counters, and ends a freeze. */
static void write_global(struct pair *p, struct chooser *c)
{
    bool metrics = p->n.config.features & VPMU_X86_HAS_METRICS;
    uint64_t fixed = (BIT(p->n.config.fixed) - 1) | (metrics ? BIT(16) : 0);
    uint64_t counters = (BIT(p->n.config.counters) - 1) | fixed << 32;
    bool intel = p->n.config.vendor == VPMU_X86_INTEL;
    bool all_record = p->n.config.pebs == 4;
    bool frozen = !intel || p->n.config.version > 3;

    write_both(p, intel ? 0x38f : 0xc0000301, choose_one_in(c, 4) ? choose_bits(c) : counters);
    write_both(p, intel ? 0x390 : 0xc0000302, counters | (frozen ? BIT(59) : 0));
    write_both(p, 0x3f1,
               (choose_bits(c) | choose_bits(c)) & (all_record ? counters & ~BIT(48) : 15));
    write_both(p, 0x3f2, choose_bits(c) & 0xff00000f);
    write_both(p, 0x3f6, choose_below(c, 10));
    write_both(p, 0x38d,
               choose_bits(c) & (all_record ? 0x11110000bbbb : 0xbbbb) &
                   (BIT(4 * p->n.config.fixed) - 1) * (1 | BIT(32)));
}

/* Writes any value to any address. */
static void write_any(struct pair *p, struct chooser *c)
{
    size_t range = choose_below(c, COUNT_OF(msrs));
    uint32_t msr =
        msrs[range].first + (uint32_t)choose_below(c, msrs[range].last - msrs[range].first + 1);
    static const uint64_t masks[] = {UINT64_MAX, 0xffffffff, 0xfff, 0xfc00000700000ff};

    write_both(p, msr, choose_bits(c) & masks[choose_below(c, COUNT_OF(masks))]);
}

static void write_msr(struct pair *p, struct chooser *c)
{
    static void (*const kinds[])(struct pair *, struct chooser *) = {write_counter, write_select,
                                                                     write_global, write_any};

    kinds[choose_below(c, COUNT_OF(kinds))](p, c);
}

/* Executes an instruction, which takes a cycle if cycles are tallied. */
static void execute(struct pair *p, struct chooser *c)
{
    uint64_t did[VPMU_X86_SRC_COUNT] = {0};
    unsigned source;

    for (source = 0; source < VPMU_X86_SRC_COUNT; source++) {
        if (VPMU_X86_SRC_ALL >> source & 1) {
            did[source] = choose_below(c, 4);
        }
    }
    did[VPMU_X86_SRC_INST] = 1;
    did[VPMU_X86_SRC_CYCLES] = 1;
    for (source = 0; source < VPMU_X86_SRC_COUNT; source++) {
        p->totals.n[p->n.ctx][source] += did[source];
    }
    if (choose_one_in(c, 2)) {
        serve(p, vpmu_x86_step(&p->v, &p->clock));
    } else {
        serve(p, vpmu_x86_settle(&p->v, &p->clock));
    }
    naive_happen(&p->n, did);
    observers_happen(p, did);
}

/* Lets events happen up to the headroom. */
static void happen(struct pair *p, struct chooser *c)
{
    unsigned source = (unsigned)choose_below(c, VPMU_X86_SRC_COUNT);
    uint64_t room = vpmu_x86_headroom(&p->v, VPMU_SRC_BIT(source), p->n.ctx);
    uint64_t count = 1 + choose_below(c, 40);

    if (!(VPMU_X86_SRC_ALL >> source & 1)) {
        return;
    }
    ck_assert_msg(room > 0, "expected room got none");
    count = count < room ? count : room;
    if (source == VPMU_SRC_CPU_CYCLES || source == VPMU_SRC_CNT_CYCLES) {
        p->clock.ticks[source - VPMU_SRC_CPU_CYCLES] += count;
    } else {
        p->totals.n[p->n.ctx][source] += count;
    }
    serve(p, vpmu_x86_settle(&p->v, &p->clock));
    for (; count > 0; count--) {
        uint64_t did[VPMU_X86_SRC_COUNT] = {0};

        did[source] = 1;
        naive_happen(&p->n, did);
        observers_happen(p, did);
    }
}

/* Writes PEBS records for some counters that are due; sometimes this fails. */
static void record(struct pair *p, struct chooser *c)
{
    uint64_t counters = p->n.due & choose_bits(c);
    uint64_t reload[VPMU_X86_COUNTER_COUNT];
    bool lost = choose_one_in(c, 4), full = choose_one_in(c, 2);

    for (unsigned i = 0; i < VPMU_X86_COUNTER_COUNT; i++) {
        reload[i] = choose_one_in(c, 4) ? choose_bits(c) : 0 - choose_below(c, 20);
    }
    serve(p, vpmu_x86_pebs_done(&p->v, counters, lost ? NULL : reload, full, &p->clock));
    naive_recorded(&p->n, counters, lost ? NULL : reload, full);
}

static void save_and_load(struct pair *p)
{
    uint8_t before[VPMU_X86_STATE_SIZE], after[VPMU_X86_STATE_SIZE];
    struct vpmu_x86_controls controls = p->v.controls;
    const char *why = "";

    for (unsigned i = 0; i < OBSERVERS; i++) {
        uint64_t end;

        serve(p, vpmu_x86_sample(&p->v, &p->clock));
        serve(p, vpmu_x86_observer_remove(&p->v, &p->observer[i], &p->clock, &end));
        expect("its end", p->seen[i], end);
    }
    expect("save", 0,
           (uint64_t)serve(p, vpmu_x86_state_save(&p->v, before, sizeof(before), &p->clock)));
    memset(&p->v, 0x5a, sizeof(p->v));
    vpmu_x86_init(&p->v, &p->n.config, &p->totals, &p->clock, NULL);
    serve(p, vpmu_x86_set_controls(&p->v, &controls, &p->clock));
    serve(p, vpmu_x86_set_context(&p->v, p->n.ctx, &p->clock));
    ck_assert_msg(serve(p, vpmu_x86_state_load(&p->v, before, sizeof(before), &p->clock, &why)) ==
                      0,
                  "load: %s", why);
    expect("save again", 0,
           (uint64_t)serve(p, vpmu_x86_state_save(&p->v, after, sizeof(after), &p->clock)));
    ck_assert_msg(memcmp(before, after, sizeof(after)) == 0, "expected the same state");
    add_observers(p);
}

static void change(struct pair *p, struct chooser *c)
{
    if (choose_one_in(c, 2)) {
        p->n.ctx = (unsigned)choose_below(c, VPMU_X86_CTX_COUNT);
        serve(p, vpmu_x86_set_context(&p->v, p->n.ctx, &p->clock));
    } else {
        p->n.controls.debugctl = choose_below(c, 2) << 12 | choose_below(c, 2) << 14;
        p->n.controls.svme = choose_one_in(c, 2);
        p->n.controls.halted = choose_one_in(c, 8);
        serve(p, vpmu_x86_set_controls(&p->v, &p->n.controls, &p->clock));
    }
    naive_moved(&p->n);
}

static void step(struct pair *p, struct chooser *c)
{
    if (p->n.due && choose_one_in(c, 2)) {
        record(p, c);
    }
    switch (choose_below(c, 8)) {
    case 0:
        change(p, c);
        break;
    case 1:
        if (choose_one_in(c, 8)) {
            serve(p, vpmu_x86_reset(&p->v, &p->clock));
            naive_reset(&p->n);
        } else {
            save_and_load(p);
        }
        break;
    case 2:
    case 3:
    case 4:
        write_msr(p, c);
        break;
    default:
        if (p->cycles) {
            execute(p, c);
        } else {
            happen(p, c);
        }
    }
    expect_equal(p);
}

START_TEST(same_as_naive)
{
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct chooser c = {.state = seed * 1000003 + 17};
        struct vpmu_x86_config config = choose_config(&c);
        struct pair p = {.cycles = !config.timed};
        const char *why = "";

        ck_assert_msg(!vpmu_x86_init(&p.v, &config, &p.totals, &p.clock, &why), "%s", why);
        naive_start(&p.n, &config);
        choose_observers(&p, &c);
        for (unsigned i = 0; i < STEPS; i++) {
            step(&p, &c);
        }
    }
}
END_TEST

Suite *x86_random_suite(void)
{
    const TTest *const tests[] = {
        same_as_naive,
    };

    return suite_of("x86_random", tests, COUNT_OF(tests));
}
