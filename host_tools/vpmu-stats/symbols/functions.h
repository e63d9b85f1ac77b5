/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTIONS_H
#define VPMU_STATS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct function - code with a name
 * @start, @end: its addresses; @end is behind it.
 * @of_module: it is a kernel module's.
 */
struct function {
    uint64_t start;
    uint64_t end;
    char *name;
    bool of_module;
};

/** struct functions - @n of them, by address once they are sorted; 0 at first */
struct functions {
    struct function *function;
    size_t n;
    size_t room;
};

/**
 * functions_add() - adds one
 * @function: its name is copied; control characters in it become question marks. If @end is not
 * above @start, it ends where the next begins.
 */
int functions_add(struct functions *f, const struct function *function, struct error *t);

/**
 * functions_sort() - makes them ready for functions_find()
 *
 * Of several at an address the last one that says its end stays, or else the last, as perf has it.
 * Between a kernel and its modules is nothing.
 *
 * Return: 0, or -1 with an error.
 */
int functions_sort(struct functions *f, struct error *t);

/** functions_find() - what is at an address, or NULL */
const struct function *functions_find(const struct functions *f, uint64_t address);

/** functions_named() - the first with a name, or NULL */
const struct function *functions_named(const struct functions *f, const char *name);

void functions_free(struct functions *f);

#endif
