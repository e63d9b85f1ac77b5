/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mapped in processes: programs that the user has named, and the mappings that the machine
 * has read from the guest's memory.
 */
#include "record/recording-parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

bool recording_map_programs(struct recording *r, const struct perfdata_thread *thread,
                            const char *comm)
{
    return r->mapped && program_maps_write(r->mapped, &r->file, r->written, thread, comm);
}

/* Returns the size of a file that @symfs has a copy of; 0 if it has none. */
static uint64_t size_of(const char *symfs, const char *path)
{
    struct error ignored = {0};
    int fd = symfs && path[0] == '/' ? image_open(symfs, path, &ignored) : -1;
    struct stat status = {.st_size = 0};

    if (fd >= 0) {
        fstat(fd, &status);
        close(fd);
    }
    return (uint64_t)status.st_size;
}

/*
 * perf reads the unwind tables of a file at the addresses where the program has mapped them, so all
 * of the file is mapped. The mappings of code follow, and take precedence.
 */
static void tell_file(struct recording *r, const struct perfdata_thread *thread,
                      const struct perfdata_code *code)
{
    struct perfdata_code whole = *code;

    whole.start -= code->offset;
    whole.length = r->keeps_stacks ? size_of(r->symfs, code->path) : 0;
    whole.offset = 0;
    whole.is_data = true;
    if (whole.length) {
        perfdata_code(&r->file, thread, &whole);
    }
}

static void tell_code(struct recording *r, const struct vpmu_record_map *from,
                      const struct written_map *code)
{
    struct buildid seen = {.size = from->build_id_size};
    const struct buildid *id;

    memcpy(seen.byte, from->build_id, sizeof(seen.byte));
    id = buildids_find(r->ids, code->path, from->file, &seen);
    if (written_maps_is_new(r->written, code)) {
        const struct perfdata_thread thread = {
            .pid = code->pid, .tid = code->pid, .time = code->time, .cpu = from->head.cpu};
        const struct perfdata_code to = {.start = code->start,
                                         .length = code->length,
                                         .offset = code->offset,
                                         .path = code->path,
                                         .build_id = id->byte,
                                         .build_id_size = id->size};

        tell_file(r, &thread, &to);
        perfdata_code(&r->file, &thread, &to);
    }
}

static void tell_map(struct recording *r, const struct vpmu_record_map *from, const char *path)
{
    const struct written_map code = {
        .pid = from->pid,
        .space = from->space,
        .time = from->time,
        .start = from->start,
        .length = from->end - from->start,
        .offset = from->offset,
        .path = path,
    };

    tell_code(r, from, &code);
}

/* Reads a file from the guest's memory, unless there is a copy of it. */
static int read_file(struct recording *r, const struct kept_map *map, struct error *t)
{
    unsigned char *contents;
    size_t size;
    int err;

    if (!r->memory || !r->names.files || !guest_code_wants(&r->code, map) ||
        !page_cache_read(r->names.files, r->memory, map->map.file, &contents, &size)) {
        return 0;
    }
    err = guest_code_give(&r->code, map, contents, size, t);
    free(contents);
    return err;
}

/* A build ID is in the first pages of a file. */
#define BEGINNING 0x4000u

/*
 * Sets the build ID of a mapping if it is known. The machine finds it only in files that are mapped
 * as they are on the disk: lld and others leave gaps between the parts of a program.
 */
static void learn_id(struct recording *r, struct vpmu_record_map *map, const char *path)
{
    unsigned char bytes[BEGINNING];
    struct image image = {.build_id_size = 0};
    struct buildid seen = {.size = map->build_id_size};
    const struct buildid *id;
    size_t n = 0;

    if (path[0] != '/') {
        return;
    }
    if (!seen.size && r->memory && r->names.files && !buildids_has(r->ids, path, map->file)) {
        n = page_cache_beginning(r->names.files, r->memory, map->file, bytes, sizeof(bytes));
    }
    if (n) {
        image_take_beginning(&image, bytes, n);
        seen.size = image.build_id_size;
        memcpy(seen.byte, image.build_id, sizeof(seen.byte));
    } else {
        memcpy(seen.byte, map->build_id, sizeof(seen.byte));
    }
    id = buildids_find(r->ids, path, map->file, &seen);
    memcpy(map->build_id, id->byte, sizeof(map->build_id));
    map->build_id_size = (uint16_t)id->size;
}

/* Writes a mapping of the guest, unless the user has named the thread's program. */
int recording_map(struct recording *r, const struct vpmu_record_map *from, const char *path,
                  struct error *t)
{
    struct recording_cpu *runs = &r->cpus[from->head.cpu];
    struct vpmu_record_map own = *from;
    char name[VPMU_RECORD_PATH];

    if (from->pid >= PID_OF(0) || runs->mapped) {
        return 0;
    }
    snprintf(name, sizeof(name), "%s", path);
    format_tame(name);
    learn_id(r, &own, name);
    tell_map(r, &own, name);
    if (read_file(r, &(const struct kept_map){.map = own, .path = name}, t)) {
        return -1;
    }
    return r->keeps_maps || r->stack || r->code.given ? kept_maps_add(&runs->kept, &own, name, t)
                                                      : 0;
}

void recording_remap(struct recording *r, uint32_t cpu)
{
    const struct recording_cpu *runs = &r->cpus[cpu];

    for (size_t i = 0; i < runs->kept.n; i++) {
        tell_map(r, &runs->kept.map[i].map, runs->kept.map[i].path);
    }
}
