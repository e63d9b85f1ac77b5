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
    bool is_x86;
    uint64_t ttbr1;
    bool has_program;
    struct page_walk program;
    /* Where the program has the guest's RAM; on x86-64 below and above 4 GiB. */
    struct stage2_side {
        uint64_t near;
        bool tried;
        bool known;
        uint64_t distance;
    } side[2];
};

/**
 * stage2_init() - start to read a guest's memory
 * @s: is filled in.
 * @machine: the memory of the machine.
 * @guest: the guest's page tables, which are not trusted.
 * @is_x86: it is a guest of SVM on an x86-64; otherwise of an arm64.
 *
 * Return: false if the guest's addresses are not translated, or in an unknown way.
 */
bool stage2_init(struct stage2 *s, struct memory *machine, const struct vpmu_record_guest *guest,
                 bool is_x86);

#endif
