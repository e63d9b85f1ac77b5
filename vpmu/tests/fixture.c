/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/trap.h"

#define MAX_TESTS 1024
#define MAX_NAME 80

static bool is_timed(const struct machine *m, unsigned source)
{
    return m->v.config.timed & VPMU_SRC_BIT(source);
}

/* Reads the clocks. */
static const struct vpmu_now *now(struct machine *m)
{
    m->clock_reads++;
    return &m->clock;
}

/* Reads them only if a call that settles needs them. */
static const struct vpmu_now *now_if_needed(struct machine *m)
{
    return vpmu_arm_needs_time(&m->v) ? now(m) : NULL;
}

int machine_service(struct machine *m, int due)
{
    struct vpmu_sample sample;
    struct vpmu_ended_span span;

    if (due < 0) {
        return due;
    }
    while ((due & VPMU_DUE_SAMPLES) && vpmu_sample_next(&m->v.count, &sample)) {
        if (m->sample) {
            m->sample(m, &sample);
        }
    }
    while ((due & VPMU_DUE_SPANS) && m->span && vpmu_span_next(m->v.watch->blackout, &span)) {
        m->span(m, &span);
    }
    if (due & VPMU_DUE_IRQ) {
        m->irq = vpmu_arm_irq_level(&m->v);
        m->irq_edges++;
    }
    m->rearms += due & VPMU_DUE_REARM ? 1 : 0;
    return 0;
}

bool machine_settle(struct machine *m)
{
    int due = vpmu_arm_settle(&m->v, now_if_needed(m));

    machine_service(m, due);
    return due & VPMU_DUE_OVERFLOW;
}

bool machine_step(struct machine *m)
{
    int due = vpmu_arm_step(&m->v, now_if_needed(m));

    machine_service(m, due);
    return due & VPMU_DUE_OVERFLOW;
}

int machine_reset(struct machine *m)
{
    return machine_service(m, vpmu_arm_reset(&m->v, now(m)));
}

int machine_set_controls(struct machine *m, const struct vpmu_arm_controls *controls)
{
    return machine_service(m, vpmu_arm_set_controls(&m->v, controls, now(m)));
}

int machine_set_counters(struct machine *m, unsigned counters)
{
    return machine_service(m, vpmu_arm_set_counters(&m->v, counters, now(m)));
}

int machine_sample(struct machine *m)
{
    return machine_service(m, vpmu_arm_sample(&m->v, now_if_needed(m)));
}

int machine_sample_taken(struct machine *m, bool passed)
{
    return machine_service(m, vpmu_arm_sample_taken(&m->v, passed, now_if_needed(m)));
}

int machine_reg_read(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t *val)
{
    return machine_service(m, vpmu_arm_reg_read(&m->v, reg, pe, val, now_if_needed(m)));
}

int machine_reg_write(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val)
{
    return machine_service(m, vpmu_arm_reg_write(&m->v, reg, pe, val, now(m)));
}

int machine_trap(struct machine *m, const struct vpmu_pe *pe, uint64_t esr, uint64_t spsr,
                 uint64_t x[], enum vpmu_access *access)
{
    return machine_service(m, vpmu_arm_trap(&m->v, pe, esr, spsr, x, now(m), access));
}

int machine_observer_add(struct machine *m, struct vpmu_observer *o)
{
    return machine_service(m, vpmu_arm_observer_add(&m->v, o, now(m)));
}

uint64_t machine_observer_remove(struct machine *m, struct vpmu_observer *o)
{
    uint64_t count;

    machine_sample(m);
    machine_service(m, vpmu_arm_observer_remove(&m->v, o, now(m), &count));
    return count;
}

uint64_t machine_observer_read(struct machine *m, const struct vpmu_observer *o)
{
    return vpmu_arm_observer_read(&m->v, o, now(m));
}

static const struct vpmu_now *now_if_leaving(struct machine *m, unsigned ctx)
{
    return vpmu_arm_leaving_needs_time(&m->v, ctx) ? now(m) : NULL;
}

int machine_watch_moved(struct machine *m, unsigned ctx, enum vpmu_world world, unsigned reason)
{
    return machine_service(m,
                           vpmu_arm_watch_moved(&m->v, ctx, world, reason, now_if_leaving(m, ctx)));
}

int machine_watch_detach(struct machine *m)
{
    return machine_service(m, vpmu_arm_watch_detach(&m->v));
}

int machine_blackout_start(struct machine *m, struct vpmu_blackout *b)
{
    return machine_service(m, vpmu_arm_blackout_start(&m->v, b, now(m)));
}

int machine_blackout_stop(struct machine *m)
{
    return machine_service(m, vpmu_arm_blackout_stop(&m->v));
}

