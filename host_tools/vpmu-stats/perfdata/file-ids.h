/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FILE_IDS_H
#define VPMU_STATS_FILE_IDS_H

#include <stddef.h>

#define FILE_ID_SIZE 20u

/* The guest chooses how many files there are. */
#define FILE_IDS_MAX 1024u

/** struct file_id - a file and its build ID of @size bytes */
struct file_id {
    char *path;
    unsigned char byte[FILE_ID_SIZE];
    size_t size;
};

/** struct file_ids - files whose build IDs are known; 0 at first */
struct file_ids {
    struct file_id *file;
    size_t n;
};

/**
 * file_ids_add() - remember a file, unless it is known or there are FILE_IDS_MAX of them
 * @size: bytes of @byte, 1 to FILE_ID_SIZE. Nothing is added if there is no memory.
 */
void file_ids_add(struct file_ids *ids, const char *path, const unsigned char *byte, size_t size);

void file_ids_free(struct file_ids *ids);

#endif
