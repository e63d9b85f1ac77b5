/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/file-ids.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int differ(const void *a, const void *b)
{
    const struct file_id *left = a;
    const struct file_id *right = b;

    return left->size != right->size || memcmp(left->byte, right->byte, left->size) != 0 ||
           strcmp(left->path, right->path) != 0;
}

void file_ids_add(struct file_ids *ids, const char *path, const unsigned char *byte, size_t size)
{
    struct file_id new = {.path = (char *)(uintptr_t)path, .size = size};

    memcpy(new.byte, byte, size);
    if (!ids->file) {
        ids->file = calloc(FILE_IDS_MAX, sizeof(*ids->file));
    }
    if (!ids->file || ids->n == FILE_IDS_MAX ||
        lfind(&new, ids->file, &ids->n, sizeof(new), differ)) {
        return;
    }
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
