/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRAM_MAPS_H
#define VPMU_STATS_PROGRAM_MAPS_H

#include "symbols/image.h"
#include "perfdata/perfdata.h"
#include "symbols/programs.h"
#include "record/written-maps.h"

/**
 * struct program_maps - programs that the user has named, for perf; 0 at first
 * @programs: these.
 * @path, @image: of each; @path is from the root on, as perf wants it.
 */
struct program_maps {
    struct programs programs;
    char *path[PROGRAMS_MAX];
    struct image image[PROGRAMS_MAX];
};

/** program_maps_add() - as programs_add(), but it has to be an ELF file */
int program_maps_add(struct program_maps *m, const char *text, struct error *t);

/**
 * program_maps_write() - writes where the programs are that a thread of this name runs, unless the
 * reader knows
 *
 * Return: whether there are any.
 */
bool program_maps_write(const struct program_maps *m, struct perfdata *file,
                        struct written_maps *written, const struct perfdata_thread *thread,
                        const char *comm);

void program_maps_free(struct program_maps *m);

#endif
