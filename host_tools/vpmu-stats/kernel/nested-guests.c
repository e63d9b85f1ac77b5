/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A search reads some megabytes while the machine runs and sends samples. So there are few
 * searches: each later one waits for PATIENCE times as many samples as the one before.
 */
#include "kernel/nested-guests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/stage2.h"

#define TRIES 5u
#define PATIENCE 8u

#define VMID_SHIFT 48 /* of VTTBR_EL2 */
/* A kernel's addresses. A list also has absolute symbols, which are small numbers. */
#define IS_KERNELS(address) ((address) >> 63)

static void keep(struct nested_guest *guest, uint64_t address)
{
    if (!guest->early) {
        guest->early = calloc(NESTED_GUESTS_EARLY, sizeof(*guest->early));
    }
    if (guest->early && guest->n_early < NESTED_GUESTS_EARLY) {
        guest->early[guest->n_early++] = address;
    }
}

void nested_guest_use(struct nested_guest *guest, uint64_t address)
{
    const struct function *function = functions_find(&guest->functions, address);

    if (function) {
        guest->used[function - guest->functions.function] = true;
    } else if (guest->functions.n == 0) {
        keep(guest, address);
    }
}

static void use_early(struct nested_guest *guest)
{
    for (size_t i = 0; i < guest->n_early; i++) {
        nested_guest_use(guest, guest->early[i]);
    }
    free(guest->early);
    guest->early = NULL;
    guest->n_early = 0;
}

/* Takes the functions of a kernel, and forgets the rest of it. */
static void take_functions(struct nested_guest *guest, struct kernel *k)
{
    size_t first = 0;

    while (first < k->functions.n && !IS_KERNELS(k->functions.function[first].start)) {
        first++;
    }
    guest->used = first < k->functions.n ? calloc(k->functions.n, sizeof(*guest->used)) : NULL;
    if (guest->used) {
        guest->functions = k->functions;
        k->functions = (struct functions){0};
        use_early(guest);
    }
}

/* An error means that there are no names; if the machine has ended, reading samples says so. */
static void search(struct nested_guests *g, struct nested_guest *guest,
                   const struct vpmu_record_guest *from)
{
    struct stage2 *memory = malloc(sizeof(*memory));
    struct error ignored = {0};
    struct kernel k = {0};

    if (memory && stage2_init(memory, g->memory, from, g->is_x86) &&
        kernel_find(&k, &memory->memory, &ignored) == 0) {
        if (g->found) {
            g->found(g->opaque, guest->vttbr, &k);
        }
        take_functions(guest, &k);
    }
    kernel_free(&k);
    free(memory);
}

static bool is_due(const struct nested_guests *g, struct nested_guest *guest)
{
    if (!g->memory || guest->functions.n || guest->tries == TRIES) {
        return false;
    }
    guest->samples++;
    return guest->samples >= guest->next;
}

/* Sets @path and @first. Guests that had the same VMID one after the other have different paths. */
static void set_path(const struct nested_guests *g, struct nested_guest *guest)
{
    unsigned before = 0;

    for (size_t i = 0; i < g->n; i++) {
        before += g->guest[i].vmid == guest->vmid;
    }
    snprintf(guest->path, sizeof(guest->path),
             before ? "[guest-%" PRIu32 ".%u]" : "[guest-%" PRIu32 "]", guest->vmid, before);
    guest->first = before == 0;
}

static size_t add(struct nested_guests *g, uint64_t vttbr)
{
    struct nested_guest *guest = &g->guest[g->n];

    if (g->n == NESTED_GUESTS) {
        return NESTED_GUESTS;
    }
    guest->vmid = g->is_x86 ? (uint32_t)g->n + 1 : (uint32_t)(vttbr >> VMID_SHIFT);
    guest->vttbr = vttbr;
    guest->next = 1;
    set_path(g, guest);
    return g->n++;
}

bool nested_guests_same(uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~VPMU_RECORD_VTTBR_CNP) == 0;
}

size_t nested_guests_index(struct nested_guests *g, uint64_t vttbr)
{
    for (size_t i = g->n; i-- > 0;) {
        if (nested_guests_same(g->guest[i].vttbr, vttbr)) {
            return i;
        }
    }
    vttbr &= ~VPMU_RECORD_VTTBR_CNP;
    return vttbr ? add(g, vttbr) : NESTED_GUESTS;
}

struct nested_guest *nested_guests_find(struct nested_guests *g,
                                        const struct vpmu_record_guest *from)
{
    size_t index = nested_guests_index(g, from->vttbr);
    struct nested_guest *guest = index < NESTED_GUESTS ? &g->guest[index] : NULL;

    if (guest && is_due(g, guest)) {
        guest->tries++;
        guest->next *= PATIENCE;
        search(g, guest, from);
    }
    return guest;
}

size_t nested_guests_symbols(struct nested_guests *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++) {
        if (g->guest[i].written) {
            g->symbols[n++] = (struct filesymbols){.path = g->guest[i].path,
                                                   .functions = &g->guest[i].functions,
                                                   .used = g->guest[i].used};
        }
    }
    return n;
}

void nested_guests_next(struct nested_guests *g)
{
    for (size_t i = 0; i < g->n; i++) {
        g->guest[i].written = false;
        if (g->guest[i].used) {
            memset(g->guest[i].used, 0, g->guest[i].functions.n * sizeof(*g->guest[i].used));
        }
    }
}

size_t nested_guests_nameless(const struct nested_guests *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++) {
        n += g->memory && g->guest[i].functions.n == 0;
    }
    return n;
}

void nested_guests_free(struct nested_guests *g)
{
    for (size_t i = 0; i < g->n; i++) {
        functions_free(&g->guest[i].functions);
        free(g->guest[i].used);
        free(g->guest[i].early);
    }
    *g = (struct nested_guests){0};
}
