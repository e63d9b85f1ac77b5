/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_MAPPED_H
#define VPMU_STATS_MAPPED_H

#include "image.h"
#include "perfdata.h"
#include "programs.h"
#include "told.h"

/**
 * struct mapped - programs that the user has named, for perf; 0 at first
 * @programs: these.
 * @path, @image: of each; @path is from the root on, as perf wants it.
 */
struct mapped {
    struct programs programs;
    char *path[PROGRAMS_MAX];
    struct image image[PROGRAMS_MAX];
};

/** mapped_add() - as programs_add(), but it has to be an ELF file */
int mapped_add(struct mapped *m, const char *text, struct trouble *t);

/**
 * mapped_tell() - writes where the programs are that a thread of this name runs, unless the reader
 * knows
 *
 * Return: whether there are any.
 */
bool mapped_tell(const struct mapped *m, struct perfdata *file, struct told *told,
                 const struct perfdata_thread *thread, const char *comm);

void mapped_free(struct mapped *m);

#endif
