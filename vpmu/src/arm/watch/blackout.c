/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The blackout meter: how much is executed while a counter that should count it is stopped, or
 * while a counter that should not count it counts. It is called when who runs or who counts
 * changes, and adds up the execution in between.
 */
#include "vpmu/arm/blackout.h"

#include <string.h>

#include "watch_internal.h"

#define NO_REASON VPMU_EXIT_REASONS

_Static_assert(VPMU_EXIT_REASONS <= UINT8_MAX && VPMU_SPAN_COUNT <= UINT8_MAX,
               "vpmu_blackout.last_reason, .leak_kind");

/* Linux's names of ESR_ELx_EC_*. */
static const char *const names[VPMU_EXIT_REASONS] = {
    [0x00] = "unknown",      [0x01] = "wfx",
    [0x03] = "cp15-32",      [0x04] = "cp15-64",
    [0x05] = "cp14-mr",      [0x06] = "cp14-ls",
    [0x07] = "fp-asimd",     [0x08] = "cp10-id",
    [0x09] = "pac",          [0x0c] = "cp14-64",
    [0x0d] = "bti",          [0x0e] = "ill",
    [0x11] = "svc32",        [0x12] = "hvc32",
    [0x13] = "smc32",        [0x15] = "svc64",
    [0x16] = "hvc64",        [0x17] = "smc64",
    [0x18] = "sys64",        [0x19] = "sve",
    [0x1a] = "eret",         [0x1c] = "fpac",
    [0x1d] = "sme",          [0x1f] = "imp-def",
    [0x20] = "iabt-low",     [0x21] = "iabt-cur",
    [0x22] = "pc-align",     [0x24] = "dabt-low",
    [0x25] = "dabt-cur",     [0x26] = "sp-align",
    [0x27] = "mops",         [0x28] = "fp-exc32",
    [0x2c] = "fp-exc64",     [0x2f] = "serror",
    [0x30] = "breakpt-low",  [0x31] = "breakpt-cur",
    [0x32] = "softstp-low",  [0x33] = "softstp-cur",
    [0x34] = "watchpt-low",  [0x35] = "watchpt-cur",
    [0x38] = "bkpt32",       [0x3a] = "vector32",
    [0x3c] = "brk64",        [VPMU_EXIT_IRQ] = "irq",
    [VPMU_EXIT_FIQ] = "fiq", [VPMU_EXIT_SERROR] = "async-serror",
};

const char *vpmu_arm_exit_reason_name(unsigned reason)
{
    if (reason >= VPMU_EXIT_REASONS) {
        return NULL;
    }
    return names[reason] ? names[reason] : "other";
}

/* Sets @units to what has been executed. Without @now, no time has passed. */
static void read_units(const struct vpmu_arm *v, const struct vpmu_now *now,
                       uint64_t units[VPMU_UNIT_COUNT])
{
    units[VPMU_UNIT_INSTRUCTIONS] = vpmu_row_(&v->count, v->count.ctx)[VPMU_SRC_INST_RETIRED];
    units[VPMU_UNIT_CYCLES] = vpmu_row_(&v->count, v->count.ctx)[VPMU_SRC_CPU_CYCLES];
    units[VPMU_UNIT_NANOSECONDS] = now ? now->ns : v->watch->blackout->mark[VPMU_UNIT_NANOSECONDS];
}

static void grow(struct vpmu_open_span *span, const uint64_t delta[VPMU_UNIT_COUNT])
{
    if (span->running) {
        for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
            span->size[unit] += delta[unit];
        }
    }
}

void vpmu_blackout_elapse_(struct vpmu_arm *v, const struct vpmu_now *now)
{
    struct vpmu_blackout *b = v->watch->blackout;
    uint64_t units[VPMU_UNIT_COUNT];
    uint64_t delta[VPMU_UNIT_COUNT];

    if (!b->blackout.running && !b->leak.running) {
        return;
    }
    read_units(v, now, units);
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        delta[unit] = units[unit] - b->mark[unit];
    }
    grow(&b->blackout, delta);
    grow(&b->leak, delta);
}

static void spread_add(struct vpmu_spread *spread, uint64_t size)
{
    spread->sum += size;
    spread->min = size < spread->min ? size : spread->min;
    spread->max = size > spread->max ? size : spread->max;
    spread->log2[vpmu_log2_bucket(size)]++;
}

static void reason_add(struct vpmu_reason *reason, uint64_t size)
{
    reason->windows++;
    reason->sum += size;
    reason->min = size < reason->min ? size : reason->min;
    reason->max = size > reason->max ? size : reason->max;
}

