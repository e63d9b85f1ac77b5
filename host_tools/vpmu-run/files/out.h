/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program writes, brought back from the machine. */
#ifndef VPMU_RUN_OUT_H
#define VPMU_RUN_OUT_H

#include "files/job.h"

/**
 * out_add() - adds a path of --out to the job
 * @given: as the user wrote it. The directory that it is in must exist here.
 */
int out_add(struct job *job, const char *given, struct failure *f);

/**
 * out_fetch() - writes the files that the machine brought back
 * @fd: what init wrote to RUN_PORT_RECORD. Its content is not trusted: nothing but what is at the
 *     paths of the job is written, and no link is followed there.
 *
 * If nothing came back from a path, it prints a warning.
 */
int out_fetch(const struct job *job, int fd, struct failure *f);

#endif
