/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the symbol table that a Linux kernel has in memory (kernel/kallsyms.c of Linux 6.0 and
 * later). A name consists of a length and that many token numbers. Each token is a string. The
 * first character of the name is the symbol's type. Addresses are 32-bit offsets. The guest can
 * write anything to this memory, so all of it is checked.
 */
#include "kernel/kallsyms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TOKENS 256u
/* The token index has 16-bit offsets, so the token table cannot be larger. */
#define MAX_TOKEN_TABLE (1u << 16)
/*
 * The longest type and name in a line, in bytes. Longer names are truncated, because symbols.c
 * reads lines of limited length.
 */
#define MAX_NAME 200u

/**
 * struct kallsyms - a symbol table as read from memory
 * @n: the number of symbols.
 * @names: the compressed names.
 * @size: the size of @names in bytes. Some bytes at the end belong to something else.
 * @texts: the token table, with a NUL at the end.
 * @index: the offset of each token in @texts.
 * @offsets: the offset of each symbol's address.
 * @base: what the offsets are relative to. With @by_place, the address of the first offset.
 * @by_place: each offset is relative to its own address.
 * @below: negative offsets count from @base up: -1 is @base itself. Other offsets are absolute
 *     addresses: those of per-CPU variables, which are relative to the base of GS
 *     (KALLSYMS_ABSOLUTE_PERCPU, x86 before Linux 6.15).
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

/* Read from a virtual address in the kernel's image. */
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

/* The end of the names is not known, but the token table comes after it. */
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

/* All functions of a kernel with absolute addresses have negative offsets. Return: 0. */
static int find_negative(struct kallsyms *k, bool possible)
{
    for (uint32_t i = 0; i < k->n && possible && !k->below; i++) {
        k->below = k->offsets[i] < 0;
    }
    return 0;
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
    k->base = v->offsets;
    k->offsets = reallocarray(NULL, k->n, sizeof(*k->offsets));
    if (!k->offsets) {
        return error_memory(t);
    }
    return (v->base && read_at(m, v, v->base, &k->base, sizeof(k->base), t)) ||
                   read_at(m, v, v->offsets, k->offsets, k->n * sizeof(*k->offsets), t)
               ? -1
               : find_negative(k, v->base && v->is_x86);
}

static uint64_t address_of(const struct kallsyms *k, uint32_t i)
{
    if (k->below) {
        return k->offsets[i] < 0 ? k->base - 1 - (uint64_t)(int64_t)k->offsets[i]
                                 : (uint64_t)k->offsets[i];
    }
    return k->by_place ? k->base + i * sizeof(*k->offsets) + (uint64_t)(int64_t)k->offsets[i]
                       : k->base + (uint32_t)k->offsets[i];
}

/*
 * Read how many tokens the name at *@at has, and move *@at behind the length. Return: false if
 * there is no valid name.
 */
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

char kallsyms_tame(char c)
{
    return isgraph((unsigned char)c) && c != '[' && c != ']' ? c : '?';
}

/*
 * Read the type and the name at *@at, and move *@at behind them. Return: false if there is no valid
 * name.
 */
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
            name[len++] = kallsyms_tame(*text++);
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
