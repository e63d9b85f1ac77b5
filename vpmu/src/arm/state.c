/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding, every byte accounted for.
 *
 *   0  u32 magic "vPMU"     4  u16 version      6  u16 size
 *   8  configuration: u8 version, u8 counters, u16 features, u8 imp, u8 idcode, u8 slots,
 *      u8 threshold_width, u64 sources, u64 timed, u8 cycle_units
 *  33  u8 announced, u8 zero[6]
 *  40  u64 PMCR, PMCNTEN, PMINTEN, PMOVS, PMUSERENR, PMUACR, PMSELR
 *  96  33 times: u64 value, u64 type
 * 624  33 times: u16 remainder
 * 690  u16 zero
 * 692  31 times: u64 value, u64 link of the cycle that goes on
 *1188  u32 in which of these the condition was true in the cycle before
 *1192  u32 CRC-32 of all before it
 */
#include "vpmu/arm/state.h"

#include "../cursor.h"
#include "../refuse.h"
#include "../saved_sources.h"
#include "arm_internal.h"

#define MAGIC 0x554d5076u
#define VERSION 3
#define CONFIG_AT 8
#define CONFIG_SIZE 25

_Static_assert(VPMU_MAX_EVENT_COUNTERS <= 32, "conditions are saved as u32");

/* The contents of a saved state. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    struct vpmu_config config;
    uint8_t announced;
    uint8_t zero; /* all bytes that must be 0, combined with OR */
    struct vpmu_regs regs;
    uint64_t value[VPMU_COUNTER_COUNT];
    uint16_t remainder[VPMU_COUNTER_COUNT];
    uint64_t cycle[VPMU_MAX_EVENT_COUNTERS];
    uint64_t link[VPMU_MAX_EVENT_COUNTERS];
    uint32_t met;
    uint32_t crc;
    uint32_t crc_found;
};

static void pass_zero(struct vpmu_cursor_ *c, struct saved *s, size_t size)
{
    s->zero |= vpmu_pass_(c, 0, size) != 0;
}

/* Exceptions come behind what all architectures have; in saved states, before it. */
#define SHARED (VPMU_SRC_STALL_SLOT_FRONTEND - VPMU_SRC_CPU_CYCLES)
#define LATER (VPMU_SRC_OWN - VPMU_SRC_STALL_SLOT_FRONTEND)
#define EXCEPTIONS (VPMU_SRC_COUNT - VPMU_SRC_OWN)

static const struct vpmu_saved_range_ ranges[] = {
    {VPMU_SRC_OWN, EXCEPTIONS, VPMU_SRC_CPU_CYCLES},
    {VPMU_SRC_CPU_CYCLES, SHARED, VPMU_SRC_CPU_CYCLES + EXCEPTIONS},
    {VPMU_SRC_STALL_SLOT_FRONTEND, LATER, VPMU_UNSAVED_},
};

