/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signals that end the program. It blocks them, and reads them from a signalfd. */
#ifndef VPMU_STATS_SIGNALS_H
#define VPMU_STATS_SIGNALS_H

#include <signal.h>

/**
 * signals_ending() - make a set of the signals that end the program
 *
 * Return: SIGHUP, SIGINT and SIGTERM.
 */
sigset_t signals_ending(void);

/**
 * signals_admit() - let these signals end the program at once
 *
 * For waits that poll() cannot interrupt, such as for the other end of a FIFO, while there is
 * nothing to undo.
 *
 * Return: what was blocked, for sigprocmask(SIG_SETMASK).
 */
sigset_t signals_admit(void);

#endif
