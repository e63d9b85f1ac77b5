/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Categories of Fuchsia's cpuperf: those of arm64, without L2D_CACHE_ALLOCATE and the events that
 * vpmu does not have (L1D_CACHE_ALLOCATE, MEMORY_ERROR), and those of Intel whose events have an
 * equivalent in the Arm ARM.
 *
 * Source: src/performance/cpuperf_provider of Fuchsia, *-categories.inc.
 */
#include "cpuperf/categories.h"

#include <string.h>

/* Prefix of the names of Skylake's categories. */
#define SKYLAKE "skl:"

static const struct category categories[] = {
    {"fixed:cycle_counter", true, {{"cycle_counter", "cpu_cycles"}}},
    {"fixed:instructions_retired", true, {{"instructions_retired", "inst_retired"}}},
    {"fixed:unhalted_core_cycles", true, {{"unhalted_core_cycles", "cpu_cycles"}}},
    {"fixed:unhalted_reference_cycles", true, {{"unhalted_reference_cycles", "cnt_cycles"}}},

    {"arch:l1_icache",
     false,
     {{"l1i_cache_refill", "l1i_cache_refill"}, {"l1i_tlb_refill", "l1i_tlb_refill"}}},
    {"arch:l1_data",
     false,
     {{"l1d_cache", "l1d_cache"},
      {"l1d_cache_refill", "l1d_cache_refill"},
      {"l1d_tlb_refill", "l1d_tlb_refill"}}},
    {"arch:l2_data",
     false,
     {{"l2d_cache", "l2d_cache"},
      {"l2d_cache_refill", "l2d_cache_refill"},
      {"l2d_cache_wb", "l2d_cache_wb"}}},
    {"arch:exceptions", false, {{"exc_taken", "exc_taken"}, {"exc_return", "exc_return"}}},
    {"arch:instructions",
     false,
     {{"ld_retired", "ld_retired"},
      {"st_retired", "st_retired"},
      {"inst_retired", "inst_retired"},
      {"inst_spec", "inst_spec"}}},
    {"arch:branches",
     false,
     {{"pc_write_retired", "pc_write_retired"},
      {"br_immed_retired", "br_immed_retired"},
      {"br_return_retired", "br_return_retired"},
      {"br_mis_pred", "br_mis_pred"},
      {"br_pred", "br_pred"}}},
    {"arch:misc_memory",
     false,
     {{"unaligned_ldst_retired", "unaligned_ldst_retired"},
      {"mem_access", "mem_access"},
      {"ttbr_write_retired", "ttbr_write_retired"}}},

    {"arch:llc", false, {{"llc_references", "ll_cache"}, {"llc_misses", "ll_cache_miss"}}},
    {"arch:branch",
     false,
     {{"branch_instructions_retired", "br_retired"},
      {"branch_misses_retired", "br_mis_pred_retired"}}},

    {"skl:l1_summary", false, {{"l1d_replacement", "l1d_cache_refill"}}},
    {"skl:l2_summary",
     false,
     {{"l2_rqsts_miss", "l2d_cache_refill"}, {"l2_rqsts_references", "l2d_cache"}}},
    {"skl:l3_summary",
     false,
     {{"longest_lat_cache_reference", "ll_cache"}, {"longest_lat_cache_miss", "ll_cache_miss"}}},
    {"skl:l2_lines",
     false,
     {{"l2_trans_l2_wb", "l2d_cache_wb"}, {"l2_lines_in_all", "l2d_cache_refill"}}},
    {"skl:icache", false, {{"icache_64b_iftag_miss", "l1i_cache_refill"}}},
    {"skl:itlb", false, {{"itlb_misses_miss_causes_a_walk", "itlb_walk"}}},
    {"skl:br_misp", false, {{"br_misp_retired_all_branches", "br_mis_pred_retired"}}},
    {"skl:stall_summary", false, {{"resource_stalls_any", "stall_backend"}}},
    {"skl:mem_retired_summary",
     false,
     {{"mem_inst_retired_all_loads", "ld_retired"}, {"mem_inst_retired_all_stores", "st_retired"}}},
    {"skl:hw_interrupts", false, {{"hw_interrupts_received", "exc_irq"}}},
};

/* Categories and options without an Arm equivalent. */
static const char *const missing[] = {
    "last_branch",
    "mem:bytes",
    "mem:requests",
    "skl:dtlb_load",
    "skl:dtlb_store",
    "skl:l1_miss_cycles",
    "skl:l2_code",
    "skl:l2_data",
    "skl:l2_miss_cycles",
    "skl:l2_rfo",
    "skl:l3_hit_retired_xsnp",
    "skl:l3_miss_cycles",
    "skl:mem_cycles",
    "skl:mem_retired_hit",
    "skl:mem_retired_miss",
    "skl:offcore_data",
    "skl:offcore_demand_code",
    "skl:offcore_demand_data",
    "skl:offcore_demand_rfo",
    "skl:offcore_l3_miss",
    "skl:offcore_misc",
    "skl:offcore_requests",
    "skl:prefetch_summary",
};

#define CATEGORIES (sizeof(categories) / sizeof(categories[0]))
#define MISSING (sizeof(missing) / sizeof(missing[0]))

const struct category *categories_get(size_t i)
{
    return i < CATEGORIES ? &categories[i] : NULL;
}

/* cpuperf's own examples leave out the prefix for the model. */
static bool is_called(const char *known, const char *name)
{
    size_t model = strlen(SKYLAKE);

    return strcmp(known, name) == 0 ||
           (strncmp(known, SKYLAKE, model) == 0 && strcmp(known + model, name) == 0);
}

const struct category *categories_find(const char *name)
{
    size_t i = 0;

    while (i < CATEGORIES && !is_called(categories[i].name, name)) {
        i++;
    }
    return categories_get(i);
}

bool categories_is_missing(const char *name)
{
    size_t i = 0;

    while (i < MISSING && !is_called(missing[i], name)) {
        i++;
    }
    return i < MISSING;
}
