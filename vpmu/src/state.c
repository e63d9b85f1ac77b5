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
#include "vpmu/state.h"

#include "internal.h"

#define MAGIC 0x554d5076u
#define VERSION 3
#define OFFSET_CONFIG 8
#define OFFSET_CONFIG_END 33
#define OFFSET_ANNOUNCED 33
#define OFFSET_REGS 40
#define OFFSET_COUNTERS 96
#define OFFSET_REMAINDERS 624
#define OFFSET_ZERO 690
#define OFFSET_PACE 692
#define OFFSET_MET 1188
#define OFFSET_CRC 1192
#define CRC_POLYNOMIAL 0xedb88320u
#define REG_COUNT 7

_Static_assert(OFFSET_COUNTERS == OFFSET_REGS + 8 * REG_COUNT,
               "registers end where counters begin");
_Static_assert(OFFSET_REMAINDERS == OFFSET_COUNTERS + 16 * VPMU_COUNTER_COUNT, "33 counters");
_Static_assert(OFFSET_ZERO == OFFSET_REMAINDERS + 2 * VPMU_COUNTER_COUNT, "33 remainders");
_Static_assert(OFFSET_MET == OFFSET_PACE + 16 * VPMU_MAX_EVENT_COUNTERS, "31 event counters");
_Static_assert(OFFSET_CRC + 4 == VPMU_STATE_SIZE, "the checksum comes last");

_Static_assert(sizeof(((struct vpmu_config *)0)->features) == 2, "features are saved as u16");
_Static_assert(VPMU_MAX_EVENT_COUNTERS <= 32, "conditions are saved as u32");

static void put(uint8_t *p, uint64_t val, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(val >> 8 * i);
    }
}

static uint64_t get(const uint8_t *p, unsigned bytes)
{
    uint64_t val = 0;

    for (unsigned i = 0; i < bytes; i++) {
        val |= (uint64_t)p[i] << 8 * i;
    }
    return val;
}

static uint32_t crc32(const uint8_t *p, size_t len)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? CRC_POLYNOMIAL : 0);
        }
    }
    return ~crc;
}

static void put_config(uint8_t *p, const struct vpmu_config *config)
{
    put(p, config->version, 1);
    put(p + 1, config->counters, 1);
    put(p + 2, config->features, 2);
    put(p + 4, config->imp, 1);
    put(p + 5, config->idcode, 1);
    put(p + 6, config->slots, 1);
    put(p + 7, config->threshold_width, 1);
    put(p + 8, config->sources, 8);
    put(p + 16, config->timed, 8);
    put(p + 24, config->cycle_units, 1);
}

/* The registers of a saved state, in its order, each with the bits that it can have. */
struct saved_regs {
    uint64_t *reg[REG_COUNT];
    uint64_t kept[REG_COUNT];
};

static struct saved_regs saved_regs(struct vpmu *v)
{
    uint64_t implemented = vpmu_implemented_(v);
    uint64_t uacr = v->config.version >= VPMU_V3P9 ? implemented : 0;

    return (struct saved_regs){
        {&v->pmcr, &v->cnten, &v->inten, &v->ovs, &v->userenr, &v->uacr, &v->selr},
        {vpmu_pmcr_kept_(v) | vpmu_pmcr_fixed_(v), implemented, implemented, implemented,
         vpmu_userenr_kept_(v), uacr, VPMU_SELR_MASK},
    };
}

static void put_pace(uint8_t *p, const struct vpmu *v)
{
    uint64_t met = 0;

    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        put(p + OFFSET_PACE + 16 * idx, v->pace[idx].value, 8);
        put(p + OFFSET_PACE + 16 * idx + 8, v->pace[idx].link, 8);
        met |= v->pace[idx].met ? VPMU_BIT(idx) : 0;
    }
    put(p + OFFSET_MET, met, 4);
}

