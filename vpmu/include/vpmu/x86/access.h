/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_ACCESS_H
#define VPMU_X86_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/latency.h"

VPMU_DECLS_BEGIN

/* Sizes of pages. */
enum vpmu_x86_page {
    VPMU_X86_PAGE_4K,
    VPMU_X86_PAGE_2M, /* or 4 MiB */
    VPMU_X86_PAGE_1G,
};

/**
 * struct vpmu_x86_data_access - an access to memory
 * @address: the linear address.
 * @physical: the physical address. This and the next three are only used by IBS.
 * @size: the number of bytes; 0: not known.
 * @page: enum vpmu_x86_page.
 * @physical_valid: @physical and @page are known.
 * @level: enum vpmu_data_level; VPMU_DATA_UNKNOWN: there was no access.
 * @translated: enum vpmu_translated.
 */
struct vpmu_x86_data_access {
    uint64_t address;
    uint64_t physical;
    uint16_t size;
    uint8_t page;
    uint8_t level;
    uint8_t translated;
    bool physical_valid;
};

/**
 * struct vpmu_x86_data_accesses - accesses of the instruction that a record or sample describes
 * @load: its slowest read.
 * @store: its slowest write.
 * @locked: it has a LOCK prefix, or is an XCHG.
 */
struct vpmu_x86_data_accesses {
    struct vpmu_x86_data_access load;
    struct vpmu_x86_data_access store;
    bool locked;
};

VPMU_DECLS_END

#endif
