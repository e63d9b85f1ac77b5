/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "naive_x86.h"

#include <stddef.h>
#include <string.h>

#define BIT(n) (1ull << (n))

#define LOST                                                                                       \
    (BIT(VPMU_X86_SRC_RECOVERY) | BIT(VPMU_X86_SRC_SLOT_FETCH) | BIT(VPMU_X86_SRC_SLOT_RECOVERY) | \
     BIT(VPMU_X86_SRC_SLOT_BACKEND) | BIT(VPMU_X86_SRC_SLOT_MEMORY))

static bool intel(const struct naive *n)
{
    return n->config.vendor == VPMU_X86_INTEL;
}

static bool has_global(const struct naive *n)
{
    return n->config.version > (intel(n) ? 1 : 2);
}

/* Event and unit mask; on AMD bits 35:32 belong to the event. */
static uint64_t event_of(const struct naive *n, uint64_t select)
{
    return select & (intel(n) ? 0xffff : 0xf0000ffffull);
}

/* A counter, by its bit in the global registers, makes a record when it overflows. */
static bool records(const struct naive *n, unsigned global)
{
    return (n->config.pebs == 4 || global < 4) && (n->pebs_enable >> global & 1);
}

static uint64_t wrap(const struct naive *n)
{
    return BIT(n->config.width) - 1;
}

void naive_reset(struct naive *n)
{
    struct naive fresh = {
        .config = n->config, .controls = n->controls, .ctx = n->ctx, .pmis = n->pmis};

    fresh.global_ctrl = BIT(n->config.counters) - 1;
    *n = fresh;
}

void naive_start(struct naive *n, const struct vpmu_x86_config *config)
{
    *n = (struct naive){.config = *config, .ctx = VPMU_X86_CTX_KERNEL};
    naive_reset(n);
}

static uint64_t sum(const struct naive *n, uint64_t event, const uint64_t *did)
{
    vpmu_sources sources = naive_event(&n->config, event);
    uint64_t total = 0;

    for (unsigned source = 0; source < VPMU_X86_SRC_COUNT; source++) {
        total += sources >> source & 1 ? did[source] : 0;
    }
    return total;
}

/* An event that does not exist counts nothing, also not with an inverted condition. */
static bool is_known(const struct naive *n, uint64_t event)
{
    return naive_event(&n->config, event) != 0;
}

static bool is_guest(const struct naive *n)
{
    return n->ctx == VPMU_X86_CTX_GUEST_USER || n->ctx == VPMU_X86_CTX_GUEST_KERNEL;
}

static bool is_user(const struct naive *n)
{
    return n->ctx == VPMU_X86_CTX_USER || n->ctx == VPMU_X86_CTX_GUEST_USER;
}

static bool runs(const struct naive *n, unsigned global)
{
    bool smm_frozen = n->ctx == VPMU_X86_CTX_SMM && (n->config.features & VPMU_X86_HAS_PDCM) &&
                      (n->controls.debugctl & BIT(14));

    return (!has_global(n) || (n->global_ctrl & BIT(global))) && !(n->global_status & BIT(59)) &&
           !n->controls.halted && !smm_frozen;
}

static bool general_counts(const struct naive *n, unsigned i)
{
    uint64_t select = n->select[i];
    bool guest_only = select & BIT(40), host_only = select & BIT(41);

    if (!(select & BIT(22)) || !runs(n, i) || !(select & (is_user(n) ? BIT(16) : BIT(17)))) {
        return false;
    }
    if (!guest_only && !host_only) {
        return true;
    }
    return n->controls.svme && (is_guest(n) ? guest_only : host_only);
}

static bool fixed_counts(const struct naive *n, unsigned i)
{
    return runs(n, 32 + i) && (n->fixed_ctrl >> 4 * i & (is_user(n) ? 2 : 1));
}

