/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/guest-code.h"

#include <stdlib.h>
#include <string.h>

int guest_code_give(struct guest_code *c, const char *name, const void *contents, size_t size,
                    struct error *t)
{
    bool **used;

    if (guest_files_give(&c->files, name, contents, size, t)) {
        return -1;
    }
    used = reallocarray(c->used, c->files.n, sizeof(*used));
    if (!used) {
        return error_memory(t);
    }
    memset(used + c->n, 0, (c->files.n - c->n) * sizeof(*used));
    c->used = used;
    c->n = c->files.n;
    c->given++;
    return 0;
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
    if (!c->used[number]) {
        c->used[number] = calloc(functions->n, sizeof(bool));
    }
    if (c->used[number]) {
        c->used[number][function - functions->function] = true;
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
        if (guest_files_number(&c->files, map->path, NULL, 0, &number, &ignored) == 0 &&
            number < c->n && c->files.file[number].given) {
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

        if (c->used[i]) {
            to[n++] = (struct filesymbols){.path = file->name,
                                           .address = file->image.part[0].address,
                                           .offset = file->image.part[0].offset,
                                           .functions = &file->functions,
                                           .used = c->used[i]};
        }
    }
    return n;
}

void guest_code_next(struct guest_code *c)
{
    for (size_t i = 0; i < c->n; i++) {
        free(c->used[i]);
        c->used[i] = NULL;
    }
}

void guest_code_free(struct guest_code *c)
{
    guest_code_next(c);
    free(c->used);
    guest_files_free(&c->files);
    *c = (struct guest_code){0};
}
