/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * traced I1 D1 <TRACE: what cachegrind would print of a program, by the model. I1 and D1 are L1
 * caches, such as 32k:8:64. TRACE is what valgrind's lackey writes with --trace-mem=yes. Prints
 * references and L1 misses of instructions, reads and writes, in the order of cachegrind's events
 * Ir I1mr Dr D1mr Dw D1mw.
 *
 * An access counts once, and misses once, whichever of its lines miss. An instruction that modifies
 * a location is a read. An access of more than a line is taken for one of a line's length.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/contexts.h"
#include "vpmu/model.h"

enum kind {
    FETCH,
    READ,
    WRITE,
    KINDS,
};

struct counts {
    uint64_t references[KINDS];
    uint64_t misses[KINDS];
};

static struct vpmu_arm_totals totals;

static struct vpmu_model *new_model(const char *l1i, const char *l1d)
{
    struct vpmu_model_config config = vpmu_model_default;
    const char *why = NULL;
    void *mem;

    config.l1_policy = VPMU_POLICY_LRU;
    config.l2.size = 0;
    config.llc.size = 0;
    if (vpmu_cache_parse(l1i, &config.l1i, &why) || vpmu_cache_parse(l1d, &config.l1d, &why) ||
        vpmu_model_check(&config, &why)) {
        fprintf(stderr, "traced: %s\n", why);
        return NULL;
    }
    mem = aligned_alloc(VPMU_MODEL_ALIGN, (vpmu_model_size(&config) + VPMU_MODEL_ALIGN - 1) /
                                              VPMU_MODEL_ALIGN * VPMU_MODEL_ALIGN);
    return mem ? vpmu_model_init(mem, &config, vpmu_arm_table(&totals)) : NULL;
}

/* All lines of an instruction are fetched, unless the last instruction ended in its first line. */
static unsigned fetch(struct vpmu_model *m, uint64_t addr, unsigned size, unsigned line)
{
    const struct vpmu_model_head *head = (const struct vpmu_model_head *)m;
    unsigned missed = 0;

    for (uint64_t at = addr / line * line; at < addr + size; at += line) {
        missed |= at == head->fetch_line ? 0 : vpmu_model_fetch(m, 0, at, VPMU_PAGE_SHIFT);
    }
    return missed;
}

static void take(struct vpmu_model *m, struct counts *counts, enum kind kind, uint64_t addr,
                 unsigned size, unsigned line)
{
    unsigned missed = kind == FETCH
                          ? fetch(m, addr, size, line)
                          : vpmu_model_data(m, 0, addr, size, kind == WRITE, VPMU_PAGE_SHIFT);

    counts->references[kind]++;
    counts->misses[kind] += (missed & VPMU_MISSED_L1) != 0;
}

/* A line is "I  0401f000,3", " L 1ffeffe7e0,8", " S ..." or " M ..."; others are lackey's messages.
 */
static bool parse(const char *text, enum kind *kind, uint64_t *addr, unsigned *size)
{
    static const char *const starts[KINDS] = {[FETCH] = "I  ", [READ] = " L ", [WRITE] = " S "};

    if (sscanf(text + 3 * (strlen(text) > 3), "%" SCNx64 ",%u", addr, size) != 2) {
        return false;
    }
    if (strncmp(text, " M ", 3) == 0) {
        *kind = READ;
        return true;
    }
    for (*kind = FETCH; *kind < KINDS; ++*kind) {
        if (strncmp(text, starts[*kind], 3) == 0) {
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    struct vpmu_model *m = argc == 3 ? new_model(argv[1], argv[2]) : NULL;
    struct vpmu_cache_config l1d;
    struct counts counts = {0};
    char text[256];

    if (!m || vpmu_cache_parse(argv[2], &l1d, NULL)) {
        fputs("usage: traced I1 D1 <TRACE\n", stderr);
        return 2;
    }
    while (fgets(text, sizeof(text), stdin)) {
        enum kind kind;
        uint64_t addr;
        unsigned size;

        if (parse(text, &kind, &addr, &size)) {
            take(m, &counts, kind, addr, size > l1d.line ? l1d.line : size, l1d.line);
        }
    }
    for (enum kind kind = FETCH; kind < KINDS; kind++) {
        printf("%" PRIu64 " %" PRIu64 "%c", counts.references[kind], counts.misses[kind],
               kind + 1 < KINDS ? ' ' : '\n');
    }
    free(m);
    return 0;
}
