/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PAGER_H
#define VPMU_STATS_PAGER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/out.h"

/**
 * struct pager - a program that shows the standard output page by page; 0 at first
 * @pid: 0 if there is none.
 */
struct pager {
    pid_t pid;
};

/**
 * pager_start() - if the standard output is a terminal, redirects it to $PAGER, or to less
 * @stop_fd: the caller's descriptor for signals. The pager does not get it.
 *
 * less gets the options FRSX unless the environment has LESS, as from perf: it ends at once if all
 * fits on the screen.
 *
 * Return: false if the standard output is a terminal and there is no pager: PAGER is empty or
 * "cat", or less is not installed.
 */
bool pager_start(struct pager *p, int stop_fd);

/** pager_end() - waits until the user has ended the pager. Call it after out_close(). */
void pager_end(struct pager *p);

/** pager_first_screen() - shortens a report to what fits on the terminal, and says how much is left
 */
void pager_first_screen(struct out *out);

#endif
