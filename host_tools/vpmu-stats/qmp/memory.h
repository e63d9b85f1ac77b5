/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MEMORY_H
#define VPMU_STATS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "qmp/qmp.h"

/* The most pages that memory.find returns, and the most page tables that memory.tables returns. */
#define MEMORY_FOUND 256u
#define MEMORY_TABLES 1024u

/**
 * struct memory - access to a machine's RAM
 * @read: copies @size bytes at the physical address @at to @to.
 * @find: finds pages that begin with @text. Writes up to MEMORY_FOUND addresses to @found, and
 *     their number to *@n.
 * @tables: gets the page tables that the vCPUs use for kernels, as TTBR1 or CR3 holds them. Writes
 *     up to MEMORY_TABLES of them to @tables, and their number to *@n.
 * @found_in: the memory that has the pages that @find finds. NULL: this one.
 *
 * All functions return 0, or -1 with an error: ERROR_TALK if the machine refuses.
 */
struct memory {
    int (*read)(struct memory *m, uint64_t at, void *to, size_t size, struct error *t);
    int (*find)(struct memory *m, const char *text, uint64_t *found, size_t *n, struct error *t);
    int (*tables)(struct memory *m, uint64_t *tables, size_t *n, struct error *t);
    struct memory *found_in;
};

/**
 * struct machine_memory - access to a machine's RAM through its monitor
 * @memory: the functions.
 * @q: the connection to the monitor.
 */
struct machine_memory {
    struct memory memory;
    struct qmp *q;
};

/** machine_memory() - get access to a machine's RAM through its monitor */
struct machine_memory machine_memory(struct qmp *q);

#endif
