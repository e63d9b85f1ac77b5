/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROGRAM_MAPS_H
#define VPMU_STATS_PROGRAM_MAPS_H

#include "symbols/image.h"
#include "perfdata/perfdata.h"
#include "symbols/programs.h"
#include "record/written-maps.h"

/**
 * struct program_maps - programs that the user has named, for perf; all 0 at first
 * @programs: the programs.
 * @path: absolute path of each program, as perf needs it.
 * @image: contents of each program.
 */
struct program_maps {
    struct programs programs;
    char *path[PROGRAMS_MAX];
    struct image image[PROGRAMS_MAX];
};

/** program_maps_add() - add a program like programs_add(), but accept only ELF files */
int program_maps_add(struct program_maps *m, const char *text, struct error *t);

/**
 * program_maps_write() - write the mappings of the programs that a thread runs
 * @written: mappings that the file has already. They are not written again.
 * @comm: the thread's name, which selects the programs.
 *
 * Return: true if there are programs for this name.
 */
bool program_maps_write(const struct program_maps *m, struct perfdata *file,
                        struct written_maps *written, const struct perfdata_thread *thread,
                        const char *comm);

void program_maps_free(struct program_maps *m);

#endif
