/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int root_resolve(const char *root, const char *path, char *host)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    char link[64];
    ssize_t n = -1;
    int top, fd, error;

    if (!root[0]) {
        snprintf(host, PATH_MAX, "%s", path);
        return 0;
    }
    top = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fd = top < 0 ? -1 : (int)syscall(SYS_openat2, top, path, &how, sizeof(how));
    error = errno;
    if (fd >= 0) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, host, PATH_MAX - 1);
        error = errno;
        close(fd);
    }
    if (top >= 0) {
        close(top);
    }
    host[n < 0 ? 0 : n] = '\0';
    errno = error;
    return n < 0 ? -1 : 0;
}
