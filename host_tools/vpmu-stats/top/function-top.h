/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FUNCTION_TOP_H
#define VPMU_STATS_FUNCTION_TOP_H

#include <stdbool.h>

/** function_top_is_wanted() - test whether the arguments of top contain --symbols */
bool function_top_is_wanted(int argc, char *const *argv);

/** function_top() - run "top --symbols". Return: the exit code. */
int function_top(int argc, char **argv, int stop_fd);

#endif
