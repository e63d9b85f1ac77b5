/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DEBUG_FILE_H
#define VPMU_STATS_DEBUG_FILE_H

/**
 * struct debug_dirs - where files with debug information are
 * @symfs: a directory with copies of the guest's files, or NULL. Its usr/lib/debug is searched
 *     before /usr/lib/debug of the host.
 * @dir: a directory like /usr/lib/debug that is searched first, or NULL.
 */
struct debug_dirs {
    const char *symfs;
    const char *dir;
};

/**
 * debug_file_open() - open the file that has what was stripped from an ELF file
 * @dirs: where to look.
 * @fd: the stripped file.
 * @name: its path; relative to @dirs->symfs if that is not NULL.
 *
 * As gdb and perf do, looks for the build ID in .build-id below the directories, and for the name
 * in .gnu_debuglink beside the file, in .debug beside it, and below the directories. The file must
 * have the same build ID. If the stripped file has none, it must have the CRC in .gnu_debuglink.
 *
 * Return: the descriptor; -1 if there is no such file.
 */
int debug_file_open(const struct debug_dirs *dirs, int fd, const char *name);

#endif
