/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/root.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the kernel has it. */
#define LINKS_MAX 40

/* struct walk - @host: @top bytes of the root, and where the walk is; @rest: what is still to go */
struct walk {
    char *host, rest[PATH_MAX];
    size_t top;
    unsigned links;
};

static int fail(int error)
{
    errno = error;
    return -1;
}

static void leave(struct walk *w)
{
    char *slash = strrchr(w->host + w->top, '/');

    if (slash) {
        *slash = '\0';
    }
}

/* follow() - @w->host is a link: @w->rest becomes its target, and what followed the link */
static int follow(struct walk *w)
{
    char target[PATH_MAX], whole[2 * PATH_MAX];
    ssize_t n = readlink(w->host, target, sizeof(target) - 1);

    if (n <= 0) {
        return -1;
    }
    if (++w->links > LINKS_MAX) {
        return fail(ELOOP);
    }
    target[n] = '\0';
    snprintf(whole, sizeof(whole), "%s/%s", target, w->rest);
    if (strlen(whole) >= sizeof(w->rest)) {
        return fail(ENAMETOOLONG);
    }
    strcpy(w->rest, whole);
    leave(w);
    if (target[0] == '/') {
        w->host[w->top] = '\0';
    }
    return 0;
}

/* enter() - goes to a name in the directory @w->host */
static int enter(struct walk *w, const char *name, size_t n)
{
    size_t used = strlen(w->host);
    struct stat st;

    if (used + n + 2 > PATH_MAX) {
        return fail(ENAMETOOLONG);
    }
    snprintf(w->host + used, PATH_MAX - used, "/%.*s", (int)n, name);
    return lstat(w->host, &st) != 0 ? -1 : S_ISLNK(st.st_mode);
}

/* step() - one component of @w->rest. Return: 1 at the end, 0, or -1 with errno. */
static int step(struct walk *w)
{
    size_t start = strspn(w->rest, "/"), n = strcspn(w->rest + start, "/");
    char name[PATH_MAX];
    struct stat st;
    int link;

    if (n == 0) {
        return 1;
    }
    memcpy(name, w->rest + start, n);
    name[n] = '\0';
    memmove(w->rest, w->rest + start + n, strlen(w->rest + start + n) + 1);
    /* What has something behind it, at least a slash, is a directory. */
    if (stat(w->host[0] ? w->host : "/", &st) != 0 || !S_ISDIR(st.st_mode)) {
        return fail(ENOTDIR);
    }
    if (strcmp(name, "..") == 0) {
        leave(w);
        return 0;
    }
    link = strcmp(name, ".") == 0 ? 0 : enter(w, name, n);
    return link > 0 ? follow(w) : link;
}

/* openat2() would do it, but only from Linux 5.6 on. */
int root_resolve(const char *root, const char *path, char *host)
{
    struct walk w = {.host = host};
    int done;

    if (strlen(path) >= sizeof(w.rest)) {
        return fail(ENAMETOOLONG);
    }
    if (!root[0]) {
        snprintf(host, PATH_MAX, "%s", path);
        return 0;
    }
    if (!path[0]) {
        return fail(ENOENT);
    }
    if (!realpath(root, host)) {
        return -1;
    }
    if (strcmp(host, "/") == 0) {
        host[0] = '\0';
    }
    w.top = strlen(host);
    strcpy(w.rest, path);
    do {
        done = step(&w);
    } while (done == 0);
    if (done > 0 && !host[0]) {
        strcpy(host, "/");
    }
    return done < 0 ? -1 : 0;
}
