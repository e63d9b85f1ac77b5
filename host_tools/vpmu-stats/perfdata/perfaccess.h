/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFACCESS_H
#define VPMU_STATS_PERFACCESS_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/record.h"

/**
 * perfaccess_encode() - get perf's description of an access: union perf_mem_data_src
 * @access: the access, or NULL if there was none.
 */
uint64_t perfaccess_encode(const struct vpmu_record_access *access);

/**
 * perfaccess_level() - get the level of a union perf_mem_data_src as text, as perf mem report shows
 *     it: "L1 hit", "RAM hit", "L1 miss" (of stores), ...
 *
 * Return: "N/A" if it has none.
 */
const char *perfaccess_level(uint64_t source);

/** perfaccess_tlb() - the same for the translation: "L1 hit", "L2 hit", "Walker miss", ... */
const char *perfaccess_tlb(uint64_t source);

/** perfaccess_op() - the same for the kind of access: "LOAD", "STORE", "LOAD,STORE" */
const char *perfaccess_op(uint64_t source);

#endif
