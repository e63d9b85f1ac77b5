/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signals that end the program. It blocks them, and reads them from a signalfd. */
#ifndef VPMU_STATS_SIGNALS_H
#define VPMU_STATS_SIGNALS_H

#include <signal.h>
#include <sys/types.h>

/**
 * signals_ending() - make a set of the signals that end the program
 *
 * Return: SIGHUP, SIGINT and SIGTERM.
 */
sigset_t signals_ending(void);

/**
 * signals_drop() - forget those of these signals that have arrived
 *
 * For a program that does something after a signal has ended its first part.
 */
void signals_drop(void);

/**
 * signals_admit() - let these signals end the program at once
 *
 * For waits that poll() cannot interrupt, such as for the other end of a FIFO, while there is
 * nothing to undo.
 *
 * Return: what was blocked, for sigprocmask(SIG_SETMASK).
 */
sigset_t signals_admit(void);

/**
 * signals_watch() - say which descriptor becomes readable when such a signal comes
 * @fd: for signals_write(), until the process ends; -1 before the first call.
 */
void signals_watch(int fd);

/**
 * signals_write() - write to a descriptor that may have to wait for its reader
 *
 * A signal ends the wait if nobody reads for another two seconds.
 *
 * Return: the number of bytes written, which may be fewer than @size, or -1 with errno: ECANCELED
 * after a signal.
 */
ssize_t signals_write(int fd, const void *bytes, size_t size);

#endif
