/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BTF_H
#define VPMU_STATS_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Places that say which files a program has in memory, and where its registers are in its kernel.
 */
#define TASK_MAPS 20u
#define TASK_ENTRY 4u

/**
 * struct task_layout - where a Linux has what it knows of a thread, in its task_struct
 * @pid: bytes to the thread's number,
 * @tgid: to its process's,
 * @comm: to its name.
 * @maps: those of task_map_name(), if @has_maps: Linux 6.1 and later have all.
 * @entry: those of task_entry_name(), if @has_entry: arm64's have all.
 */
struct task_layout {
    uint32_t pid;
    uint32_t tgid;
    uint32_t comm;
    uint32_t maps[TASK_MAPS];
    bool has_maps;
    uint32_t entry[TASK_ENTRY];
    bool has_entry;
};

/** task_map_name() - what vpmu-record-start calls the place number @i; the same of the others */
const char *task_map_name(size_t i);
const char *task_entry_name(size_t i);

/**
 * btf_read() - reads a kernel's types (BTF)
 * @path: its vmlinux, or a copy of its /sys/kernel/btf/vmlinux.
 *
 * Return: 0, or -1: ERROR_USAGE if it cannot be read, or has no such types.
 */
int btf_read(struct task_layout *layout, const char *path, struct error *t);

/** btf_parse() - the same of types in memory; @name is what a person calls them */
int btf_parse(struct task_layout *layout, const void *types, size_t size, const char *name,
              struct error *t);

#endif