/* What a general counter adds in this cycle. */
static uint64_t evaluate(struct naive *n, unsigned i, uint64_t events)
{
    uint64_t cmask = n->select[i] >> 24 & 0xff;
    bool edge = n->select[i] & BIT(18);
    bool before = n->met[i];
    bool now;

    if (!cmask && !edge) {
        return events;
    }
    if (n->config.timed & VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)) {
        return 0;
    }
    now = cmask == 0 ? events > 0 : (n->select[i] & BIT(23)) ? events < cmask : events >= cmask;
    n->met[i] = now;
    return edge ? now && !before : now;
}

/* A way to write cycles: fewer than 9 or more instructions in each. */
static bool is_each_cycle(const struct naive *n, uint64_t select)
{
    return intel(n) && (select & BIT(23)) && !(select & BIT(18)) && (select >> 24 & 0xff) > 8 &&
           naive_event(&n->config, select & 0xffff) == VPMU_SRC_BIT(VPMU_X86_SRC_INST);
}

/* A lockup detector: all cycles, with an interrupt, after a time. */
static bool is_detector(const struct naive *n, unsigned i)
{
    uint64_t select = n->select[i];
    /* INV alone has no effect. */
    uint64_t cycles = select & (intel(n) ? 0xff04ffff : 0x10fff04ffffull);

    return (n->slow >> i & 1) && !records(n, i) && (select >> 16 & 3) == 3 && (select & BIT(20)) &&
           cycles == (intel(n) ? 0x3c : 0x76);
}

static uint64_t of_general(struct naive *n, unsigned i, const uint64_t *did)
{
    uint64_t event = event_of(n, n->select[i]);
    uint64_t conditions = n->select[i] & 0xff840000;

    if (is_detector(n, i)) {
        return did[VPMU_X86_SRC_REF_CYCLES];
    }

    if (conditions && naive_event(&n->config, event | conditions)) {
        return sum(n, event | conditions, did);
    }
    if (is_each_cycle(n, n->select[i])) {
        return did[VPMU_X86_SRC_CYCLES];
    }
    /* The fastest load takes 5 cycles: all loads are slower than a threshold below that. */
    if (naive_event(&n->config, event) == VPMU_SRC_BIT(VPMU_X86_SRC_LOAD_LATENCY)) {
        return evaluate(n, i,
                        did[n->load_latency < 5 ? VPMU_X86_SRC_LOAD : VPMU_X86_SRC_LOAD_LATENCY]);
    }
    /* A cycle recovers once, or not. */
    if (naive_event(&n->config, event) == BIT(VPMU_X86_SRC_RECOVERY) &&
        (n->select[i] & 0xff840000) == 0x1000000) {
        return sum(n, event, did);
    }
    /* In which cycle slots are lost is not known. */
    if ((n->select[i] & (0xff000000 | BIT(18))) && (naive_event(&n->config, event) & LOST)) {
        return 0;
    }
    return is_known(n, event) ? evaluate(n, i, sum(n, event, did)) : 0;
}

/* Adds to a counter. Returns true if it overflowed. */
static bool add(const struct naive *n, uint64_t *value, uint64_t count)
{
    uint64_t sum_ = *value + count;

    *value = sum_ & wrap(n);
    return sum_ > wrap(n);
}

static bool has_metrics(const struct naive *n)
{
    return n->config.features & VPMU_X86_HAS_METRICS;
}

static uint64_t all_slots(const uint64_t *did)
{
    return did[VPMU_X86_SRC_INST] + did[VPMU_X86_SRC_SLOT_RECOVERY] + did[VPMU_X86_SRC_SLOT_FETCH] +
           did[VPMU_X86_SRC_SLOT_BACKEND];
}

static void use_slots(struct naive *n, const uint64_t *did)
{
    if (has_metrics(n) && fixed_counts(n, 3) && (n->global_ctrl & BIT(48))) {
        n->used[0] += did[VPMU_X86_SRC_INST];
        n->used[1] += did[VPMU_X86_SRC_SLOT_RECOVERY];
        n->used[2] += did[VPMU_X86_SRC_SLOT_FETCH];
        n->used[3] += did[VPMU_X86_SRC_SLOT_BACKEND];
        n->used[4] += did[VPMU_X86_SRC_SLOT_MEMORY];
    }
}

