/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STAGE2_H
#define VPMU_STATS_STAGE2_H

#include "kernel/page-walk.h"
#include "qmp/memory.h"
#include "vpmu/record.h"

/**
 * struct stage2 - the memory of a guest of the machine's own hypervisor
 * @memory: reads physical addresses of the guest. find() finds pages of the whole machine.
 *
 * The other fields are private. The structure is large: allocate it.
 */
struct stage2 {
    struct memory memory;
    struct page_walk walk;
    uint64_t ttbr1;
    bool has_program;
    struct page_walk program;
    uint64_t distance;
};

/**
 * stage2_init() - start to read a guest's memory
 * @s: is filled in.
 * @machine: the memory of the machine.
 * @guest: the guest's page tables, which are not trusted.
 *
 * Return: false if the guest's addresses are not translated, or in an unknown way.
 */
bool stage2_init(struct stage2 *s, struct memory *machine, const struct vpmu_record_guest *guest);

#endif
