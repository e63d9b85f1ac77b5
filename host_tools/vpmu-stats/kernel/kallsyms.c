/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols as a kernel has them in memory (kernel/kallsyms.c of Linux 6.0 and later). A name is a
 * length and so many numbers of tokens; a token is a text. The first character of a name is the
 * symbol's type. Addresses are offsets, each of 32 bits. All of that is the guest's, and may be
 * anything.
 */
#include "kernel/kallsyms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS 256u
/* An offset in a table of 16 bits can be no larger. */
#define MAX_TOKEN_TABLE (1u << 16)
/* What a line of a list may have; more of a name is cut off. */
#define MAX_NAME 200u

/**
 * struct kallsyms - what was read
 * @names: @size bytes, of which some at the end are not theirs.
 * @texts: of tokens, ends in NUL; @index of each.
 * @offsets: @n of them.
 * @base: they are above this; or, if @by_place, each is to where it lies itself, the first at
 * @base.
 * @below: those that are negative are of what is above @base as well: -1 is @base itself. Others
 * are no offsets but addresses of a CPU's own (KALLSYMS_ABSOLUTE_PERCPU, x86 before Linux 6.15).
 */
struct kallsyms {
    uint32_t n;
    uint8_t *names;
    size_t size;
    char texts[MAX_TOKEN_TABLE + 1];
    uint16_t index[TOKENS];
    int32_t *offsets;
    uint64_t base;
    bool by_place;
    bool below;
};

static int wrong(const struct vmcoreinfo *v, struct error *t)
{
    return error_set(t, ERROR_USAGE, "Linux %s has no symbol table at the address that it gives",
                     v->release);
}

/* At a virtual address of the kernel's image. */
static int read_at(struct memory *m, const struct vmcoreinfo *v, uint64_t at, void *to, size_t size,
                   struct error *t)
{
    return m->read(m, at - v->distance, to, size, t);
}

static int read_tokens(struct kallsyms *k, struct memory *m, const struct vmcoreinfo *v,
                       struct error *t)
{
    uint64_t size = v->index - v->tokens;

    if (size == 0 || size > MAX_TOKEN_TABLE) {
        return wrong(v, t);
    }
    return read_at(m, v, v->tokens, k->texts, (size_t)size, t) ||
                   read_at(m, v, v->index, k->index, sizeof(k->index), t)
               ? -1
               : 0;
}

/* They end somewhere before the tokens. */
static int read_names(struct kallsyms *k, struct memory *m, const struct vmcoreinfo *v,
                      struct error *t)
{
    uint64_t size = v->tokens - v->names;

    if (size == 0 || size > KALLSYMS_MAX_NAMES) {
        return wrong(v, t);
    }
    k->size = (size_t)size;
    k->names = malloc(k->size);
    return k->names ? read_at(m, v, v->names, k->names, k->size, t) : error_memory(t);
}

static int read_offsets(struct kallsyms *k, struct memory *m, const struct vmcoreinfo *v,
                        struct error *t)
{
    if (read_at(m, v, v->number, &k->n, sizeof(k->n), t)) {
        return -1;
    }
    if (k->n == 0 || k->n > KALLSYMS_MAX) {
        return wrong(v, t);
    }
    k->by_place = !v->base;
    k->below = v->base && v->is_x86;
    k->base = v->offsets;
    k->offsets = reallocarray(NULL, k->n, sizeof(*k->offsets));
    if (!k->offsets) {
        return error_memory(t);
    }
    return (v->base && read_at(m, v, v->base, &k->base, sizeof(k->base), t)) ||
                   read_at(m, v, v->offsets, k->offsets, k->n * sizeof(*k->offsets), t)
               ? -1
               : 0;
}

static uint64_t address_of(const struct kallsyms *k, uint32_t i)
{
    if (k->below && k->offsets[i] < 0) {
        return k->base - 1 - (uint64_t)(int64_t)k->offsets[i];
    }
    return k->by_place ? k->base + i * sizeof(*k->offsets) + (uint64_t)(int64_t)k->offsets[i]
                       : k->base + (uint32_t)k->offsets[i];
}

/* How many tokens the name at @at has; moves behind that. False if there is none. */
static bool take_length(const struct kallsyms *k, size_t *at, size_t *n)
{
    if (*at >= k->size) {
        return false;
    }
    *n = k->names[(*at)++];
    if (*n & 0x80) {
        if (*at >= k->size) {
            return false;
        }
        *n = (*n & 0x7f) | (size_t)k->names[(*at)++] << 7;
    }
    return *n > 0 && *n <= k->size - *at;
}

/* What can be in a line of a list without being something else. */
static char tame(char c)
{
    return isgraph((unsigned char)c) && c != '[' && c != ']' ? c : '?';
}

/* The type and the name at @at; moves behind them. False if there is none. */
static bool take_name(const struct kallsyms *k, size_t *at, char name[MAX_NAME + 1])
{
    size_t len = 0;
    size_t n;

    if (!take_length(k, at, &n)) {
        return false;
    }
    for (size_t i = 0; i < n && len < MAX_NAME; i++) {
        const char *text = k->texts + k->index[k->names[*at + i]];

        while (*text && len < MAX_NAME) {
            name[len++] = tame(*text++);
        }
    }
    name[len] = '\0';
    *at += n;
    return len > 1;
}

static int write_list(const struct kallsyms *k, const struct vmcoreinfo *v, FILE *list,
                      struct error *t)
{
    char name[MAX_NAME + 1];
    size_t at = 0;

    for (uint32_t i = 0; i < k->n; i++) {
        if (!take_name(k, &at, name)) {
            return wrong(v, t);
        }
        fprintf(list, "%016" PRIx64 " %c %s\n", address_of(k, i), name[0], name + 1);
    }
    return ferror(list) ? error_memory(t) : 0;
}

int kallsyms_list(struct memory *m, const struct vmcoreinfo *v, FILE *list, struct error *t)
{
    struct kallsyms *k = calloc(1, sizeof(*k));
    int err;

    if (!k) {
        return error_memory(t);
    }
    err = read_tokens(k, m, v, t) || read_names(k, m, v, t) || read_offsets(k, m, v, t) ||
                  write_list(k, v, list, t)
              ? -1
              : 0;
    free(k->names);
    free(k->offsets);
    free(k);
    return err;
}
