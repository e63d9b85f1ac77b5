/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job can have thousands of processes that map the same files. Each file is read once, and a
 * lookup looks at mappings that are the same only once.
 */
#include "record/mapped.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/string-table.h"
#include "record/names.h"

/* open_file() - what is no file of this computer has no content */
static void open_file(struct mapped_file *file, const char *path)
{
    int fd = path[0] == '/' && path[1] != '/' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    struct stat st;
    void *map = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (map != MAP_FAILED) {
        file->content = map;
        file->size = (size_t)st.st_size;
    }
    if (fd >= 0) {
        close(fd);
    }
}

static int add_map(struct mappings *m, const struct raw_record *r, const struct names_map *map,
                   struct string_table *paths, struct error *t)
{
    const struct code_map code = {.pid = r->at.pid,
                                  .time = r->at.time,
                                  .start = map->start,
                                  .length = map->length,
                                  .offset = map->offset,
                                  .file = (uint32_t)m->n};

    m->map[m->n] = (struct mapped){.start = map->start,
                                   .length = map->length,
                                   .offset = map->offset,
                                   .time = r->at.time,
                                   .pid = r->at.pid,
                                   .tid = r->at.tid};
    return string_table_number(paths, map->path, &m->map[m->n++].file, t) ||
                   code_maps_add(&m->at, &code, t)
               ? -1
               : 0;
}

static int add_all(struct mappings *m, const struct raw *raw, const struct job *job,
                   struct string_table *paths, struct error *t)
{
    uint32_t pid, tid, parent_pid, parent_tid;
    int err = 0;

    for (size_t i = 0; !err && i < raw->n; i++) {
        const struct raw_record *r = &raw->record[i];
        struct names_map map;

        if (names_fork(r, &pid, &tid, &parent_pid, &parent_tid)) {
            err = pid != parent_pid ? code_maps_fork(&m->at, pid, r->at.time, parent_pid, t) : 0;
        } else if (names_map(job, r, &map)) {
            err = add_map(m, r, &map, paths, t);
        }
    }
    return err || code_maps_settle(&m->at, t) ? -1 : 0;
}

static int compare_places(const void *a, const void *b)
{
    const struct mapped *x = *(struct mapped *const *)a, *y = *(struct mapped *const *)b;
    const uint64_t of_x[] = {x->file, x->start, x->length, x->offset};
    const uint64_t of_y[] = {y->file, y->start, y->length, y->offset};

    for (size_t i = 0; i < sizeof(of_x) / sizeof(of_x[0]); i++) {
        if (of_x[i] != of_y[i]) {
            return of_x[i] < of_y[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_times(const void *a, const void *b)
{
    const struct mapped *x = *(struct mapped *const *)a, *y = *(struct mapped *const *)b;

    return (x > y) - (x < y);
}

static int open_files(struct mappings *m, const struct string_table *paths)
{
    m->file = calloc(paths->n + 1ull, sizeof(*m->file));
    if (!m->file) {
        return -1;
    }
    for (; m->files < paths->n; m->files++) {
        open_file(&m->file[m->files], string_table_get(paths, (uint32_t)m->files));
    }
    for (size_t i = 0; i < m->n; i++) {
        struct mapped *map = &m->map[i];

        map->content = m->file[map->file].content;
        map->size = m->file[map->file].size;
        map->anonymous = code_maps_anonymous(string_table_get(paths, map->file));
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    int order = compare_places(a, b);

    return order ? order : compare_times(a, b);
}

/* link_same() - @map: all mappings, those that are the same next to each other */
static void link_same(struct mappings *m, struct mapped **map)
{
    for (size_t i = 0; i < m->n; i++) {
        struct mapped *before = i ? map[i - 1] : NULL;

        if (before && compare_places(&before, &map[i]) == 0) {
            map[i]->same = before->same;
            before->next = map[i];
        } else {
            map[i]->same = map[i];
            m->place[m->places++] = map[i];
        }
    }
    qsort(m->place, m->places, sizeof(const struct mapped *), compare_times);
}

int mappings_read(struct mappings *m, const struct raw *raw, const struct job *job,
                  struct failure *f)
{
    struct string_table paths = {0};
    struct error t = {0};
    struct mapped **sorted = reallocarray(NULL, raw->n + 1, sizeof(*sorted));
    int err = -1;

    m->map = calloc(raw->n + 1, sizeof(*m->map));
    m->place = calloc(raw->n + 1, sizeof(*m->place));
    if (m->map && m->place && sorted && add_all(m, raw, job, &paths, &t) == 0 &&
        open_files(m, &paths) == 0) {
        for (size_t i = 0; i < m->n; i++) {
            sorted[i] = &m->map[i];
        }
        qsort(sorted, m->n, sizeof(*sorted), compare);
        link_same(m, sorted);
        err = 0;
    }
    string_table_free(&paths);
    free(sorted);
    return err ? failure_memory(f) : 0;
}

bool mapped_contains(const struct mapped *map, uint64_t address)
{
    return address - map->start < map->length;
}

/* is_there() - has the process mapped the file there, or something else? */
static bool is_there(const struct mappings *m, const struct mapped *when, const struct mapped *map,
                     uint64_t address)
{
    const struct code_map *found = code_maps_find(&m->at, when->pid, when->time, address);

    return found &&
           (map->anonymous ? &m->map[found->file] == map : m->map[found->file].same == map->same);
}

const struct mapped *mappings_both(const struct mappings *m, const struct mapped *a, uint64_t in_a,
                                   const struct mapped *b, uint64_t in_b)
{
    const struct mapped *const later[] = {b->same, a->same};

    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
        for (const struct mapped *when = later[i]; when; when = when->next) {
            if (is_there(m, when, a, in_a) && is_there(m, when, b, in_b)) {
                return when;
            }
        }
    }
    return NULL;
}

void mappings_free(struct mappings *m)
{
    for (size_t i = 0; i < m->files; i++) {
        if (m->file[i].content) {
            munmap((void *)(uintptr_t)m->file[i].content, m->file[i].size);
        }
    }
    free(m->file);
    code_maps_free(&m->at);
    free(m->place);
    free(m->map);
    *m = (struct mappings){0};
}
