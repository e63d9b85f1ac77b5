/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol.h"

static const char *const modules[] = {RUN_MODULES, RUN_NET_MODULES};
static const char *const net_modules[] = {RUN_NET_MODULES};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *directory, *suffix;
} variants[MODULES_VARIANTS] = {
    {"/lib", ""}, {"/lib", ".xz"}, {"/usr/lib", ""}, {"/usr/lib", ".xz"}};

void modules_path(const char *kernel, const char *name, unsigned variant, char *path, size_t size)
{
    static const char before[] = "/boot/vmlinuz-";
    const char *file = strrchr(kernel, '/');
    size_t directory = file ? (size_t)(file - kernel) : 0;
    int n = 0;

    path[0] = '\0';
    if (directory < strlen("/boot") ||
        strncmp(file - strlen("/boot"), before, strlen(before)) != 0) {
        return;
    }
    directory -= strlen("/boot");
    n = snprintf(path, size, "%.*s%s/modules/%s/kernel/%s.ko%s", (int)directory, kernel,
                 variants[variant].directory, file + strlen("/vmlinuz-"), name,
                 variants[variant].suffix);
    if (n < 0 || (size_t)n >= size) {
        path[0] = '\0';
    }
}

static int pack(const char *kernel, const char *name, struct archive *a, struct failure *f)
{
    const char *slash = strrchr(name, '/');
    struct stat st;
    char path[PATH_MAX] = "", to[PATH_MAX];
    int fd = -1, err;

    for (unsigned i = 0; fd < 0 && i < MODULES_VARIANTS; i++) {
        modules_path(kernel, name, i, path, sizeof(path));
        fd = path[0] ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    }
    if (fd < 0) {
        return 0;
    }
    snprintf(to, sizeof(to), RUN_DIRECTORY "/%s.ko", slash + 1);
    if (fstat(fd, &st) != 0) {
        err = failure_set(f, FAILURE_RUN, "cannot read %s: %s", path, strerror(errno));
    } else {
        err = archive_add_file(a, to, &st, fd, f);
    }
    close(fd);
    return err;
}

int modules_pack(const char *kernel, bool net, struct archive *a, struct failure *f)
{
    size_t n = COUNT(modules) - (net ? 0 : COUNT(net_modules));
    char real[PATH_MAX];
    int err = 0;

    /* /vmlinuz is a link to the newest kernel, for example. */
    if (!realpath(kernel, real)) {
        return 0;
    }
    for (size_t i = 0; !err && i < n; i++) {
        err = pack(real, modules[i], a, f);
    }
    return err;
}