int vpmu_state_save(struct vpmu *v, void *buf, size_t len)
{
    uint8_t *p = buf;
    struct saved_regs regs = saved_regs(v);

    if (len < VPMU_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    vpmu_settle(v);
    put(p, MAGIC, 4);
    put(p + 4, VERSION, 2);
    put(p + 6, VPMU_STATE_SIZE, 2);
    put_config(p + OFFSET_CONFIG, &v->config);
    put(p + OFFSET_CONFIG_END, 0, OFFSET_REGS - OFFSET_CONFIG_END);
    put(p + OFFSET_ANNOUNCED, v->announced, 1);
    for (unsigned i = 0; i < REG_COUNT; i++) {
        put(p + OFFSET_REGS + 8 * i, *regs.reg[i], 8);
    }
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        put(p + OFFSET_COUNTERS + 16 * idx, v->counter[idx].value, 8);
        put(p + OFFSET_COUNTERS + 16 * idx + 8, v->counter[idx].type, 8);
        put(p + OFFSET_REMAINDERS + 2 * idx, v->counter[idx].remainder, 2);
    }
    put(p + OFFSET_ZERO, 0, OFFSET_PACE - OFFSET_ZERO);
    put_pace(p, v);
    put(p + OFFSET_CRC, crc32(p, OFFSET_CRC), 4);
    return 0;
}

static bool same(const uint8_t *a, const uint8_t *b, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static const char *find_fault_in_header(const struct vpmu *v, const uint8_t *p, size_t len)
{
    uint8_t config[OFFSET_CONFIG_END - OFFSET_CONFIG];

    if (len < VPMU_STATE_SIZE) {
        return "the saved PMU state is truncated";
    }
    if (get(p, 4) != MAGIC) {
        return "this is not a saved PMU state: it does not begin with vPMU";
    }
    if (get(p + 4, 2) != VERSION) {
        return "the saved PMU state is of another version; this library reads version 3";
    }
    if (get(p + 6, 2) != VPMU_STATE_SIZE || len != VPMU_STATE_SIZE) {
        return "the saved PMU state has the wrong size for its version";
    }
    if (get(p + OFFSET_CRC, 4) != crc32(p, OFFSET_CRC)) {
        return "the saved PMU state is damaged: its checksum does not match";
    }
    put_config(config, &v->config);
    if (!same(config, p + OFFSET_CONFIG, sizeof(config))) {
        return "the saved PMU state is of a PMU with another version, other counters or other "
               "features";
    }
    return NULL;
}

static const char *find_fault_in_regs(struct vpmu *v, const uint8_t *p)
{
    struct saved_regs regs = saved_regs(v);
    uint64_t fixed = vpmu_pmcr_fixed_(v);

    for (unsigned i = 0; i < REG_COUNT; i++) {
        if (get(p + OFFSET_REGS + 8 * i, 8) & ~regs.kept[i]) {
            return "the saved PMU state sets register bits that this PMU does not have";
        }
    }
    if ((get(p + OFFSET_REGS, 8) & fixed) != fixed) {
        return "the saved PMU state clears a PMCR bit that is always 1 in this PMU";
    }
    return NULL;
}

/* Is a saved counter evaluated cycle by cycle? */
static bool paces(const struct vpmu *v, const uint8_t *p, unsigned idx)
{
    const uint8_t *type = p + OFFSET_COUNTERS + 16 * idx + 8;

    return idx < VPMU_CYCLE_COUNTER &&
           vpmu_paces_(&v->config, idx, get(type, 8), get(type + 16, 8));
}

static bool pace_fits(const struct vpmu *v, const uint8_t *p)
{
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        uint64_t has = get(p + OFFSET_PACE + 16 * idx, 8) | get(p + OFFSET_PACE + 16 * idx + 8, 8) |
                       (get(p + OFFSET_MET, 4) & VPMU_BIT(idx));

        if (has && !paces(v, p, idx)) {
            return false;
        }
    }
    return !(get(p + OFFSET_MET, 4) >> VPMU_MAX_EVENT_COUNTERS);
}

