/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTIONS_H
#define VPMU_STATS_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum function_binding {
    FUNCTION_LOCAL,
    FUNCTION_WEAK,
    FUNCTION_GLOBAL,
};

/**
 * struct function - code with a name
 * @start: its first address.
 * @end: the address behind it.
 * @limit: a function that is added without an end does not reach beyond this; 0 if not known.
 * @chooses: it is an ifunc, which chooses the function of its name.
 * @called: it has neither a symbol nor unwind tables: there is a function because something calls
 *     it, see guest_files_call(), or because the program begins there.
 * @name: its name.
 * @binding: whether it is local, weak or global in its file.
 * @of_module: it belongs to a kernel module.
 * @thumb: it is T32 code of a 32-bit Arm.
 * @module: the name of the module in brackets, as in /proc/kallsyms; NULL if it is not known.
 *
 * The other fields are those of demangle_name().
 */
struct function {
    uint64_t start;
    uint64_t end;
    uint64_t limit;
    bool called, chooses;
    char *name;
    enum function_binding binding;
    bool of_module;
    bool thumb;
    char *module;
    bool was_demangled;
    char *demangled;
};

/**
 * struct functions - a list of functions, sorted by address after functions_sort(); all 0 at first
 * @function: the functions.
 * @n: the number of functions.
 * @room: how many fit into the allocated memory.
 * @data: symbols of data are wanted as well. Code that fills the list reads this.
 */
struct functions {
    struct function *function;
    size_t n;
    size_t room;
    bool data;
};

/**
 * functions_add() - add a function to a list
 * @f: the list.
 * @function: the function. If @end is not above @start, the function ends where the next one
 *     begins. Its names are copied, and control characters in them become question marks.
 * @t: is set if there is not enough memory.
 *
 * Return: 0 or -1.
 */
int functions_add(struct functions *f, const struct function *function, struct error *t);

/**
 * functions_sort() - prepare a list for functions_find()
 *
 * Of several functions with the same start, one is kept, chosen as perf does: one with an end, then
 * one that is not weak, then a global one, then the one with the fewest underscores before its
 * name, then the one with the longest name, then the first one that was added. A function never
 * extends over the gap between the kernel and its modules, or between two modules.
 *
 * Return: 0, or -1 with an error.
 */
int functions_sort(struct functions *f, struct error *t);

/** functions_better() - would functions_sort() keep @a, if it and @b have the same start? */
bool functions_better(const struct function *a, const struct function *b);

/**
 * functions_find() - find the function at an address in a sorted list. Return: NULL if there is
 * none.
 */
const struct function *functions_find(const struct functions *f, uint64_t address);

/** functions_named() - find the first function with a name. Return: NULL if there is none. */
const struct function *functions_named(const struct functions *f, const char *name);

/** functions_cut() - remove the functions that were added last, so that @n are left */
void functions_cut(struct functions *f, size_t n);

void functions_free(struct functions *f);

#endif
