/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls that look for a file by its path. */
#ifndef VPMU_RUN_GUEST_LOOKUPS_H
#define VPMU_RUN_GUEST_LOOKUPS_H

#include <stddef.h>
#include <stdint.h>

#define LOOKUPS_MAX 96

/** enum lookup_kind - what a system call needs of a file */
enum lookup_kind {
    LOOKUP_PARENT,    /* only its directory: the file is made */
    LOOKUP_REPLACED,  /* only its directory: the file is made, or loses its content */
    LOOKUP_TRUNCATED, /* its name: it loses its content */
    LOOKUP_NAME,      /* its name, size, owner and date */
    LOOKUP_READ,      /* its content, or the names in it */
    LOOKUP_EXECUTE,   /* its content, and its interpreter */
    LOOKUP_REMOVED,   /* its name: it is gone afterwards */
    LOOKUP_MOVED,     /* its content: it is gone afterwards */
    LOOKUP_OPEN,      /* one of those above: the flags say which */
};

/**
 * struct lookup - one path of a system call
 * @directory, @path, @flags: numbers of arguments. @directory is -1 for the working directory.
 */
struct lookup {
    unsigned number;
    int8_t directory, path, flags;
    enum lookup_kind kind;
};

/** lookups - @lookups_n of them; a system call with two paths has two */
extern const struct lookup lookups[];
extern const size_t lookups_n;

#endif
