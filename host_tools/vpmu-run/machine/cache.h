/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory that keeps states of machines: ~/.cache/vpmu/run. */
#ifndef VPMU_RUN_CACHE_H
#define VPMU_RUN_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* So many states are kept; the ones that have not been used for the longest time are removed. */
#define CACHE_STATES_MAX 4u

/* So many lists of files are kept; then all are removed. */
#define CACHE_FILES_MAX 1000u

/**
 * struct cache_entry - a file of the cache
 * @size: bytes on the disk.
 * @used: when a run continued from it last.
 */
struct cache_entry {
    char path[PATH_MAX];
    off_t size;
    time_t used;
};

/** cache_root() - the directory of everything that vpmu keeps. Return: NULL if there is none. */
const char *cache_root(void);

/** cache_open() - opens a state. Return: a descriptor that an emulator inherits, or -1. */
int cache_open(const char *name);

/** cache_discard() - removes a state */
void cache_discard(const char *name);

/**
 * cache_keep() - copies a state into the cache and removes old ones
 * The file appears as a whole. If that fails, the next run makes the state again.
 */
void cache_keep(int state, const char *name);

/**
 * cache_list() - the states in the cache, the one that was used last first
 * @entries: freed by the caller.
 *
 * Return: how many.
 */
size_t cache_list(struct cache_entry **entries);

/** cache_files_path() - where the list of a command's files is kept; "" if nowhere. @path: PATH_MAX
 */
void cache_files_path(uint64_t key, char *path);

/** cache_files_make() - makes the directory of these lists, and removes lists if there are many */
bool cache_files_make(void);

/** cache_files_clean() - removes the lists */
void cache_files_clean(void);

/** cache_remove_abandoned() - removes files that killed processes have left half written */
void cache_remove_abandoned(void);

#endif
