/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a command looks for, besides those that it names: a list that is kept. */
#ifndef VPMU_RUN_LEARNED_H
#define VPMU_RUN_LEARNED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "files/job.h"
#include "files/tree.h"

/* The content of all files together, in bytes, and the number of paths. */
#define LEARNED_BYTES_MAX (256ull << 20)
#define LEARNED_PATHS_MAX 200000u

/** enum learned_kind - what the program needs of a path, in the order of the list */
enum learned_kind {
    LEARNED_FILE,   /* the content of a file */
    LEARNED_NAMES,  /* the names in a directory */
    LEARNED_NAME,   /* only its name, size, owner and date */
    LEARNED_ABSENT, /* there was no such file */
    LEARNED_KINDS
};

/**
 * struct learned - the list
 * @entry: @n of them.
 * @seen: the same, to search (tsearch()).
 * @verified: the hash of the archive with which the program found all; 0 if there is none.
 */
struct learned {
    struct learned_entry {
        enum learned_kind kind;
        char *path;
    } * *entry;
    size_t n;
    void *seen;
    uint64_t verified;
};

/** learned_linker_cache - the cache of the dynamic linker */
extern const char learned_linker_cache[];

/** learned_read() - reads a list. It is empty if there is no file. Return: 0, or -1 with an error.
 */
int learned_read(struct learned *l, const char *file, struct failure *f);

/** learned_write() - writes the list in order; the file appears as a whole */
int learned_write(const struct learned *l, const char *file, struct failure *f);

/** learned_print() - writes what is copied, in order */
void learned_print(const struct learned *l, FILE *to);

void learned_free(struct learned *l);

bool learned_has(const struct learned *l, enum learned_kind kind, const char *path);

/** learned_add() - Return: 0, or -1 with an error. */
int learned_add(struct learned *l, enum learned_kind kind, const char *path, struct failure *f);

/**
 * learned_settle() - removes the cache of the dynamic linker, unless a library needs it
 * The cache depends on all that is installed on this computer.
 */
void learned_settle(struct learned *l);

/** learned_forget_absent() - removes what was not there */
void learned_forget_absent(struct learned *l);

/** learned_absent_exists() - is there a file now that was not there? */
bool learned_absent_exists(const struct learned *l, const struct job *job);

/**
 * learned_look() - may a file be copied that nobody named, and is it there?
 * Files, directories and links may, but not what the machine's kernel fills, nor dot files of HOME
 * unless a word of the command names them.
 * @host: where it is on this computer, of PATH_MAX bytes.
 */
bool learned_look(const struct job *job, const char *path, char *host, struct stat *st);

/** learned_pack() - adds the files to the machine's. Those that are gone are left out. */
int learned_pack(const struct learned *l, const struct job *job, struct tree *t, struct failure *f);

#endif
