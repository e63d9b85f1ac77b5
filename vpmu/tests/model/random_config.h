/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_RANDOM_CONFIG_H
#define VPMU_TESTS_RANDOM_CONFIG_H

#include "chooser.h"
#include "vpmu/model.h"

/* Any configuration that vpmu_model_check() accepts, with caches of moderate size. */
struct vpmu_model_config choose_model_config(struct chooser *c);

/*
 * The pages of a guest: choose_pages() selects a mixture of sizes that functions of an address then
 * return. choose_page_size() selects one size for all.
 */
void choose_pages(struct chooser *c);
void choose_page_size(struct chooser *c);
unsigned page_shift_at(uint64_t addr);
uint64_t page_bytes_at(uint64_t addr);

#endif
