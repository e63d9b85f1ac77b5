/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SESSION_H
#define VPMU_STATS_SESSION_H

#include "machine/machine.h"
#include "session/options.h"
#include "base/out.h"

/**
 * struct session - a connection to one machine, and the output
 * @name: the machine's name for display.
 * @q: its monitor.
 * @pmus: its PMUs.
 * @out: the output.
 */
struct session {
    char *name;
    struct qmp *q;
    struct pmus pmus;
    struct out out;
    bool out_is_open;
};

/**
 * session_reach() - connect to a machine and read its name
 *
 * Return: 0, or -1 with an error. Call session_close() in any case.
 */
int session_reach(struct session *s, const struct options *o, const struct target *target,
                  int stop_fd, struct error *t);

/** session_connect() - like session_reach(), and read the machine's PMUs; it must have one */
int session_connect(struct session *s, const struct options *o, const struct target *target,
                    int stop_fd, struct error *t);

/**
 * session_open() - like session_connect() for the only machine that @o selects, and open the output
 * @live: see out_open().
 */
int session_open(struct session *s, const struct options *o, int stop_fd, bool live,
                 struct error *t);

/** session_out() - open the output only */
int session_out(struct session *s, const struct options *o, bool live, struct error *t);

/**
 * session_close() - close everything and print the error
 * @t: the result so far. If it is an error other than ERROR_ENDED or ERROR_STOPPED, an output file
 *     that is not live stays as it was. If closing the output fails, @t is set to that error.
 *
 * Return: the exit code of the program.
 */
int session_close(struct session *s, struct error *t);

#endif
