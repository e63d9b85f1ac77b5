/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_VMCOREINFO_H
#define VPMU_STATS_VMCOREINFO_H

#include <stdbool.h>
#include <stdint.h>

/* What its page begins with, and how much of it is looked at. */
#define VMCOREINFO_BEGIN "OSRELEASE="
#define VMCOREINFO_SIZE 8192u

/**
 * struct vmcoreinfo - what a Linux kernel publishes about itself in its memory; 0 where it says
 * nothing
 * @release: its version; nothing in it does anything to a terminal.
 * @page: bytes of a page.
 * @tables: virtual address of its page table, swapper_pg_dir.
 * @distance: what virtual addresses of its image are above physical ones.
 * @variable: what says so, in a variable of its own: kimage_voffset is @distance; of @is_x86,
 *     phys_base.
 * @names, @number, @tokens, @index, @offsets: virtual addresses of kallsyms_names,
 *     kallsyms_num_syms, kallsyms_token_table, kallsyms_token_index and kallsyms_offsets.
 * @base: of kallsyms_relative_base; before Linux 7.0.
 */
struct vmcoreinfo {
    char release[65];
    uint64_t page;
    uint64_t tables;
    uint64_t distance;
    uint64_t variable;
    bool is_x86;
    uint64_t names;
    uint64_t number;
    uint64_t tokens;
    uint64_t index;
    uint64_t offsets;
    uint64_t base;
};

/** vmcoreinfo_parse() - reads the text that Linux has in VMCOREINFO; whatever it is */
void vmcoreinfo_parse(struct vmcoreinfo *v, const char *text);

/** vmcoreinfo_whole() - has it all that it takes to find symbols? */
bool vmcoreinfo_whole(const struct vmcoreinfo *v);

#endif
