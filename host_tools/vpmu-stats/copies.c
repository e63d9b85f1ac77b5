/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of a guest's files, of which functions are read once one is asked for. */
#include "copies.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elffile.h"

/* In the tree: a file's name, and its number. */
struct number {
    const char *name;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct number *)a)->name, ((const struct number *)b)->name);
}

static int make_room(struct copies *copies, struct trouble *t)
{
    if (copies->n == copies->room) {
        size_t room = copies->room ? copies->room * 2 : 64;
        struct copy *copy = reallocarray(copies->copy, room, sizeof(*copy));

        if (!copy) {
            return trouble_memory(t);
        }
        copies->copy = copy;
        copies->room = room;
    }
    copies->copy[copies->n] = (struct copy){0};
    return 0;
}

static int add(struct copies *copies, const char *name, uint32_t *number, struct trouble *t)
{
    struct number *new = malloc(sizeof(*new));
    char *own = strdup(name);

    if (!new || !own || make_room(copies, t)) {
        free(new);
        free(own);
        return trouble_memory(t);
    }
    *new = (struct number){own, (uint32_t)copies->n};
    copies->copy[copies->n++].name = own;
    if (!tsearch(new, &copies->numbers, compare)) {
        free(new);
        return trouble_memory(t);
    }
    *number = new->number;
    return 0;
}

int copies_number(struct copies *copies, const char *name, const unsigned char *build_id,
                  size_t size, uint32_t *number, struct trouble *t)
{
    struct number **found = tfind(&(struct number){.name = name}, &copies->numbers, compare);

    if (found) {
        *number = (*found)->number;
    } else if (add(copies, name, number, t)) {
        return -1;
    }
    if (size && size <= IMAGE_BUILD_ID) {
        memcpy(copies->copy[*number].image.build_id, build_id, size);
        copies->copy[*number].image.build_id_size = size;
    }
    return 0;
}

/* The host's files are the guest's only if they can be told from others. */
static bool may_be(const struct copies *copies, const struct copy *copy)
{
    return copy->name[0] == '/' && !strstr(copy->name, "/../") &&
           (copies->symfs || copy->image.build_id_size);
}

/* As perf has it: one with another build ID, or none, is another file. */
static bool is_it(const struct copy *copy, const struct image *wanted)
{
    return !wanted->build_id_size ||
           (copy->image.build_id_size == wanted->build_id_size &&
            memcmp(copy->image.build_id, wanted->build_id, wanted->build_id_size) == 0);
}

static bool take(struct copy *copy, int fd)
{
    struct image wanted = copy->image;
    struct trouble ignored = {0};

    return image_take(&copy->image, fd, copy->name, &ignored) == 0 && is_it(copy, &wanted) &&
           elffile_take(&copy->functions, fd, copy->name, &ignored) == 0 &&
           functions_sort(&copy->functions, &ignored) == 0;
}

static void try(const struct copies *copies, struct copy *copy)
{
    struct trouble ignored = {0};
    int fd = may_be(copies, copy) ? image_open(copies->symfs, copy->name, &ignored) : -1;

    copy->tried = true;
    if (fd < 0) {
        return;
    }
    if (take(copy, fd)) {
        copy->path = image_path(fd);
    }
    if (!copy->path) {
        functions_free(&copy->functions);
    }
    close(fd);
}

/* Whole pages are in memory, whatever the file says that there is. */
#define PAGE 0x1000u

/* The part of the file that is loaded from there. */
static const struct image_part *part_of(const struct image *image, uint64_t offset)
{
    const struct image_part *found = NULL;

    for (size_t i = 0; i < image->parts; i++) {
        if (offset >= (image->part[i].offset & -(uint64_t)PAGE)) {
            found = &image->part[i];
        }
    }
    return found;
}

const struct function *copies_find(struct copies *copies, uint32_t number, uint64_t offset,
                                   const char **path, uint64_t *address)
{
    struct copy *copy = &copies->copy[number];
    const struct image_part *part;

    if (!copy->tried) {
        try(copies, copy);
    }
    part = copy->path ? part_of(&copy->image, offset) : NULL;
    if (!part) {
        return NULL;
    }
    *path = copy->path;
    *address = offset - part->offset + part->address;
    return functions_find(&copy->functions, *address);
}

void copies_free(struct copies *copies)
{
    tdestroy(copies->numbers, free);
    for (size_t i = 0; i < copies->n; i++) {
        free(copies->copy[i].name);
        free(copies->copy[i].path);
        functions_free(&copies->copy[i].functions);
    }
    free(copies->copy);
    *copies = (struct copies){0};
}
