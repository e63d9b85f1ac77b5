/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTION_SCREEN_H
#define VPMU_STATS_FUNCTION_SCREEN_H

#include "top/live.h"

/**
 * function_screen_run() - show the functions of a machine in the terminal until the user quits
 * @l: all 0. Call live_close() afterwards in any case.
 */
void function_screen_run(struct live *l, const struct function_options *o, int stop_fd,
                         struct error *t);

#endif