/* Rounded so that the first four fields add up to 255. */
static uint64_t metrics(const struct naive *n)
{
    uint64_t all = n->used[0] + n->used[1] + n->used[2] + n->used[3];
    uint64_t sum = 0, before = 0, val = 0, last = 0;

    for (unsigned i = 0; i < 4 && all; i++) {
        uint64_t now;

        sum += n->used[i];
        now = (uint64_t)((double)sum / (double)all * 255 + 0.5);
        last = now - before;
        val |= last << 8 * i;
        before = now;
    }
    if (all && n->config.family >= VPMU_X86_SAPPHIRERAPIDS) {
        uint64_t memory = (uint64_t)((double)n->used[4] / (double)all * 255 + 0.5);

        val |= (val >> 8 & 0xffff) << 40 | (memory < last ? memory : last) << 56;
    }
    return val;
}

/* The slots that were counted have been used in these parts. */
static void set_metrics(struct naive *n, uint64_t val)
{
    for (unsigned i = 0; i < 5; i++) {
        unsigned long part = val >> (i < 4 ? 8 * i : 56) & 0xff;

        n->used[i] = (uint64_t)((long double)n->fixed[3] * (long double)part / 255);
    }
}

static uint64_t count_all(struct naive *n, const uint64_t *did, bool *pmi)
{
    bool detector = (n->slow >> 33 & 1) && (n->fixed_ctrl & 0xb0) == 0xb0 && !records(n, 33);
    const uint64_t fixed[4] = {did[VPMU_X86_SRC_INST],
                               did[detector ? VPMU_X86_SRC_REF_CYCLES : VPMU_X86_SRC_CYCLES],
                               did[VPMU_X86_SRC_REF_CYCLES], all_slots(did)};
    uint64_t overflowed = 0;

    use_slots(n, did);
    for (unsigned i = 0; i < n->config.counters; i++) {
        if (!general_counts(n, i) || !add(n, &n->general[i], of_general(n, i, did))) {
            continue;
        }
        if (records(n, i)) {
            n->due |= BIT(i);
        } else {
            overflowed |= BIT(i);
            *pmi |= (n->select[i] & BIT(20)) != 0;
        }
    }
    for (unsigned i = 0; i < n->config.fixed; i++) {
        if (!fixed_counts(n, i) || !add(n, &n->fixed[i], fixed[i])) {
            continue;
        }
        if (records(n, 32 + i)) {
            n->due |= BIT(VPMU_X86_FIXED + i);
        } else {
            overflowed |= BIT(32 + i);
            *pmi |= n->fixed_ctrl >> (4 * i + 3) & 1;
        }
    }
    return overflowed;
}

static void interrupt(struct naive *n)
{
    n->pmis++;
    if (!has_global(n) || !(n->controls.debugctl & BIT(12))) {
        return;
    }
    if (!intel(n) || n->config.version > 3) {
        n->global_status |= BIT(59);
    } else {
        n->global_ctrl = 0;
    }
}

void naive_recorded(struct naive *n, uint64_t counters, const uint64_t *reload, bool full)
{
    for (unsigned i = 0; i < 20; i++) {
        uint64_t *value = i < 16 ? &n->general[i] : &n->fixed[i - 16];

        if (counters >> i & 1) {
            *value = reload ? reload[i] & wrap(n) : *value;
            n->slow &= ~(!reload ? 0 : i < 16 ? BIT(i) : BIT(16 + i));
            n->due &= ~BIT(i);
        }
    }
    if (full) {
        n->global_status |= BIT(62);
        interrupt(n);
    }
    naive_moved(n);
}

void naive_happen(struct naive *n, const uint64_t did[VPMU_X86_SRC_COUNT])
{
    bool pmi = false;
    uint64_t overflowed = count_all(n, did, &pmi);

    n->global_status |= has_global(n) ? overflowed : 0;
    if (pmi) {
        interrupt(n);
    }
    naive_moved(n);
}

