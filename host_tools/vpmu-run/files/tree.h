/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's files: those of this computer, at the same paths unless they are bound to others.
 */
#ifndef VPMU_RUN_TREE_H
#define VPMU_RUN_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "files/archive.h"

/**
 * struct tree_bind - a file or directory of this computer that has another path in the machine
 * @source: absolute, without links.
 * @path: there; absolute, without "." and "..", and without "/" at its end.
 */
struct tree_bind {
    char *source, *path;
};

/**
 * struct tree - what the machine's file system contains
 * @root: directory of this computer that is "/" there; "" for this computer's own.
 * @binds: @n_binds of them; of those that contain a path, the one with the longest path counts.
 * @seen: paths that are in the archive already (tsearch()).
 * @module: @n_modules ELF files that are in it.
 * @programs: directories, besides those of the machine's PATH, where programs were found; separated
 *     by colons.
 * @library_path: LD_LIBRARY_PATH of the program, or NULL.
 * @dynamic: a program has a dynamic linker.
 * @hollow: files are added without their content, and links without what they point to.
 * @copying: a directory with all that is in it is being added, so what cannot be read is left out.
 */
struct tree {
    struct archive *archive;
    const char *root;
    const struct tree_bind *binds;
    size_t n_binds;
    void *seen;
    char **module;
    size_t n_modules;
    char programs[2048];
    const char *library_path;
    bool dynamic, copying, hollow;
};

/** tree_init() - adds the directories that each machine has. tree_free() is needed either way. */
int tree_init(struct tree *t, struct archive *a, const char *root, struct failure *f);
void tree_free(struct tree *t);

/**
 * tree_add() - adds a file, with its directories and with what links on the way point to
 * @path: absolute. A directory is added with all that is in it. What the machine has itself, such
 * as files in /proc, is left out.
 */
int tree_add(struct tree *t, const char *path, struct failure *f);

/** tree_bound() - the bind that gives a file this path; NULL if there is none */
const struct tree_bind *tree_bound(const struct tree *t, const char *path);

/** tree_is_own() - does the kernel of the machine fill this directory, such as /proc? */
bool tree_is_own(const char *path);

/** tree_add_directory() - adds only the directory */
int tree_add_directory(struct tree *t, const char *path, struct failure *f);

/** tree_add_name() - adds a file without its content, and a directory without what is in it */
int tree_add_name(struct tree *t, const char *path, struct failure *f);

/** tree_add_data() - adds a file with this content */
int tree_add_data(struct tree *t, const char *path, unsigned mode, const void *data, size_t size,
                  struct failure *f);

/** tree_add_new() - the same, with its directory, unless the tree has the file already */
int tree_add_new(struct tree *t, const char *path, unsigned mode, const void *data, size_t size,
                 struct failure *f);

/** tree_note_program() - notes the directory of a program that another one finds by its name */
void tree_note_program(struct tree *t, const char *path);

/** tree_start - the date that the machine has unless files are newer, in seconds since 1970 */
extern const unsigned tree_start;

/** tree_path - the directories that the machine's PATH has */
extern const char tree_path[];

/** tree_add_open() - adds a file with the content of @fd */
int tree_add_open(struct tree *t, const char *path, int fd, struct failure *f);

#endif
