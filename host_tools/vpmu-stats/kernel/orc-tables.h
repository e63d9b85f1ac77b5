/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ORC_TABLES_H
#define VPMU_STATS_ORC_TABLES_H

#include <stddef.h>
#include <stdint.h>

struct symbols;
struct task_layout;

/* The most tables that a machine takes, and the most entries of a table. */
#define ORC_TABLES 512u
#define ORC_TABLES_ENTRIES (4u << 20)

/**
 * struct orc_table - the addresses of one of the tables by which an x86-64 Linux finds the callers
 *     of its functions
 * @addresses: .orc_unwind_ip.
 * @entries: .orc_unwind.
 * @number: how many there are of both.
 */
struct orc_table {
    uint64_t addresses;
    uint64_t entries;
    uint32_t number;
};

/** struct orc_tables - the tables of the kernel and of its modules; all 0 at first */
struct orc_tables {
    size_t n;
    struct orc_table table[ORC_TABLES];
};

/** orc_tables_add() - add a table, unless there is no room or it has an impossible size */
void orc_tables_add(struct orc_tables *o, uint64_t addresses, uint64_t entries, uint64_t number);

/** orc_tables_kernel() - add the kernel's own table if its symbols and types are known */
void orc_tables_kernel(struct orc_tables *o, const struct symbols *symbols,
                       const struct task_layout *layout);

#endif