void naive_moved(struct naive *n)
{
    for (unsigned i = 0; i < n->config.counters; i++) {
        n->met[i] = n->met[i] && general_counts(n, i);
    }
}

/* An MSR: its kind, its value and its writable bits. */
struct place {
    uint64_t *value;
    uint64_t writable;
    enum {
        NOT_THERE,
        PLAIN,
        LOW_HALF,
        SELECT,
        READ_ONLY,
        ADDRESS,
        METRICS,
        CLEARS,
        SETS
    } how;
    unsigned i;
    uint64_t constant; /* that it reads, if value is NULL */
};

static uint64_t select_bits(const struct naive *n)
{
    uint64_t any = n->config.version == 3 || n->config.version == 4 ? BIT(21) : 0;

    if (intel(n)) {
        return 0xffdfffffull | any | (n->config.pebs == 4 ? BIT(34) : 0);
    }
    /* All of [35:0] but PC and bit 21. */
    return 0xfffd7ffffull | (n->config.features & VPMU_X86_HAS_SVM ? BIT(40) | BIT(41) : 0);
}

static uint64_t fixed_bits(const struct naive *n)
{
    uint64_t each = n->config.version == 3 || n->config.version == 4 ? 0xffff : 0xbbbb;

    each |= n->config.pebs == 4 ? 0x111100000000 : 0;
    return each & (BIT(4 * n->config.fixed) - 1) * (1 | BIT(32));
}

static uint64_t in_use(const struct naive *n)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < n->config.counters; i++) {
        bits |= (n->select[i] & 0xff ? BIT(i) : 0) | (n->select[i] & BIT(20) ? BIT(63) : 0);
        bits |= records(n, i) ? BIT(63) : 0;
    }
    for (unsigned i = 0; i < n->config.fixed; i++) {
        bits |= (n->fixed_ctrl >> 4 * i & 3 ? BIT(32 + i) : 0) |
                (n->fixed_ctrl >> 4 * i & 8 ? BIT(63) : 0);
        bits |= records(n, 32 + i) ? BIT(63) : 0;
    }
    return bits;
}

static struct place intel_global(struct naive *n, uint32_t msr)
{
    uint64_t counters = (BIT(n->config.counters) - 1) | (BIT(n->config.fixed) - 1) << 32;
    unsigned version = n->config.version;
    uint64_t clear;

    counters |= has_metrics(n) ? BIT(48) : 0;
    clear = counters | BIT(62) | BIT(63);

    clear |= version == 3 ? BIT(61) : version > 3 ? 0x3full << 58 : 0;
    switch (msr) {
    case 0x38d:
        return (struct place){&n->fixed_ctrl, fixed_bits(n), PLAIN, 0, 0};
    case 0x38e:
        return (struct place){&n->global_status, 0, READ_ONLY, 0, 0};
    case 0x38f:
        return (struct place){&n->global_ctrl, counters, PLAIN, 0, 0};
    case 0x390:
        return (struct place){NULL, clear, CLEARS, 0, 0};
    case 0x391:
        return (struct place){NULL, clear & ~BIT(63), version > 3 ? SETS : NOT_THERE, 0, 0};
    case 0x392:
        return (struct place){NULL, 0, version > 3 ? READ_ONLY : NOT_THERE, 0, in_use(n)};
    default:
        return (struct place){0};
    }
}

static struct place pebs_place(struct naive *n, uint32_t msr)
{
    uint64_t four = BIT(n->config.counters < 4 ? n->config.counters : 4) - 1;

    bool stores = strcmp(naive_family(n->config.family), "sandybridge") == 0 ||
                  strcmp(naive_family(n->config.family), "ivybridge") == 0;