static void finish(struct vpmu_arm *v, struct vpmu_open_span *span, enum vpmu_span kind)
{
    struct vpmu_blackout *b = v->watch->blackout;

    /*
     * The size may have decreased because the machine subtracted tallies. Below 0, the decrease
     * belongs to an earlier span.
     */
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        span->size[unit] = vpmu_since_(span->size[unit], 0);
    }
    span->size[VPMU_UNIT_CYCLES] /= v->config.cycle_units;
    b->windows[kind]++;
    for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
        spread_add(&b->spread[kind][unit], span->size[unit]);
    }
    if (kind == VPMU_SPAN_EXIT || kind == VPMU_SPAN_INSIDE) {
        reason_add(&b->reason[b->last_reason], span->size[VPMU_UNIT_INSTRUCTIONS]);
    }
    b->ended[b->ended_count] = (struct vpmu_ended_span){.kind = kind};
    memcpy(b->ended[b->ended_count++].size, span->size, sizeof(span->size));
    *span = (struct vpmu_open_span){0};
}

/* Updates the blackout span. It ends when the guest runs or when no counter is stopped any more. */
static void see_blackout(struct vpmu_arm *v, bool guest, bool here)
{
    struct vpmu_blackout *b = v->watch->blackout;
    bool stopped = v->watch->stopped != 0;

    if (b->blackout.open && (guest || !stopped)) {
        finish(v, &b->blackout,
               guest ? (b->after_exit ? VPMU_SPAN_INSIDE : VPMU_SPAN_ENTRY)
                     : (b->after_exit ? VPMU_SPAN_EXIT : VPMU_SPAN_ABORTED));
    }
    if (!stopped) {
        b->after_exit = false;
    }
    b->blackout.running = !guest && here;
    b->blackout.open |= b->blackout.running;
}

/*
 * Updates the leak span, in which one side counts the other's events. It ends when that stops or
 * when the sides change.
 */
static void see_leak(struct vpmu_arm *v, bool guest, bool here)
{
    struct vpmu_blackout *b = v->watch->blackout;
    uint8_t kind = guest ? VPMU_SPAN_LEAK_GUEST : VPMU_SPAN_LEAK_HOST;
    bool possible = (guest ? v->watch->remaining : v->watch->started) != 0;

    if (b->leak.open && (b->leak_kind != kind || !possible)) {
        finish(v, &b->leak, (enum vpmu_span)b->leak_kind);
    }
    b->leak_kind = kind;
    b->leak.running = here;
    b->leak.open |= here;
}

int vpmu_blackout_see_(struct vpmu_arm *v, unsigned reason, const struct vpmu_now *now)
{
    const struct vpmu_watch *w = v->watch;
    struct vpmu_blackout *b = w->blackout;
    bool guest = w->world == VPMU_WORLD_GUEST;
    unsigned wrong = guest ? w->remaining : w->started;

    b->ended_count = 0;
    if (reason != NO_REASON) {
        b->after_exit = true;
        b->last_reason = (uint8_t)reason;
    }
    see_blackout(v, guest, w->stopped >> v->count.ctx & 1);
    see_leak(v, guest, wrong >> v->count.ctx & 1);
    if (b->blackout.running || b->leak.running) {
        read_units(v, now, b->mark);
    }
    return b->ended_count ? VPMU_DUE_SPANS : 0;
}

bool vpmu_span_next(struct vpmu_blackout *b, struct vpmu_ended_span *span)
{
    if (!b->ended_count) {
        return false;
    }
    *span = b->ended[0];
    b->ended[0] = b->ended[1];
    b->ended_count--;
    return true;
}

void vpmu_blackout_forget_(struct vpmu_blackout *b)
{
    b->blackout = (struct vpmu_open_span){0};
    b->leak = (struct vpmu_open_span){0};
    b->after_exit = false;
}

void vpmu_blackout_clear_(struct vpmu_blackout *b)
{
    *b = (struct vpmu_blackout){0};
    for (unsigned kind = 0; kind < VPMU_SPAN_COUNT; kind++) {
        for (unsigned unit = 0; unit < VPMU_UNIT_COUNT; unit++) {
            b->spread[kind][unit].min = UINT64_MAX;
        }
    }
    for (unsigned reason = 0; reason < VPMU_EXIT_REASONS; reason++) {
        b->reason[reason].min = UINT64_MAX;
    }
}