int machine_adopt(struct machine *m, const struct vpmu_register *regs, size_t count,
                  const char **why)
{
    return machine_service(m, vpmu_arm_adopt(&m->v, regs, count, now(m), why));
}

int machine_state_save(struct machine *m, void *buf, size_t len)
{
    return machine_service(m, vpmu_arm_state_save(&m->v, buf, len, now_if_needed(m)));
}

int machine_state_load(struct machine *m, const void *buf, size_t len, const char **why)
{
    return machine_service(m, vpmu_arm_state_load(&m->v, buf, len, now(m), why));
}

void machine_snapshot_take(struct vpmu_arm_snapshot *s, struct machine *m)
{
    vpmu_arm_snapshot_take(s, &m->v, now(m));
}

const struct vpmu_pe at_el0 = {.el = 0, .el2_enabled = true};
const struct vpmu_pe at_el1 = {.el = 1, .el2_enabled = true};
const struct vpmu_pe at_el2 = {.el = 2, .el2_enabled = true};
const struct vpmu_pe at_el3 = {.el = 3};
const struct vpmu_pe at_el0_32 = {
    .el = 0, .aarch32 = true, .el1_aarch32 = true, .el2_enabled = true};
const struct vpmu_pe at_el1_32 = {
    .el = 1, .aarch32 = true, .el1_aarch32 = true, .el2_enabled = true};
const struct vpmu_pe at_el2_32 = {
    .el = 2, .aarch32 = true, .el1_aarch32 = true, .el2_enabled = true};

struct vpmu_arm_config config_of(enum vpmu_version version, unsigned counters, unsigned features)
{
    bool has_imp = version < VPMU_V3P7;

    return (struct vpmu_arm_config){
        .version = (uint8_t)version,
        .counters = (uint8_t)counters,
        .features = (uint16_t)features,
        .sources = VPMU_SRC_ALL,
        .timed = CPU_SRC | CNT_SRC,
        .cycle_units = 1,
        .imp = has_imp ? 0x41 : 0,
        .idcode = has_imp ? 0x5a : 0,
    };
}

struct vpmu_arm_config config_units(enum vpmu_version version, unsigned counters, unsigned units)
{
    struct vpmu_arm_config config = config_of(version, counters, 0);

    config.timed = CNT_SRC;
    config.cycle_units = (uint8_t)units;
    return config;
}

struct vpmu_arm_config config_full(void)
{
    struct vpmu_arm_config config =
        config_of(VPMU_V3P9, VPMU_MAX_EVENT_COUNTERS, ALL_LEVELS | VPMU_HAS_ICNTR | VPMU_HAS_SPE);

    config.slots = 6;
    return config;
}

void machine_start(struct machine *m, const struct vpmu_arm_config *config)
{
    const char *why = "nothing";

    memset(m, 0, sizeof(*m));
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            m->totals.n[ctx][source] = TOTALS_START;
        }
    }
    m->clock.ticks[0] = CLOCK_START;
    m->clock.ticks[1] = CNT_CLOCK_START;
    m->controls.mdcr_el2 = config->counters;
    ck_assert_msg(vpmu_arm_init(&m->v, config, &m->totals, &m->clock, &why) == 0,
                  "expected a PMU got a refusal: %s", why);
}

void machine_start_as(struct machine *m, enum vpmu_version version, unsigned counters,
                      unsigned features)
{
    struct vpmu_arm_config config = config_of(version, counters, features);

    machine_start(m, &config);
}

void machine_control(struct machine *m, uint64_t mdcr_el2, uint64_t mdcr_el3)
{
    m->controls.mdcr_el2 = mdcr_el2;
    m->controls.mdcr_el3 = mdcr_el3;
    machine_set_controls(m, &m->controls);
}

void machine_enter(struct machine *m, unsigned ctx)
{
    machine_service(m, vpmu_arm_set_context(&m->v, ctx, now_if_leaving(m, ctx)));
}

void machine_events(struct machine *m, unsigned source, uint64_t n)
{
    if (is_timed(m, source)) {
        m->clock.ticks[source - VPMU_SRC_CPU_CYCLES] += n;
    } else {
        m->totals.n[m->v.count.ctx][source] += n;
    }
}

void machine_instructions(struct machine *m, uint64_t n)
{
    machine_events(m, VPMU_SRC_INST_RETIRED, n);
}

void machine_take_back(struct machine *m, unsigned source, uint64_t n)
{
    m->totals.n[m->v.count.ctx][source] -= n;
}

void machine_cycles(struct machine *m, uint64_t n)
{
    machine_events(m, VPMU_SRC_CPU_CYCLES, n);
}

uint64_t reg_get(struct machine *m, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t val;
    int err = machine_reg_read(m, reg, pe, &val);

    if (err) {
        ck_abort_msg("expected to read register %u got error %d", reg, err);
    }
    return val;
}

