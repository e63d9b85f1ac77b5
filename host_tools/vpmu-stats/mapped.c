/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int mapped_add(struct mapped *m, const char *text, struct trouble *t)
{
    size_t i = m->programs.n;

    if (programs_add(&m->programs, text, t)) {
        return -1;
    }
    if (!m->programs.program[i].path) {
        return trouble_set(t, TROUBLE_USAGE,
                           "--map %s: perf takes functions from an ELF file, not from a list; "
                           "vpmu-stats report takes that",
                           text);
    }
    m->path[i] = realpath(m->programs.program[i].path, NULL);
    if (!m->path[i]) {
        return trouble_set(t, TROUBLE_USAGE, "cannot read %s: %s", m->programs.program[i].path,
                           strerror(errno));
    }
    return image_read(&m->image[i], NULL, m->path[i], t);
}

static void tell(const struct mapped *m, size_t i, uint64_t space, struct perfdata *file,
                 struct told *told, const struct perfdata_thread *thread)
{
    const struct image *image = &m->image[i];

    for (size_t n = 0; n < image->parts; n++) {
        const struct told_code code = {
            .pid = thread->pid,
            .space = space,
            .time = thread->time,
            .start = m->programs.program[i].base + image->part[n].address,
            .length = image->part[n].size,
            .offset = image->part[n].offset,
            .path = m->path[i],
        };

        if (told_is_new(told, &code)) {
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

bool mapped_tell(const struct mapped *m, struct perfdata *file, struct told *told,
                 const struct perfdata_thread *thread, const char *comm)
{
    const struct program *first = programs_find(&m->programs, comm);

    for (size_t i = first ? (size_t)(first - m->programs.program) : m->programs.n;
         i < m->programs.n; i++) {
        if (strcmp(m->programs.program[i].comm, comm) == 0) {
            tell(m, i, (uintptr_t)first, file, told, thread);
        }
    }
    return first;
}

void mapped_free(struct mapped *m)
{
    for (size_t i = 0; i < PROGRAMS_MAX; i++) {
        free(m->path[i]);
    }
    programs_free(&m->programs);
    *m = (struct mapped){0};
}
