/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ANNOTATE_ROWS_H
#define VPMU_STATS_ANNOTATE_ROWS_H

#include "profile/sample-input.h"

/* The parts of a key. Lines have a fixed width, so that sorting by text sorts them by value. */
enum annotate_key {
    ANNOTATE_KEY_OBJECT,
    ANNOTATE_KEY_FUNCTION,
    ANNOTATE_KEY_HOME, /* the source file of the function */
    ANNOTATE_KEY_FILE,
    ANNOTATE_KEY_LINE,
    ANNOTATE_KEYS,
    /* A call is two entries: one of the function that calls, and one of that which is called. */
    ANNOTATE_KEY_ROLE = ANNOTATE_KEY_FILE,
    ANNOTATE_KEYS_OF_CALLED,
    /* Of one that calls, there is also the object, the function and its file that are called. */
    ANNOTATE_KEY_CALLED = ANNOTATE_KEYS_OF_CALLED,
    ANNOTATE_KEYS_OF_CALL = ANNOTATE_KEY_CALLED + ANNOTATE_KEY_HOME + 1
};

/**
 * struct annotate_row - what entries with the same parts of the key cost
 * @any: one of the entries.
 * @at: the number of the row.
 * @calls: what a function calls, by event.
 * @called: its own calls.
 * @recurses: its calls by itself, which cost nothing in files of vpmu.
 * @inclusive: what it costs with all that it calls.
 * @has_twin: another function of the object has the same name.
 */
struct annotate_row {
    const struct profile_entry *any;
    size_t at;
    uint64_t calls[VALGRIND_EVENTS_MAX], called[VALGRIND_EVENTS_MAX], recurses[VALGRIND_EVENTS_MAX];
    uint64_t value[VALGRIND_EVENTS_MAX], inclusive[VALGRIND_EVENTS_MAX];
    bool has_twin;
};

/** struct annotate_rows - @n rows, which have the parts from @first to @last in common */
struct annotate_rows {
    enum annotate_key first, last;
    struct annotate_row *row;
    size_t n;
};

/** annotate_rows_compare() - strcmp() of the parts of two entries that @rows have in common */
int annotate_rows_compare(const struct annotate_rows *rows, const struct profile *p,
                          const struct profile_entry *x, const struct profile_entry *y);

/**
 * annotate_rows_make() - sum up @n entries, which are sorted
 * @rows: has parts and no rows.
 *
 * Return: 0, or -1 without memory. free() the rows.
 */
int annotate_rows_make(struct annotate_rows *rows, const struct profile *p,
                       struct profile_entry **entry, size_t n, struct error *t);

/**
 * annotate_rows_include() - find the inclusive costs of functions
 * @entry: @n, as annotate_rows_make() has sorted them. The mark of each becomes the number of its
 *     function.
 *
 * Return: 0, or -1 without memory.
 */
int annotate_rows_include(struct annotate_rows *functions, const struct profile *p,
                          struct profile_entry *const *entry, size_t n, struct error *t);

#endif