    if (msr == 0x3f1 && n->config.pebs) {
        uint64_t writable = four | four << 32 | (stores ? BIT(63) : 0);

        if (n->config.pebs == 4) {
            writable = (BIT(n->config.counters) - 1) | (BIT(n->config.fixed) - 1) << 32;
        }

        return (struct place){&n->pebs_enable, writable, PLAIN, 0, 0};
    }
    if (msr == 0x3f2 && n->config.pebs == 4) {
        return (struct place){&n->data_cfg, 0xff00000f, PLAIN, 0, 0};
    }
    if (msr == 0x3f6 && n->config.pebs) {
        return (struct place){&n->load_latency, 0xffff, PLAIN, 0, 0};
    }
    if (msr == 0x600 && n->config.pebs) {
        return (struct place){&n->ds_area, UINT64_MAX, ADDRESS, 0, 0};
    }
    return (struct place){0};
}

static struct place intel_place(struct naive *n, uint32_t msr)
{
    unsigned counters = n->config.counters;
    bool pdcm = n->config.features & VPMU_X86_HAS_PDCM;
    bool wide = n->config.features & VPMU_X86_HAS_FULL_WIDTH;

    if (msr >= 0xc1 && msr < 0xc1 + counters) {
        return (struct place){&n->general[msr - 0xc1], UINT64_MAX, LOW_HALF, 0, 0};
    }
    if (msr >= 0x186 && msr < 0x186 + counters) {
        return (struct place){&n->select[msr - 0x186], select_bits(n), SELECT, msr - 0x186, 0};
    }
    if (msr >= 0x4c1 && msr < 0x4c1 + counters && wide) {
        return (struct place){&n->general[msr - 0x4c1], wrap(n), PLAIN, 0, 0};
    }
    if (msr >= 0x309 && msr < 0x309u + n->config.fixed) {
        return (struct place){&n->fixed[msr - 0x309], wrap(n), PLAIN, 0, 0};
    }
    if (msr == 0x329 && has_metrics(n)) {
        bool two = n->config.family >= VPMU_X86_SAPPHIRERAPIDS;

        return (struct place){NULL, two ? UINT64_MAX : UINT32_MAX, METRICS, 0, metrics(n)};
    }
    if (msr == 0x345 && pdcm) {
        uint64_t pebs = (n->config.pebs ? 0xc0 | (uint64_t)n->config.pebs << 8 : 0) |
                        (has_metrics(n) ? BIT(15) : 0) | (n->config.pebs == 4 ? BIT(14) : 0);

        return (struct place){NULL, 0, READ_ONLY, 0, BIT(12) | (wide ? BIT(13) : 0) | pebs};
    }
    if ((msr >= 0x3f1 && msr <= 0x3f6) || msr == 0x600) {
        return pebs_place(n, msr);
    }
    return n->config.version > 1 ? intel_global(n, msr) : (struct place){0};
}

static struct place amd_place(struct naive *n, uint32_t msr)
{
    uint64_t counters = BIT(n->config.counters) - 1;
    unsigned version = n->config.version;
    unsigned i = UINT32_MAX;
    bool is_select = false;

    if (msr >= 0xc0010000 && msr < 0xc0010008) {
        i = msr & 3;
        is_select = !(msr & 4);
    } else if (version > 1 && msr >= 0xc0010200) {
        i = (msr - 0xc0010200) / 2;
        is_select = !(msr & 1);
    }
    if (i < n->config.counters) {
        return is_select ? (struct place){&n->select[i], select_bits(n), SELECT, i, 0}
                         : (struct place){&n->general[i], wrap(n), PLAIN, 0, 0};
    }
    if (version < 3 || msr < 0xc0000300 || msr > 0xc0000303) {
        return (struct place){0};
    }
    switch (msr & 3) {
    case 0:
        return (struct place){&n->global_status, 0, READ_ONLY, 0, 0};
    case 1:
        return (struct place){&n->global_ctrl, counters, PLAIN, 0, 0};
    default:
        return (struct place){NULL, counters | BIT(59), msr & 1 ? SETS : CLEARS, 0, 0};
    }
}

static struct place find(const struct naive *n, uint32_t msr)
{
    struct naive *m = (struct naive *)n;

    return intel(n) ? intel_place(m, msr) : amd_place(m, msr);
}

enum vpmu_x86_access naive_rdmsr(const struct naive *n, uint32_t msr, uint64_t *val)
{
    struct place p = find(n, msr);

