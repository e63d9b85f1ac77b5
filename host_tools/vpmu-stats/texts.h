/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TEXTS_H
#define VPMU_STATS_TEXTS_H

#include <stdint.h>

#include "trouble.h"

/**
 * struct texts - texts, each once, with numbers from 0 in the order in which they came; 0 at
 * first
 *
 * Private, but for @n: how many there are.
 */
struct texts {
    void *tree;
    struct text **text;
    uint32_t n;
    uint32_t room;
};

/**
 * texts_number() - the number of a text, which is copied if it is new
 * Return: 0, or -1 with trouble.
 */
int texts_number(struct texts *s, const char *text, uint32_t *number, struct trouble *t);

/** texts_get() - the text with this number; it lives until texts_free() */
const char *texts_get(const struct texts *s, uint32_t number);

void texts_free(struct texts *s);

#endif
