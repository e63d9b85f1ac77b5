/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookups.h"

#include <sys/syscall.h>

/* Newer than the headers of Debian 12. The number is the same for all architectures. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

const struct lookup lookups[] = {
    {SYS_openat, 0, 1, 2, LOOKUP_OPEN},
    {SYS_openat2, 0, 1, 0, LOOKUP_READ},
    {SYS_execve, -1, 0, 0, LOOKUP_EXECUTE},
    {SYS_execveat, 0, 1, 0, LOOKUP_EXECUTE},
    {SYS_newfstatat, 0, 1, 0, LOOKUP_NAME},
    {SYS_statx, 0, 1, 0, LOOKUP_NAME},
    {SYS_faccessat, 0, 1, 0, LOOKUP_NAME},
    {SYS_faccessat2, 0, 1, 0, LOOKUP_NAME},
    {SYS_readlinkat, 0, 1, 0, LOOKUP_NAME},
    {SYS_fchmodat, 0, 1, 0, LOOKUP_NAME},
    {SYS_fchmodat2, 0, 1, 0, LOOKUP_NAME},
    {SYS_fchownat, 0, 1, 0, LOOKUP_NAME},
    {SYS_utimensat, 0, 1, 0, LOOKUP_NAME},
    {SYS_mkdirat, 0, 1, 0, LOOKUP_NAME},
    {SYS_mknodat, 0, 1, 0, LOOKUP_PARENT},
    {SYS_unlinkat, 0, 1, 0, LOOKUP_REMOVED},
#ifdef SYS_renameat
    {SYS_renameat, 0, 1, 0, LOOKUP_MOVED},
    {SYS_renameat, 2, 3, 0, LOOKUP_PARENT},
#endif
    {SYS_renameat2, 0, 1, 0, LOOKUP_MOVED},
    {SYS_renameat2, 2, 3, 0, LOOKUP_PARENT},
    {SYS_linkat, 0, 1, 0, LOOKUP_READ},
    {SYS_linkat, 2, 3, 0, LOOKUP_NAME},
    {SYS_symlinkat, 1, 2, 0, LOOKUP_NAME},
    {SYS_chdir, -1, 0, 0, LOOKUP_NAME},
    {SYS_chroot, -1, 0, 0, LOOKUP_NAME},
    {SYS_truncate, -1, 0, 0, LOOKUP_READ},
    {SYS_statfs, -1, 0, 0, LOOKUP_NAME},
    {SYS_getxattr, -1, 0, 0, LOOKUP_NAME},
    {SYS_lgetxattr, -1, 0, 0, LOOKUP_NAME},
    {SYS_listxattr, -1, 0, 0, LOOKUP_NAME},
    {SYS_llistxattr, -1, 0, 0, LOOKUP_NAME},
    {SYS_setxattr, -1, 0, 0, LOOKUP_NAME},
    {SYS_inotify_add_watch, -1, 1, 0, LOOKUP_NAME},
    {SYS_name_to_handle_at, 0, 1, 0, LOOKUP_READ},
#ifdef __x86_64__
    {SYS_open, -1, 0, 1, LOOKUP_OPEN},
    {SYS_creat, -1, 0, 0, LOOKUP_REPLACED},
    {SYS_stat, -1, 0, 0, LOOKUP_NAME},
    {SYS_lstat, -1, 0, 0, LOOKUP_NAME},
    {SYS_access, -1, 0, 0, LOOKUP_NAME},
    {SYS_readlink, -1, 0, 0, LOOKUP_NAME},
    {SYS_chmod, -1, 0, 0, LOOKUP_NAME},
    {SYS_chown, -1, 0, 0, LOOKUP_NAME},
    {SYS_lchown, -1, 0, 0, LOOKUP_NAME},
    {SYS_utime, -1, 0, 0, LOOKUP_NAME},
    {SYS_utimes, -1, 0, 0, LOOKUP_NAME},
    {SYS_futimesat, 0, 1, 0, LOOKUP_NAME},
    {SYS_mkdir, -1, 0, 0, LOOKUP_NAME},
    {SYS_mknod, -1, 0, 0, LOOKUP_PARENT},
    {SYS_rmdir, -1, 0, 0, LOOKUP_REMOVED},
    {SYS_unlink, -1, 0, 0, LOOKUP_REMOVED},
    {SYS_rename, -1, 0, 0, LOOKUP_MOVED},
    {SYS_rename, -1, 1, 0, LOOKUP_PARENT},
    {SYS_link, -1, 0, 0, LOOKUP_READ},
    {SYS_link, -1, 1, 0, LOOKUP_NAME},
    {SYS_symlink, -1, 1, 0, LOOKUP_NAME},
#endif
};

const size_t lookups_n = sizeof(lookups) / sizeof(lookups[0]);

_Static_assert(sizeof(lookups) / sizeof(lookups[0]) <= LOOKUPS_MAX, "the filter has this size");
