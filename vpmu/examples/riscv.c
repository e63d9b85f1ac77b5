/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What RISC-V adds to the counting core. A real architecture would be vpmu/src/riscv/. */
#include "riscv.h"

#include "count/saved.h"
#include "event_text.h"

#define EVENT_KEPT (RISCV_OF | RISCV_SINH | RISCV_UINH | 0xff)
#define EXISTING 0x1dull /* cycle, instret and two event counters */
#define PROGRAMMABLE 0x18ull

static vpmu_sources sources_of(uint64_t event)
{
    static const vpmu_sources sources[] = {
        [RISCV_EVENT_CYCLES] = VPMU_SRC_BIT(RISCV_SRC_CYCLES),
        [RISCV_EVENT_INSTRUCTIONS] = VPMU_SRC_BIT(RISCV_SRC_INSTRET),
        [RISCV_EVENT_TRAPS] = VPMU_SRC_BIT(RISCV_SRC_TRAPS),
    };

    event &= 0xff;
    return event < sizeof(sources) / sizeof(sources[0]) ? sources[event] : 0;
}

/* Derives from the registers what a counter does. */
static struct vpmu_assignment_ assignment(const struct riscv_regs *regs, unsigned idx)
{
    const uint64_t fixed[] = {RISCV_EVENT_CYCLES, 0, RISCV_EVENT_INSTRUCTIONS};
    uint64_t event = idx < 3 ? fixed[idx] : regs->event[idx];
    unsigned modes =
        (event & RISCV_UINH ? 0 : 1u << RISCV_U) | (event & RISCV_SINH ? 0 : 1u << RISCV_S);

    return (struct vpmu_assignment_){
        .sources = sources_of(event),
        .ctx_mask = (uint16_t)(regs->inhibit & VPMU_BIT(idx) ? 0 : modes),
        .unit = 1,
        .width = 64,
        .end = 64,
    };
}

/* An overflow sets OF, and requests an interrupt if OF was 0. mcycle and minstret have no OF. */
static bool commit(struct vpmu_count *c, uint64_t ended)
{
    struct riscv_pmu *v = (struct riscv_pmu *)c;
    bool requested = false;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, ended & PROGRAMMABLE) {
        requested |= !(v->regs.event[idx] & RISCV_OF);
        v->regs.event[idx] |= RISCV_OF;
    }
    return requested;
}

static void assign(struct vpmu_count *c, uint64_t changed)
{
    const struct riscv_pmu *v = (const struct riscv_pmu *)c;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, changed & EXISTING) {
        struct vpmu_assignment_ a = assignment(&v->regs, idx);

        vpmu_count_assign_(c, idx, &a);
    }
    c->urgent = 0;
    VPMU_FOR_EACH_BIT (idx, PROGRAMMABLE) {
        c->urgent |= v->regs.event[idx] & RISCV_OF ? 0 : VPMU_BIT(idx);
    }
}

/* The pending bit stays set until software clears it. */
static int interrupt(struct vpmu_count *c, bool edge)
{
    struct riscv_pmu *v = (struct riscv_pmu *)c;

    if (!edge) {
        return 0;
    }
    v->regs.sip |= RISCV_SIP_LCOFIP;
    return VPMU_DUE_IRQ;
}

struct saved {
    struct vpmu_saved_ all;
    struct riscv_regs regs;
};

static void sources(const struct vpmu_count *c, struct vpmu_saved_ *s)
{
    s->sources = c->sources;
}

/* All PMUs of this kind have the same counters. */
static void pass_config(struct vpmu_cursor_ *cursor, const struct vpmu_count *c)
{
    (void)cursor;
    (void)c;
}

static void pass(struct vpmu_cursor_ *cursor, struct vpmu_saved_ *all)
{
    struct saved *s = (struct saved *)all;
    uint8_t pending = s->regs.sip != 0;

    VPMU_PASS_(cursor, s->regs.inhibit);
    VPMU_PASS_ALL_(cursor, s->regs.event, RISCV_COUNTERS);
    VPMU_PASS_(cursor, pending);
    VPMU_PASS_ALL_(cursor, all->value, RISCV_COUNTERS);
    s->regs.sip = pending ? RISCV_SIP_LCOFIP : 0;
}

static const char *find_fault(const struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    const struct saved *s = (const struct saved *)all;
    bool fits = !(s->regs.inhibit & ~EXISTING);

    (void)c;
    for (unsigned idx = 0; idx < RISCV_COUNTERS; idx++) {
        uint64_t kept = PROGRAMMABLE & VPMU_BIT(idx) ? EVENT_KEPT : 0;

        fits = fits && !(s->regs.event[idx] & ~kept) &&
               (!all->value[idx] || (EXISTING & VPMU_BIT(idx)));
    }
    return fits ? NULL : vpmu_impossible_value_;
}

static void take(struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    ((struct riscv_pmu *)c)->regs = ((const struct saved *)all)->regs;
}

static const struct vpmu_state_format_ state = {
    .magic = 0x31565276u,
    .size = RISCV_STATE_SIZE,
    .other_magic = "this is not a saved RISC-V PMU state: it does not begin with vRV1",
    .sources = sources,
    .pass_config = pass_config,
    .pass = pass,
    .find_fault = find_fault,
    .take = take,
};

static const struct vpmu_arch riscv = {
    .contexts = RISCV_MODE_COUNT,
    .sources = RISCV_SRC_COUNT,
    .row = RISCV_SRC_COUNT,
    .first_context = RISCV_S,
    .commit = commit,
    .assign = assign,
    .interrupt = interrupt,
    .state = &state,
};

