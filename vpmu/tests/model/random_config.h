/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_RANDOM_CONFIG_H
#define VPMU_TESTS_RANDOM_CONFIG_H

#include "chooser.h"
#include "vpmu/model.h"

/* Any configuration that vpmu_model_check() accepts, with caches of moderate size. */
struct vpmu_model_config choose_model_config(struct chooser *c);

#endif
