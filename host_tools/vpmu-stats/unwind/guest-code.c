/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/guest-code.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for all files. */
static int make_room(struct guest_code *c, struct error *t)
{
    struct guest_code_file *file;

    if (c->n == c->files.n) {
        return 0;
    }
    file = reallocarray(c->file, c->files.n, sizeof(*file));
    if (!file) {
        return error_memory(t);
    }
    memset(file + c->n, 0, (c->files.n - c->n) * sizeof(*file));
    c->file = file;
    c->n = c->files.n;
    return 0;
}

/* Finds the number of a mapping's file, and makes room for it. */
static int number_of(struct guest_code *c, const struct kept_map *map, uint32_t *number,
                     struct error *t)
{
    return guest_files_number(&c->files, map->path, map->map.build_id, map->map.build_id_size,
                              number, t) ||
                   make_room(c, t)
               ? -1
               : 0;
}

int guest_code_give(struct guest_code *c, const struct kept_map *map, const void *contents,
                    size_t size, struct error *t)
{
    uint32_t number;

    if (number_of(c, map, &number, t) || guest_files_give(&c->files, number, contents, size, t)) {
        return -1;
    }
    c->given += !c->file[number].given;
    c->bytes += size;
    c->file[number].given = true;
    c->file[number].id = map->map.file;
    return 0;
}

bool guest_code_wants(struct guest_code *c, const struct kept_map *map)
{
    struct error ignored = {0};
    uint32_t number;
    bool is_new;

    if (map->path[0] != '/' || number_of(c, map, &number, &ignored)) {
        return false;
    }
    is_new =
        !c->files.file[number].tried && c->given < GUEST_CODE_FILES && c->bytes < GUEST_CODE_BYTES;
    /* The kernel may forget an inode, and make it again at another address: still the same file. */
    c->file[number].others |=
        c->file[number].given && c->file[number].id != map->map.file && !map->map.build_id_size;
    return is_new && !guest_files_has(&c->files, number);
}

/* Marks the function at an offset in a file. Without memory, the function has no name. */
static void mark(struct guest_code *c, uint32_t number, uint64_t offset)
{
    const struct functions *functions = &c->files.file[number].functions;
    const char *path = NULL;
    uint64_t address;
    const struct function *function = guest_files_find(&c->files, number, offset, &path, &address);

    if (!function || !path) {
        return;
    }
    if (!c->file[number].used) {
        c->file[number].used = calloc(functions->n, sizeof(bool));
    }
    if (c->file[number].used) {
        c->file[number].used[function - functions->function] = true;
    }
}

void guest_code_use(struct guest_code *c, const struct kept_maps *maps, uint64_t address)
{
    struct error ignored = {0};
    uint32_t number;

    for (size_t i = 0; c->given && i < maps->n; i++) {
        const struct kept_map *map = &maps->map[i];

        if (address < map->map.start || address >= map->map.end) {
            continue;
        }
        if (number_of(c, map, &number, &ignored) == 0 && c->file[number].given) {
            mark(c, number, address - map->map.start + map->map.offset);
        }
        return;
    }
}

size_t guest_code_symbols(const struct guest_code *c, struct filesymbols *to)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++) {
        const struct guest_file *file = &c->files.file[i];

        if (c->file[i].used && !c->file[i].others && !file->others) {
            to[n++] = (struct filesymbols){.path = file->name,
                                           .address = file->image.part[0].address,
                                           .offset = file->image.part[0].offset,
                                           .functions = &file->functions,
                                           .used = c->file[i].used};
        }
    }
    return n;
}

void guest_code_next(struct guest_code *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->file[i].used);
        c->file[i].used = NULL;
    }
}

void guest_code_free(struct guest_code *c)
{
    guest_code_next(c);
    free(c->file);
    guest_files_free(&c->files);
    *c = (struct guest_code){0};
}