int riscv_init(struct riscv_pmu *v, struct riscv_totals *totals, const char **why)
{
    struct vpmu_machine_ machine = {
        .totals = (uint64_t *)totals,
        .sources = RISCV_SRC_ALL,
        .cycle_units = 1,
    };
    int err;

    *v = (struct riscv_pmu){.regs = {0}};
    err = vpmu_count_init_(&v->count, &riscv, &machine, why);
    return err ? err : vpmu_end_(&v->count, UINT64_MAX, vpmu_begin_(&v->count, NULL));
}

int riscv_set_mode(struct riscv_pmu *v, enum riscv_mode mode)
{
    int due = vpmu_leave_context_(&v->count, NULL);

    return due | vpmu_change_context_(&v->count, mode, NULL);
}

uint64_t riscv_headroom(const struct riscv_pmu *v, enum riscv_mode mode)
{
    return vpmu_count_headroom_(&v->count, RISCV_SRC_ALL, mode);
}

int riscv_settle(struct riscv_pmu *v)
{
    return vpmu_settle_(&v->count, NULL);
}

static bool is_counter(unsigned csr)
{
    return csr >= RISCV_MCYCLE && csr < RISCV_MCYCLE + RISCV_COUNTERS &&
           (EXISTING >> (csr - RISCV_MCYCLE) & 1);
}

/* The register that a CSR is, or NULL. */
static uint64_t *find_register(struct riscv_regs *regs, unsigned csr)
{
    switch (csr) {
    case RISCV_MCOUNTINHIBIT:
        return &regs->inhibit;
    case RISCV_MHPMEVENT3:
    case RISCV_MHPMEVENT4:
        return &regs->event[csr - RISCV_MCOUNTINHIBIT];
    case RISCV_SIP:
        return &regs->sip;
    default:
        return NULL;
    }
}

int riscv_csr_read(struct riscv_pmu *v, unsigned csr, uint64_t *val)
{
    const uint64_t *reg = find_register(&v->regs, csr);
    int due = vpmu_settle_counters_(&v->count, NULL);

    if (is_counter(csr)) {
        reg = &v->count.counter[csr - RISCV_MCYCLE].value;
    }
    *val = reg ? *reg : 0;
    return reg ? due : -VPMU_ERR_REG;
}

int riscv_csr_write(struct riscv_pmu *v, unsigned csr, uint64_t val)
{
    uint64_t *reg = find_register(&v->regs, csr);
    bool edge;

    if (!reg && !is_counter(csr)) {
        return -VPMU_ERR_REG;
    }
    edge = vpmu_begin_(&v->count, NULL);
    if (is_counter(csr)) {
        vpmu_count_set_(&v->count, csr - RISCV_MCYCLE, val);
    } else {
        *reg = val & (csr == RISCV_SIP             ? RISCV_SIP_LCOFIP
                      : csr == RISCV_MCOUNTINHIBIT ? EXISTING
                                                   : EVENT_KEPT);
    }
    return vpmu_end_(&v->count, UINT64_MAX, edge);
}

int riscv_save(struct riscv_pmu *v, void *buf, size_t len)
{
    struct saved s = {.all.sources = 0};

    riscv_settle(v);
    s.regs = v->regs;
    return vpmu_saved_write_(&v->count, &s.all, buf, len);
}

int riscv_load(struct riscv_pmu *v, const void *buf, size_t len, const char **why)
{
    struct saved s = {.regs = {0}};

    return vpmu_saved_read_(&v->count, &s.all, buf, len, NULL, why);
}

/* Finds the sources of an event. */
static bool find(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *sources)
{
    static const uint64_t events[VPMU_GENERIC_COUNT_] = {
        [VPMU_GENERIC_CYCLES_] = RISCV_EVENT_CYCLES,
        [VPMU_GENERIC_INSTRUCTIONS_] = RISCV_EVENT_INSTRUCTIONS,
    };
    uint64_t number = generic == VPMU_GENERIC_COUNT_ ? 0 : events[generic];

    (void)config;
    if (!number && !vpmu_raw_number_(text, len, &number)) {
        return false;
    }
    *sources = sources_of(number);
    return true;
}

int riscv_observer_parse(const char *text, struct vpmu_observer *o, const char **why)
{
    static const struct vpmu_part_ parts[] = {
        {0, VPMU_MODIFIER_HOST | VPMU_MODIFIER_U, 1u << RISCV_U},
        {0, VPMU_MODIFIER_HOST | VPMU_MODIFIER_K, 1u << RISCV_S},
    };
    static const struct vpmu_syntax_ syntax = {
        .expected = "an event is cycles, instructions, or r and a hexadecimal number, such as r3",
        .find = find,
        .parts = parts,
        .part_count = sizeof(parts) / sizeof(parts[0]),
    };
    vpmu_sources sources;
    unsigned modifiers;
    int err = vpmu_event_parse_(&syntax, NULL, text, &sources, &modifiers, why);

    return err ? err : vpmu_observer_make_(&syntax, sources, modifiers, o, why);
}

int riscv_observer_add(struct riscv_pmu *v, struct vpmu_observer *o)
{
    return vpmu_observer_add_(&v->count, o, o->ctx_mask[0], NULL);
}

int riscv_observer_remove(struct riscv_pmu *v, struct vpmu_observer *o, uint64_t *count)
{
    return vpmu_observer_remove_(&v->count, o, NULL, count);
}
