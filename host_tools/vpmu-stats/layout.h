/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LAYOUT_H
#define VPMU_STATS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trouble.h"

/* Places that say which files a program has in memory, and where its registers are in its kernel.
 */
#define LAYOUT_MAPS 20u
#define LAYOUT_ENTRY 4u

/**
 * struct layout - where a Linux has what it knows of a thread, in its task_struct
 * @pid: bytes to the thread's number,
 * @tgid: to its process's,
 * @comm: to its name.
 * @maps: those of layout_map_name(), if @has_maps: Linux 6.1 and later have all.
 * @entry: those of layout_entry_name(), if @has_entry: arm64's have all.
 */
struct layout {
    uint32_t pid;
    uint32_t tgid;
    uint32_t comm;
    uint32_t maps[LAYOUT_MAPS];
    bool has_maps;
    uint32_t entry[LAYOUT_ENTRY];
    bool has_entry;
};

/** layout_map_name() - what vpmu-record-start calls the place number @i; the same of the others */
const char *layout_map_name(size_t i);
const char *layout_entry_name(size_t i);

/**
 * layout_read() - reads a kernel's types (BTF)
 * @path: its vmlinux, or a copy of its /sys/kernel/btf/vmlinux.
 *
 * Return: 0, or -1: TROUBLE_USAGE if it cannot be read, or has no such types.
 */
int layout_read(struct layout *layout, const char *path, struct trouble *t);

/** layout_parse() - the same of types in memory; @name is what a person calls them */
int layout_parse(struct layout *layout, const void *types, size_t size, const char *name,
                 struct trouble *t);

#endif
