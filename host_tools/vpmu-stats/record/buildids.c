/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Build IDs of a guest's files. The guest's memory holds a build ID only where a process has read
 * the beginning of the file. So it may be known for some processes that run a program and not for
 * others.
 */
#include "record/buildids.h"

#include <string.h>

#include "base/hash.h"

/* Tests whether a path is absolute and has no component "..". */
static bool is_plain(const char *path)
{
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
        if (strncmp(at, "/../", 4) == 0 || strcmp(at, "/..") == 0) {
            return false;
        }
    }
    return path[0] == '/';
}

/* Reads the build ID from the copy of the file in @symfs, if there is one. */
static struct buildid look(const char *symfs, const char *path)
{
    struct error ignored = {0};
    struct buildid id = {.size = 0};
    struct image image;

    if (is_plain(path) && image_read(&image, symfs, path, &ignored) == 0) {
        memcpy(id.byte, image.build_id, image.build_id_size);
        id.size = image.build_id_size;
    }
    return id;
}

static uint64_t what_of(const char *path, uint64_t file)
{
    return hash_more(hash_more(HASH_SEED, &file, sizeof(file)), path, strlen(path));
}

bool buildids_has(const struct buildids *b, const char *path, uint64_t file)
{
    uint64_t what = what_of(path, file);
    size_t at = hash_slot(what, BUILDIDS_SLOTS);

    return b->slot[at].used && b->slot[at].what == what;
}

const struct buildid *buildids_find(struct buildids *b, const char *path, uint64_t file,
                                    const struct buildid *seen)
{
    uint64_t what = what_of(path, file);
    size_t at = hash_slot(what, BUILDIDS_SLOTS);
    bool is_known = buildids_has(b, path, file);

    if (!is_known) {
        b->slot[at].id = b->symfs && !seen->size ? look(b->symfs, path) : *seen;
    } else if (seen->size) {
        b->slot[at].id = *seen;
    }
    b->slot[at].used = true;
    b->slot[at].what = what;
    return &b->slot[at].id;
}
