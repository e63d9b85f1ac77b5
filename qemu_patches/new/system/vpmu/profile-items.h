/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact profiles: the list of code, and a CPU's counters of it */

#ifndef SYSTEM_VPMU_PROFILE_ITEMS_H
#define SYSTEM_VPMU_PROFILE_ITEMS_H

#include "qemu/units.h"
#include "tcg/vpmu-profile.h"
#include "vpmu/record.h"

/* The most items, and the most memory that they use. */
#define ITEMS_MAX (4 * MiB)
#define ITEMS_SIZE (1 * GiB)
/* The item that counts if there is no room for another. */
#define ITEM_FULL 0

#define INSN_MAX sizeof_field(struct vpmu_record_code, bytes)

/*
 * An event that calls cost: VPMU_COST_COUNT for instructions.  It is the sum of
 * @n totals; if there is none, Profile.sum has it.
 */
typedef struct ProfileEvent {
    uint8_t cost;
    uint8_t n;
    uint8_t source[2];
} ProfileEvent;

QEMU_BUILD_BUG_ON(1 + VPMU_COST_COUNT > VPMU_CALLS_EVENTS);

/*
 * The counters of a CPU: @times by number of the item.  @calls may be NULL; it
 * counts @events.  @cost is there if costs are counted; it and @charged have
 * numbers of items that vpmu_profile_site() returns.  @sum: what a context has
 * cost, of costs that no total has.  @size: of all of this.  Blocks of the
 * @wanted contexts have @flags.
 */
typedef struct Profile {
    VPMUCalls *calls;
    size_t size;
    uint32_t wanted;
    uint32_t flags;
    uint32_t charged;
    unsigned int events;
    ProfileEvent event[VPMU_CALLS_EVENTS];
    uint64_t sum[VPMU_CALLS_CONTEXTS][VPMU_COST_COUNT];
    uint64_t times[ITEMS_MAX];
    uint64_t cost[][ITEMS_MAX];
} Profile;

/* An instruction of an item; @costs: what each of its executions costs. */
typedef struct ItemInsn {
    uint16_t offset;
    uint16_t costs;
    uint8_t size;
} ItemInsn;

QEMU_BUILD_BUG_ON(VPMU_COST_COUNT > 8 * sizeof_field(ItemInsn, costs));

/*
 * Code.  It has @n instructions; its bytes, @size, follow the last of them.
 * @page: the addresses in RAM of its pages; @where: who runs there, without an
 * address.  An item that counts what was taken back has one instruction, whose
 * page is not known if @anywhere is set.  So has one without bytes, that of a
 * call or of costs that are not known in advance, which counts no executions.
 */
typedef struct Item {
    uint64_t pc;
    uint64_t page[2];
    struct vpmu_record_sample where;
    uint16_t n;
    uint16_t size;
    uint8_t ctx;
    bool undone;
    bool anywhere;
    ItemInsn insn[];
} Item;

#endif
