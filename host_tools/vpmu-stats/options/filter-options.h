/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FILTER_OPTIONS_H
#define VPMU_STATS_FILTER_OPTIONS_H

#include <argp.h>

#include "profile/report-columns.h"

/* Parses options into a struct sample_filter: a child of the argp of commands that show samples. */
extern const struct argp filter_options_argp;

#endif