/* How many values the remainder of a saved counter can have: one, if it has no parts of cycles. */
static unsigned units(const struct vpmu *v, const uint8_t *p, unsigned idx)
{
    uint64_t pmcr = get(p + OFFSET_REGS, 8);
    uint16_t number = (uint16_t)get(p + OFFSET_COUNTERS + 16 * idx + 8, 2);
    const struct vpmu_event *event = vpmu_event_find(number);
    bool divides = (pmcr & (VPMU_PMCR_D | VPMU_PMCR_LC)) == VPMU_PMCR_D;

    if (idx == VPMU_CYCLE_COUNTER) {
        return v->config.cycle_units * (divides ? VPMU_DIVIDER : 1u);
    }
    if (paces(v, p, idx) || (event && (event->sources & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)))) {
        return v->config.cycle_units;
    }
    return 1;
}

static const char *find_fault_in_counters(const struct vpmu *v, const uint8_t *p)
{
    uint64_t implemented = vpmu_implemented_(v);
    uint64_t zero = get(p + OFFSET_ANNOUNCED + 1, OFFSET_REGS - OFFSET_ANNOUNCED - 1) |
                    get(p + OFFSET_ZERO, OFFSET_PACE - OFFSET_ZERO);
    bool remainder_fits = true;

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        bool exists = implemented & VPMU_BIT(idx);
        uint64_t value = get(p + OFFSET_COUNTERS + 16 * idx, 8);
        uint64_t type = get(p + OFFSET_COUNTERS + 16 * idx + 8, 8);

        remainder_fits &= get(p + OFFSET_REMAINDERS + 2 * idx, 2) < units(v, p, idx);
        if ((value & ~(exists ? vpmu_counter_kept_(v, idx) : 0)) ||
            (type & ~(exists ? vpmu_typer_kept_(v, idx) : 0))) {
            return "the saved PMU state has counters, or bits of them, that this PMU does not have";
        }
    }
    if (zero || !remainder_fits || !pace_fits(v, p) ||
        get(p + OFFSET_ANNOUNCED, 1) >= VPMU_ANNOUNCED_COUNT) {
        return "the saved PMU state has a value where none can be";
    }
    return NULL;
}

static void take(struct vpmu *v, const uint8_t *p)
{
    struct saved_regs regs = saved_regs(v);

    v->announced = (uint8_t)get(p + OFFSET_ANNOUNCED, 1);
    for (unsigned i = 0; i < REG_COUNT; i++) {
        *regs.reg[i] = get(p + OFFSET_REGS + 8 * i, 8);
    }
    vpmu_counters_clear_(v);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        v->counter[idx].value = get(p + OFFSET_COUNTERS + 16 * idx, 8);
        v->counter[idx].type = get(p + OFFSET_COUNTERS + 16 * idx + 8, 8);
        v->counter[idx].remainder = (uint16_t)get(p + OFFSET_REMAINDERS + 2 * idx, 2);
    }
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        v->pace[idx].value = get(p + OFFSET_PACE + 16 * idx, 8);
        v->pace[idx].link = get(p + OFFSET_PACE + 16 * idx + 8, 8);
    }
}

/* Conditions of the cycle before: last, since they are forgotten where a counter does not count. */
static void take_met(struct vpmu *v, const uint8_t *p)
{
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        v->pace[idx].met = get(p + OFFSET_MET, 4) & VPMU_BIT(idx);
    }
}

int vpmu_state_load(struct vpmu *v, const void *buf, size_t len, const char **why)
{
    const uint8_t *p = buf;
    const char *fault = find_fault_in_header(v, p, len);

    if (!fault) {
        fault = find_fault_in_regs(v, p);
    }
    if (!fault) {
        fault = find_fault_in_counters(v, p);
    }
    if (fault) {
        if (why) {
            *why = fault;
        }
        return -VPMU_ERR_STATE;
    }
    vpmu_begin_(v);
    take(v, p);
    vpmu_end_(v, vpmu_implemented_(v));
    take_met(v, p);
    if (v->watch) {
        vpmu_watch_restart_(v);
    }
    return 0;
}
