/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PAGER_H
#define VPMU_STATS_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/out.h"

/**
 * struct pager - a program that shows the standard output page by page; all 0 at first
 * @pid: its process ID; 0 if there is none.
 */
struct pager {
    pid_t pid;
};

/**
 * pager_start() - redirect the standard output to $PAGER or less, if it is a terminal
 * @stop_fd: the caller's descriptor for signals, which the pager does not inherit.
 *
 * As from perf, less gets the options FRSX unless the environment has LESS, so it ends at once if
 * everything fits on the screen.
 *
 * Return: false if the standard output is a terminal and there is no pager: PAGER is empty or
 * "cat", or less is not installed.
 */
bool pager_start(struct pager *p, int stop_fd);

/** pager_end() - wait until the user has ended the pager. Call it after out_close(). */
void pager_end(struct pager *p);

/**
 * pager_first_screen() - cut a report to what fits on the terminal, and add how many lines are
 * missing
 */
void pager_first_screen(struct out *out);

#endif
