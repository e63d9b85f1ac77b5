/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MEMORY_H
#define VPMU_STATS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "qmp/qmp.h"

/* What memory_find() finds at most, in all; and page tables of a machine that are looked at. */
#define MEMORY_FOUND 256u
#define MEMORY_TABLES 1024u

/**
 * struct memory - a machine's RAM, and who uses it
 * @read: copies @size bytes at physical address @at.
 * @find: pages that begin with @text: up to MEMORY_FOUND addresses, *@n of them.
 * @tables: where kernels have their page tables, as TTBR1 has it: up to MEMORY_TABLES.
 *
 * All return 0, or -1 with an error: ERROR_TALK if the machine refuses.
 */
struct memory {
    int (*read)(struct memory *m, uint64_t at, void *to, size_t size, struct error *t);
    int (*find)(struct memory *m, const char *text, uint64_t *found, size_t *n, struct error *t);
    int (*tables)(struct memory *m, uint64_t *tables, size_t *n, struct error *t);
};

/** struct machine_memory - that of a machine with a monitor */
struct machine_memory {
    struct memory memory;
    struct qmp *q;
};

/** machine_memory() - what is the memory of a machine */
struct machine_memory machine_memory(struct qmp *q);

#endif
