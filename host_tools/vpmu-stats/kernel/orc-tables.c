/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/orc-tables.h"

#include "kernel/btf.h"
#include "symbols/symbols.h"

void orc_tables_add(struct orc_tables *o, uint64_t addresses, uint64_t entries, uint64_t number)
{
    if (addresses && entries && number && number <= ORC_TABLES_ENTRIES && o->n < ORC_TABLES) {
        o->table[o->n++] = (struct orc_table){addresses, entries, (uint32_t)number};
    }
}

void orc_tables_kernel(struct orc_tables *o, const struct symbols *symbols,
                       const struct task_layout *layout)
{
    if (layout->orc_type_bits) {
        orc_tables_add(o, symbols->orc_addresses, symbols->orc_entries,
                       (symbols->orc_addresses_end - symbols->orc_addresses) / sizeof(int32_t));
    }
}
