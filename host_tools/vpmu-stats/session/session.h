/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SESSION_H
#define VPMU_STATS_SESSION_H

#include "machine/machine.h"
#include "session/options.h"
#include "base/out.h"

/**
 * struct session - one machine, looked at by one command
 * @name: what a person calls it.
 * @q, @pmus: its monitor, its PMUs.
 * @out: where to print.
 */
struct session {
    char *name;
    struct qmp *q;
    struct pmus pmus;
    struct out out;
    bool out_is_open;
};

/**
 * session_reach() - connects to a machine and asks what it is called
 * Return: 0 or -1; session_close() is needed either way.
 */
int session_reach(struct session *s, const struct options *o, const struct target *target,
                  int stop_fd, struct error *t);

/** session_connect() - the same, and asks for its PMUs, of which there must be one */
int session_connect(struct session *s, const struct options *o, const struct target *target,
                    int stop_fd, struct error *t);

/**
 * session_open() - the same for the one machine that @o means, and opens the output
 * @live: see out_open().
 */
int session_open(struct session *s, const struct options *o, int stop_fd, bool live,
                 struct error *t);

/** session_out() - opens the output only */
int session_out(struct session *s, const struct options *o, bool live, struct error *t);

/**
 * session_close() - releases all
 * @t: on an error, a file that is not live stays as it was; otherwise it is set if closing fails.
 *
 * Return: what the program exits with.
 */
int session_close(struct session *s, struct error *t);

#endif
