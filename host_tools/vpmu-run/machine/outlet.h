/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes what the machine writes on to a descriptor, and never waits for its reader. */
#ifndef VPMU_RUN_OUTLET_H
#define VPMU_RUN_OUTLET_H

#include <sys/types.h>

#include "failure.h"

/* The output is thrown away. After 16 MiB there is no reader any more. */
#define OUTLET_NOWHERE (-1)
/* Nobody reads the output any more. It is thrown away. */
#define OUTLET_CLOSED (-2)

/**
 * struct outlet - a file in memory that the machine writes
 * @to: where its content goes; any kind of descriptor, also a non-blocking one, OUTLET_NOWHERE, or
 *     OUTLET_CLOSED.
 * @done: so many bytes have been passed on. Their memory has been given back.
 */
struct outlet {
    int fd, to;
    off_t done;
};

/**
 * outlet_pass() - passes on as much as @to takes now
 * If nobody reads any more, @to becomes OUTLET_CLOSED. SIGPIPE must be blocked.
 *
 * Return: 0, or -1 with an error: 128 and SIGPIPE if 16 MiB went nowhere.
 */
int outlet_pass(struct outlet *o, struct failure *f);

/** outlet_left() - Return: how many bytes have not been passed on */
off_t outlet_left(const struct outlet *o);

#endif