static void pass_sources(struct vpmu_cursor_ *c, vpmu_sources sources)
{
    vpmu_pass_sources_(c, sources, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static void pass_config(struct vpmu_cursor_ *c, struct vpmu_config *config)
{
    VPMU_PASS_(c, config->version);
    VPMU_PASS_(c, config->counters);
    VPMU_PASS_(c, config->features);
    VPMU_PASS_(c, config->imp);
    VPMU_PASS_(c, config->idcode);
    VPMU_PASS_(c, config->slots);
    VPMU_PASS_(c, config->threshold_width);
    pass_sources(c, config->sources);
    pass_sources(c, config->timed);
    VPMU_PASS_(c, config->cycle_units);
}

static void pass_regs(struct vpmu_cursor_ *c, struct vpmu_regs *regs)
{
    VPMU_PASS_(c, regs->pmcr);
    VPMU_PASS_(c, regs->cnten);
    VPMU_PASS_(c, regs->inten);
    VPMU_PASS_(c, regs->ovs);
    VPMU_PASS_(c, regs->userenr);
    VPMU_PASS_(c, regs->uacr);
    VPMU_PASS_(c, regs->selr);
}

/* Reads or writes all fields in the order of the layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    pass_config(c, &s->config);
    VPMU_PASS_(c, s->announced);
    pass_zero(c, s, 6);
    pass_regs(c, &s->regs);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        VPMU_PASS_(c, s->value[idx]);
        VPMU_PASS_(c, s->regs.type[idx]);
    }
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        VPMU_PASS_(c, s->remainder[idx]);
    }
    pass_zero(c, s, 2);
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        VPMU_PASS_(c, s->cycle[idx]);
        VPMU_PASS_(c, s->link[idx]);
    }
    VPMU_PASS_(c, s->met);
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

int vpmu_state_save(struct vpmu *v, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    struct saved s = {.magic = MAGIC, .version = VERSION, .size = VPMU_STATE_SIZE};

    if (len < VPMU_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    vpmu_settle(v);
    s.config = v->config;
    s.announced = v->announced;
    s.regs = v->regs;
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        s.value[idx] = v->count.counter[idx].value;
        s.remainder[idx] = v->count.counter[idx].remainder;
    }
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        s.cycle[idx] = v->count.pace[idx].value;
        s.link[idx] = v->count.pace[idx].link;
        s.met |= (uint32_t)v->count.pace[idx].met << idx;
    }
    pass_all(&c, &s);
    return 0;
}

/* Tells whether the state was saved with this configuration. */
static bool has_config(const uint8_t *bytes, struct vpmu_config config)
{
    uint8_t own[CONFIG_SIZE];
    struct vpmu_cursor_ c = {.bytes = own, .out = own};

    pass_config(&c, &config);
    for (size_t i = 0; i < CONFIG_SIZE; i++) {
        if (own[i] != bytes[CONFIG_AT + i]) {
            return false;
        }
    }
    return true;
}

static const char *find_fault_in_header(const struct saved *s, size_t len)
{
    if (s->magic != MAGIC) {
        return "this is not a saved PMU state: it does not begin with vPMU";
    }
    if (s->version != VERSION) {
        return "the saved PMU state is of another version; this library reads version 3";
    }
    if (s->size != VPMU_STATE_SIZE || len != VPMU_STATE_SIZE) {
        return "the saved PMU state has the wrong size for its version";
    }
    if (s->crc_found != s->crc) {
        return "the saved PMU state is damaged: its checksum does not match";
    }
    return NULL;
}

static const char *find_fault_in_regs(const struct vpmu_config *config,
                                      const struct vpmu_regs *regs)
{
    uint64_t implemented = vpmu_implemented_(config);
    uint64_t uacr = config->version >= VPMU_V3P9 ? implemented : 0;
    uint64_t fixed = vpmu_pmcr_fixed_(config);

    if ((regs->pmcr & ~(vpmu_pmcr_kept_(config) | fixed)) || (regs->uacr & ~uacr) ||
        ((regs->cnten | regs->inten | regs->ovs) & ~implemented) ||
        (regs->userenr & ~vpmu_userenr_kept_(config)) || (regs->selr & ~VPMU_SELR_MASK)) {
        return "the saved PMU state sets register bits that this PMU does not have";
    }
    if ((regs->pmcr & fixed) != fixed) {
        return "the saved PMU state clears a PMCR bit that is always 1 in this PMU";
    }
    return NULL;
}

/* Tells whether a counter can have this remainder and this partial cycle. */
static bool parts_fit(const struct vpmu_setup_ *setup, const struct saved *s, unsigned idx)
{
    struct vpmu_assignment_ assignment = vpmu_assignment_(setup, idx);

    if (assignment.paced) {
        return s->remainder[idx] < setup->config->cycle_units;
    }
    if (idx < VPMU_MAX_EVENT_COUNTERS &&
        (s->cycle[idx] || s->link[idx] || (s->met & VPMU_BIT(idx)))) {
        return false;
    }
    return s->remainder[idx] < assignment.unit;
}

static const char *find_fault_in_counters(const struct vpmu_setup_ *setup, const struct saved *s)
{
    uint64_t implemented = vpmu_implemented_(setup->config);
    bool fits =
        !s->zero && !(s->met >> VPMU_MAX_EVENT_COUNTERS) && s->announced < VPMU_ANNOUNCED_COUNT;

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        bool exists = implemented & VPMU_BIT(idx);

        if ((s->value[idx] & ~(exists ? vpmu_counter_kept_(setup->config, idx) : 0)) ||
            (s->regs.type[idx] & ~(exists ? vpmu_typer_kept_(setup->config, idx) : 0))) {
            return "the saved PMU state has counters, or bits of them, that this PMU does not have";
        }
        fits &= parts_fit(setup, s, idx);
    }
    return fits ? NULL : "the saved PMU state has a value where none can be";
}

static const char *find_fault(const struct vpmu *v, struct saved *s, const uint8_t *bytes,
                              size_t len)
{
    struct vpmu_cursor_ c = {.bytes = bytes};
    struct vpmu_setup_ setup = vpmu_setup_(&v->config, &v->controls, &s->regs);
    const char *fault;

    if (len < VPMU_STATE_SIZE) {
        return "the saved PMU state is truncated";
    }
    pass_all(&c, s);
    fault = find_fault_in_header(s, len);
    if (!fault && !has_config(bytes, v->config)) {
        fault = "the saved PMU state is of a PMU with another version, other counters or other "
                "features";
    }
    if (!fault) {
        fault = find_fault_in_regs(&v->config, &s->regs);
    }
    return fault ? fault : find_fault_in_counters(&setup, s);
}

static void take(struct vpmu *v, const struct saved *s)
{
    v->announced = s->announced;
    v->regs = s->regs;
    vpmu_count_clear_(&v->count);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        v->count.counter[idx].value = s->value[idx];
        v->count.counter[idx].remainder = s->remainder[idx];
    }
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        v->count.pace[idx].value = s->cycle[idx];
        v->count.pace[idx].link = s->link[idx];
    }
}

int vpmu_state_load(struct vpmu *v, const void *buf, size_t len, const char **why)
{
    struct saved s = {0};
    const char *fault = find_fault(v, &s, buf, len);

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
    }
    vpmu_begin_(&v->count);
    take(v, &s);
    vpmu_end_(&v->count, vpmu_implemented_(&v->config), false);
    /* This is done last, because a counter that does not count forgets its condition. */
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        v->count.pace[idx].met = s.met & VPMU_BIT(idx);
    }
    if (v->watch) {
        vpmu_watch_restart_(v);
    }
    return 0;
}

int vpmu_state_counters(const void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf};
    struct saved s = {0};

    if (len < VPMU_STATE_SIZE) {
        return -VPMU_ERR_STATE;
    }
    pass_all(&c, &s);
    if (find_fault_in_header(&s, len) || s.config.counters > VPMU_MAX_EVENT_COUNTERS) {
        return -VPMU_ERR_STATE;
    }
    return s.config.counters;
}