    *val = p.how == NOT_THERE ? 0 : p.value ? *p.value : p.constant;
    return p.how == NOT_THERE ? VPMU_X86_UNKNOWN : VPMU_X86_OK;
}

/*
 * A counter has been written: is that a lockup detector's period? The TSC has 10^9 Hz. @wide: what
 * was written, with its sign.
 */
static void note_period(struct naive *n, uint64_t wide, bool goes_on)
{
    for (unsigned i = 0; i < n->config.counters + n->config.fixed; i++) {
        bool general = i < n->config.counters;
        unsigned bit = general ? i : 32 + i - n->config.counters;
        uint64_t *value = general ? &n->general[i] : &n->fixed[i - n->config.counters];

        if (value == n->written) {
            uint64_t left = wrap(n) - *value + 1;
            uint64_t least = (wide & ~wrap(n)) == ~wrap(n) ? 5000000
                             : wide                        ? 500000000
                                                           : UINT64_MAX;

            n->slow &= ~BIT(bit);
            if (n->config.detector && left <= 100000000000 && (left >= least || goes_on)) {
                n->slow |= BIT(bit);
            }
        }
    }
}

/* Tells whether a detector's counter has this value: software may go on with it in another one. */
static bool is_detectors_value(const struct naive *n, uint64_t val)
{
    bool found = false;

    for (unsigned i = 0; i < n->config.counters; i++) {
        found |= (n->slow >> i & 1) && n->general[i] == (val & wrap(n));
    }
    for (unsigned i = 0; i < n->config.fixed; i++) {
        found |= (n->slow >> (32 + i) & 1) && n->fixed[i] == (val & wrap(n));
    }
    return found;
}

enum vpmu_x86_access naive_wrmsr(struct naive *n, uint32_t msr, uint64_t val)
{
    struct place p = find(n, msr);
    uint64_t wide =
        p.how == LOW_HALF ? (val & 0xffffffff) | (val & BIT(31) ? ~0xffffffffull : 0) : val;
    bool goes_on = is_detectors_value(n, wide);

    if (p.how == NOT_THERE) {
        return VPMU_X86_UNKNOWN;
    }
    if (p.how == READ_ONLY && !intel(n)) {
        return VPMU_X86_OK;
    }
    if (p.how == READ_ONLY || (intel(n) && (val & ~p.writable))) {
        return VPMU_X86_GP;
    }
    if (p.how == ADDRESS && val != (uint64_t)((int64_t)(val << 16) >> 16)) {
        return VPMU_X86_GP;
    }
    val &= p.writable;
    if (p.how == SETS) {
        n->global_status |= val;
    } else if (p.how == CLEARS) {
        n->global_status &= ~val;
    } else if (p.how == METRICS) {
        set_metrics(n, val);
    } else if (p.how == LOW_HALF) {
        *p.value = wide & wrap(n);
    } else {
        uint64_t function = event_of(n, UINT64_MAX) | 0xff840000; /* and E, INV and CMASK */

        n->met[p.i] = n->met[p.i] && !(p.how == SELECT && ((*p.value ^ val) & function));
        *p.value = val;
    }
    if (p.how == LOW_HALF && (wide << 32 >> 32) - 0x80000000 < 2) {
        /* As far as 32 bits go: a plain counter. */
        goes_on = false;
        wide = 0;
    }
    n->written = p.value;
    note_period(n, wide, goes_on);
    naive_moved(n);
    return VPMU_X86_OK;
}

enum vpmu_x86_access naive_rdpmc(const struct naive *n, uint32_t ecx, uint64_t *val)
{
    *val = 0;
    if (ecx < n->config.counters) {
        *val = n->general[ecx];
        return VPMU_X86_OK;
    }
    if (ecx >= 0x40000000 && ecx < 0x40000000u + n->config.fixed) {
        *val = n->fixed[ecx & 3];
        return VPMU_X86_OK;
    }
    if (ecx == 0x20000000 && has_metrics(n)) {
        *val = metrics(n);
        return VPMU_X86_OK;
    }
    return VPMU_X86_GP;
}
