/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/file-ids.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const struct file_ids *ids, const char *path, const unsigned char *byte,
                     size_t size)
{
    for (size_t i = 0; i < ids->n; i++) {
        const struct file_id *file = &ids->file[i];

        if (file->size == size && memcmp(file->byte, byte, size) == 0 &&
            strcmp(file->path, path) == 0) {
            return true;
        }
    }
    return false;
}

void file_ids_add(struct file_ids *ids, const char *path, const unsigned char *byte, size_t size)
{
    struct file_id new = {.size = size};

    if (!ids->file) {
        ids->file = calloc(FILE_IDS_MAX, sizeof(*ids->file));
    }
    if (!ids->file || ids->n == FILE_IDS_MAX || is_known(ids, path, byte, size)) {
        return;
    }
    memcpy(new.byte, byte, size);
    new.path = strdup(path);
    if (new.path) {
        ids->file[ids->n++] = new;
    }
}

void file_ids_free(struct file_ids *ids)
{
    for (size_t i = 0; i < ids->n; i++) {
        free(ids->file[i].path);
    }
    free(ids->file);
    *ids = (struct file_ids){0};
}
