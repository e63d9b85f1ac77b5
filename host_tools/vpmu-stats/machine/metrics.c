/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/metrics.h"

#include <string.h>
#include <strings.h>

static const struct metric_formula formulas[] = {
    {"ipc", "instructions", "cycles", 1, "insn per cycle", "instructions per cycle"},
    {"cpi", "cycles", "instructions", 1, "cycles per insn", "cycles per instruction"},
    {"branch_misprediction_ratio", "branch-misses", "branches", 100, "% of branches",
     "mispredicted branches, in percent of all"},
    {"branch_mpki", "branch-misses", "instructions", 1000, "MPKI",
     "mispredicted branches per 1000 instructions"},
    {"l1d_cache_miss_ratio", "L1-dcache-load-misses", "L1-dcache-loads", 100, "% of loads",
     "loads that miss the L1 data cache, in percent"},
    {"l1d_cache_mpki", "L1-dcache-load-misses", "instructions", 1000, "MPKI",
     "L1 data cache load misses per 1000 instructions"},
    {"l1i_cache_mpki", "L1-icache-load-misses", "instructions", 1000, "MPKI",
     "L1 instruction cache misses per 1000 instructions"},
    {"dtlb_mpki", "dTLB-load-misses", "instructions", 1000, "MPKI",
     "data TLB load misses per 1000 instructions"},
    {"itlb_mpki", "iTLB-load-misses", "instructions", 1000, "MPKI",
     "instruction TLB misses per 1000 instructions"},
    {"ll_cache_read_miss_ratio", "LLC-load-misses", "LLC-loads", 100, "% of reads",
     "reads that miss the last-level cache, in percent"},
    {"ll_cache_read_mpki", "LLC-load-misses", "instructions", 1000, "MPKI",
     "last-level cache read misses per 1000 instructions"},
    {"frontend_stalled_cycles", "stalled-cycles-frontend", "cycles", 100, "% of cycles",
     "cycles that wait for instructions, in percent"},
    {"backend_stalled_cycles", "stalled-cycles-backend", "cycles", 100, "% of cycles",
     "cycles that wait for a result or memory, in percent"},
};

#define FORMULAS (sizeof(formulas) / sizeof(formulas[0]))

static const struct {
    const char *name;
    const char *members;
} groups[] = {
    {"mpki", "branch_mpki,l1d_cache_mpki,l1i_cache_mpki,dtlb_mpki,itlb_mpki,ll_cache_read_mpki"},
    {"topdown", "ipc,frontend_stalled_cycles,backend_stalled_cycles,branch_mpki"},
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

const struct metric_formula *metrics_formula(size_t i)
{
    return i < FORMULAS ? &formulas[i] : NULL;
}

const char *metrics_group(size_t i, const char **members)
{
    *members = i < GROUPS ? groups[i].members : NULL;
    return i < GROUPS ? groups[i].name : NULL;
}

static bool is_named(const char *name, const char *text, size_t len)
{
    return strncasecmp(name, text, len) == 0 && name[len] == '\0';
}

static void add(struct metrics *m, const struct metric_formula *f)
{
    for (size_t i = 0; i < m->n; i++) {
        if (m->metric[i] == f) {
            return;
        }
    }
    m->metric[m->n++] = f;
}

/* There are fewer formulas than METRICS_MAX, and none is added twice. */
_Static_assert(FORMULAS <= METRICS_MAX, "all metrics fit");

static bool add_formula(struct metrics *m, const char *text, size_t len)
{
    for (size_t i = 0; i < FORMULAS; i++) {
        if (is_named(formulas[i].name, text, len)) {
            add(m, &formulas[i]);
            return true;
        }
    }
    return false;
}

static bool add_group(struct metrics *m, const char *text, size_t len)
{
    for (size_t i = 0; i < GROUPS; i++) {
        if (!is_named(groups[i].name, text, len)) {
            continue;
        }
        for (const char *at = groups[i].members; at;
             at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
            add_formula(m, at, strcspn(at, ","));
        }
        return true;
    }
    return false;
}

int metrics_add(struct metrics *m, const char *list, struct error *t)
{
    for (;;) {
        size_t len = strcspn(list, ",");

        if (!add_formula(m, list, len) && !add_group(m, list, len)) {
            return error_set(t, ERROR_USAGE, "no metric '%.*s'; -M list shows all",
                             len < 100 ? (int)len : 100, list);
        }
        if (!list[len]) {
            return 0;
        }
        list += len + 1;
    }
}

int metrics_events(const struct metrics *m, struct events *e, struct error *t)
{
    for (size_t i = 0; i < m->n; i++) {
        const char *const both[] = {m->metric[i]->part, m->metric[i]->whole};

        if (events_add_optional(e, both, 2, t)) {
            return -1;
        }
    }
    return 0;
}

bool metrics_value(const struct metric_formula *f, const struct events *e, const uint64_t *counts,
                   double *value)
{
    size_t part = events_find(e, f->part);
    size_t whole = events_find(e, f->whole);

    if (part == e->n || whole == e->n || counts[whole] == 0) {
        return false;
    }
    *value = f->scale * (double)counts[part] / (double)counts[whole];
    return true;
}
