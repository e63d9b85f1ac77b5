/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/unwound.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind.h"

/* The most addresses of a chain: the kernel's limit, and two marks. */
#define CHAIN_MAX 256u

/**
 * struct unwound - what is needed for each sample
 * @of: the sample.
 * @chain: the new chain.
 */
struct unwound {
    struct unwinder unwinder;
    const struct code_maps *maps;
    const struct raw_record *of;
    uint64_t chain[CHAIN_MAX];
};

static bool find_place(void *opaque, uint64_t address, uint32_t *number, uint64_t *offset)
{
    const struct unwound *u = opaque;
    const struct code_map *code = code_maps_find(u->maps, u->of->at.pid, u->of->at.time, address);

    if (code) {
        *number = code->file;
        *offset = address - code->start + code->offset;
    }
    return code;
}

/* keep_kernel() - copies the chain up to the program's part. Return: its length. */
static size_t keep_kernel(struct unwound *u)
{
    const struct perfsample *s = &u->of->at;
    size_t n = 0;

    while (n < s->n_chain && n < CHAIN_MAX / 2 &&
           perfsample_word(s->chain, n) != (uint64_t)PERF_CONTEXT_USER) {
        u->chain[n] = perfsample_word(s->chain, n);
        n++;
    }
    return n;
}

/*
 * code_mask() - the bits of an address of code. On arm64 there can be an authentication code above
 * the address, whose size depends on the kernel. Stacks are at the upper end of the addresses.
 */
static uint64_t code_mask(const struct unwound *u, const unsigned char *registers)
{
    uint64_t sp;

    if (u->unwinder.x86) {
        return UINT64_MAX;
    }
    memcpy(&sp, registers + 31 * sizeof(sp), sizeof(sp));
    return sp ? UINT64_MAX >> __builtin_clzll(sp) : UINT64_MAX;
}

/*
 * cut() - the frame pointers of code that has none lead anywhere. Return: the length of the chain
 * before its first address that is not in the program's code.
 */
static size_t cut(struct unwound *u)
{
    const struct perfsample *s = &u->of->at;
    size_t n = keep_kernel(u);
    uint32_t number;
    uint64_t offset;

    if (n < s->n_chain) {
        u->chain[n] = perfsample_word(s->chain, n);
        n++;
    }
    while (n < s->n_chain && n < CHAIN_MAX &&
           (perfsample_word(s->chain, n) == s->ip ||
            find_place(u, perfsample_word(s->chain, n), &number, &offset))) {
        u->chain[n] = perfsample_word(s->chain, n);
        n++;
    }
    return n;
}

/* unwind_one() - Return: the length of the new chain; 0 to keep the old one. */
static size_t unwind_one(struct unwound *u)
{
    const struct perfsample *s = &u->of->at;
    struct unwind_top top = {.reg = s->registers,
                             .stack = s->stack,
                             .size = s->stack_size,
                             .code_mask = code_mask(u, s->registers)};
    size_t own = keep_kernel(u);
    int n;

    u->chain[own++] = (uint64_t)PERF_CONTEXT_USER;
    u->chain[own++] = unwind_pc(&u->unwinder, &top);
    for (size_t i = 0; i < 2 && own + i < s->n_chain; i++) {
        top.by_pointers[i] = perfsample_word(s->chain, own + i);
    }
    n = unwind_chain(&u->unwinder, &top, find_place, u, u->chain + own, CHAIN_MAX - own);
    return n < 0 ? cut(u) : own + (size_t)n;
}

/* struct chains - the new chains, one after another */
struct chains {
    uint64_t *word;
    size_t n, room;
};

static int append(struct chains *to, const uint64_t *chain, size_t n)
{
    size_t room = to->room ? 2 * to->room : 1u << 16;
    uint64_t *word = to->word;

    if (to->n + n > to->room) {
        word = reallocarray(to->word, room, sizeof(*word));
        if (!word) {
            return -1;
        }
        to->room = room;
    }
    to->word = word;
    memcpy(word + to->n, chain, n * sizeof(*chain));
    to->n += n;
    return 0;
}

/* unwind_all() - the samples with a new chain get a length, and their chains come later */
static int unwind_all(struct raw *raw, struct unwound *u, struct chains *to)
{
    for (size_t i = 0; i < raw->n; i++) {
        struct raw_record *r = &raw->record[i];
        size_t n;

        if (r->type != PERF_RECORD_SAMPLE || !r->at.chain) {
            continue;
        }
        u->of = r;
        n = r->at.registers && r->at.stack_size ? unwind_one(u) : cut(u);
        if (append(to, u->chain, n) != 0) {
            return -1;
        }
        if (n) {
            r->at.chain = NULL;
            r->at.n_chain = n;
        }
    }
    return 0;
}

int unwound_chains(struct raw *raw, const struct code_maps *maps, struct guest_files *files,
                   unsigned machine)
{
    static struct unwound u;
    struct chains chains = {0};
    size_t at = 0;
    int err;

    u = (struct unwound){.unwinder = {.x86 = machine == EM_X86_64, .files = files}, .maps = maps};
    err = unwind_all(raw, &u, &chains);
    unwind_free(&u.unwinder);
    raw->chain = chains.word;
    for (size_t i = 0; i < raw->n && !err; i++) {
        struct perfsample *s = &raw->record[i].at;

        if (raw->record[i].type == PERF_RECORD_SAMPLE && !s->chain && s->n_chain) {
            s->chain = (const unsigned char *)(chains.word + at);
            at += s->n_chain;
        }
    }
    return err;
}
