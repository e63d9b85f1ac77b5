/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/folded.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/stacks.h"

/* Reads the line of a stack, character by character. */
struct line {
    const struct profile *p;
    const struct profile_entry *e;
    uint32_t part;
    const char *at;
};

static struct line line_of(const struct profile *p, const struct profile_entry *e)
{
    uint32_t first = *profile_text(p, e, STACKS_WORLD) ? STACKS_WORLD : STACKS_COMM;

    return (struct line){.p = p, .e = e, .part = first, .at = profile_text(p, e, first)};
}

/* 0 at its end. */
static unsigned char next_character(struct line *l)
{
    if (*l->at) {
        return (unsigned char)*l->at++;
    }
    if (l->part + 1 < l->e->n) {
        l->part++;
        l->at = profile_text(l->p, l->e, l->part);
        return ';';
    }
    return 0;
}

static int compare(const void *a, const void *b, void *opaque)
{
    struct line left = line_of(opaque, *(struct profile_entry *const *)a);
    struct line right = line_of(opaque, *(struct profile_entry *const *)b);
    unsigned char here;
    unsigned char there;

    do {
        here = next_character(&left);
        there = next_character(&right);
    } while (here && here == there);
    return here - there;
}

static void write_line(const struct profile *p, const struct profile_entry *e, bool by_samples,
                       FILE *file)
{
    struct line line = line_of(p, e);

    for (fputs(line.at, file); ++line.part < e->n;) {
        fprintf(file, ";%s", profile_text(p, e, line.part));
    }
    fprintf(file, " %" PRIu64 "\n", by_samples ? e->samples : e->period);
}

int folded_write(const struct profile *p, unsigned event, bool by_samples, FILE *file,
                 struct error *t)
{
    struct profile_entry **entry = reallocarray(NULL, p->n ? p->n : 1, sizeof(*entry));
    size_t n = 0;

    if (!entry) {
        return error_memory(t);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->event == event) {
            entry[n++] = p->entry[i];
        }
    }
    qsort_r(entry, n, sizeof(*entry), compare, (void *)(uintptr_t)p);
    for (size_t i = 0; i < n; i++) {
        write_line(p, entry[i], by_samples, file);
    }
    free(entry);
    return 0;
}
