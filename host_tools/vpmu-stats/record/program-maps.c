/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/program-maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int program_maps_add(struct program_maps *m, const char *text, struct error *t)
{
    size_t i = m->programs.n;

    if (programs_add(&m->programs, text, t)) {
        return -1;
    }
    if (!m->programs.program[i].path) {
        return error_set(
            t, ERROR_USAGE,
            "--map %s: perf needs an ELF file, not a list; vpmu-stats report also reads lists",
            text);
    }
    m->path[i] = realpath(m->programs.program[i].path, NULL);
    if (!m->path[i]) {
        return error_set(t, ERROR_USAGE, "cannot read %s: %s", m->programs.program[i].path,
                         strerror(errno));
    }
    return image_read(&m->image[i], NULL, m->path[i], t);
}

static void tell(const struct program_maps *m, size_t i, uint64_t space, struct perfdata *file,
                 struct written_maps *written, const struct perfdata_thread *thread)
{
    const struct image *image = &m->image[i];

    for (size_t n = 0; n < image->parts; n++) {
        const struct written_map code = {
            .pid = thread->pid,
            .space = space,
            .time = thread->time,
            .start = m->programs.program[i].base + image->part[n].address,
            .length = image->part[n].size,
            .offset = image->part[n].offset,
            .path = m->path[i],
        };

        if (written_maps_is_new(written, &code)) {
            perfdata_code(file, thread,
                          &(struct perfdata_code){.start = code.start,
                                                  .length = code.length,
                                                  .offset = code.offset,
                                                  .path = code.path,
                                                  .build_id = image->build_id,
                                                  .build_id_size = image->build_id_size});
        }
    }
}

bool program_maps_write(const struct program_maps *m, struct perfdata *file,
                        struct written_maps *written, const struct perfdata_thread *thread,
                        const char *comm)
{
    const struct program *first = programs_find(&m->programs, comm, NULL);

    for (size_t i = first ? (size_t)(first - m->programs.program) : m->programs.n;
         i < m->programs.n; i++) {
        if (strcmp(m->programs.program[i].comm, comm) == 0) {
            tell(m, i, (uintptr_t)first, file, written, thread);
        }
    }
    return first;
}

void program_maps_free(struct program_maps *m)
{
    for (size_t i = 0; i < PROGRAMS_MAX; i++) {
        free(m->path[i]);
    }
    programs_free(&m->programs);
    *m = (struct program_maps){0};
}