void reg_set(struct machine *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val)
{
    int err = machine_reg_write(m, reg, pe, val);

    if (err) {
        ck_abort_msg("expected to write register %u got error %d", reg, err);
    }
}

uint64_t get(struct machine *m, unsigned reg)
{
    return reg_get(m, reg, &at_el2);
}

void set(struct machine *m, unsigned reg, uint64_t val)
{
    reg_set(m, reg, &at_el2, val);
}

void counter_start(struct machine *m, unsigned idx, uint64_t type, uint64_t value)
{
    /* The access is made at EL3, where MDCR_EL3.EnPM2 does not hide the fixed counter. */
    static const unsigned typers[] = {VPMU_PMCCFILTR, VPMU_PMICFILTR};
    static const unsigned values[] = {VPMU_PMCCNTR, VPMU_PMICNTR};
    bool is_event_counter = idx < VPMU_CYCLE_COUNTER;

    reg_set(m, is_event_counter ? PMEVTYPER(idx) : typers[idx - VPMU_CYCLE_COUNTER], &at_el3, type);
    reg_set(m, is_event_counter ? PMEVCNTR(idx) : values[idx - VPMU_CYCLE_COUNTER], &at_el3, value);
    reg_set(m, VPMU_PMCNTENSET, &at_el3, BIT(idx));
}

void pmcr_enable(struct machine *m)
{
    set(m, VPMU_PMCR, get(m, VPMU_PMCR) | VPMU_PMCR_E);
}

void expect(const char *what, uint64_t want, uint64_t got)
{
    ck_assert_msg(want == got, "%s: expected %#" PRIx64 " got %#" PRIx64, what, want, got);
}

void expect_in(const char *row, const char *what, uint64_t want, uint64_t got)
{
    ck_assert_msg(want == got, "%s: %s: expected %#" PRIx64 " got %#" PRIx64, row, what, want, got);
}

void expect_sources(const char *row, vpmu_sources want, vpmu_sources got)
{
    ck_assert_msg(want == got,
                  "%s: expected sources %#" PRIx64 "'%016" PRIx64 " got %#" PRIx64 "'%016" PRIx64,
                  row, (uint64_t)(want >> 64), (uint64_t)want, (uint64_t)(got >> 64),
                  (uint64_t)got);
}

void expect_page(const char *name, const char *written, void (*write)(FILE *page))
{
    FILE *now = fopen(written, "w+"), *page = fopen(name, "r");
    int a, b;

    ck_assert_ptr_nonnull(now);
    write(now);
    rewind(now);
    do {
        a = fgetc(now);
        b = page ? fgetc(page) : EOF;
    } while (a == b && a != EOF);
    fclose(now);
    if (page) {
        fclose(page);
    }
    ck_assert_msg(a == b, "expected %s to be %s, written just now", name, written);
}

void state_put(uint8_t *state, unsigned at, unsigned count, uint64_t val)
{
    for (unsigned i = 0; i < count; i++) {
        state[at + i] = (uint8_t)(val >> 8 * i);
    }
}

/* CRC-32 as in zlib, bit by bit. */
void state_seal(uint8_t *state, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t bit = 0; bit < 8 * (size - 4); bit++) {
        crc ^= (uint32_t)(state[bit / 8] >> bit % 8 & 1);
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    state_put(state, (unsigned)size - 4, 4, ~crc);
}

uint64_t mask_of(const char *digits)
{
    uint64_t mask = 0;
    unsigned bit = 0;

    for (; *digits != '\0'; digits++) {
        if (*digits != ' ') {
            mask |= (uint64_t)(*digits == '1') << bit++;
        }
    }
    return mask;
}

/* libcheck keeps the pointer to a case's name, so the names are stored here. */
static const char *case_name(const char *suite, const char *test)
{
    static char names[MAX_TESTS][MAX_NAME];
    static unsigned used;

    if (used == MAX_TESTS) {
        fprintf(stderr, "fixture.c: MAX_TESTS is too small\n");
        abort();
    }
    snprintf(names[used], MAX_NAME, "%s.%s", suite, test);
    return names[used++];
}

void suite_add(Suite *suite, const char *name, const char *test, const TTest *function, int i)
{
    TCase *tcase = tcase_create(case_name(name, test));

    tcase_add_loop_test(tcase, function, i, i + 1);
    suite_add_tcase(suite, tcase);
}

Suite *suite_of(const char *name, const TTest *const tests[], size_t count)
{
    Suite *suite = suite_create(name);

    for (size_t i = 0; i < count; i++) {
        suite_add(suite, name, tests[i]->name, tests[i], 0);
    }
    return suite;
}
