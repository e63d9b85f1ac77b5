/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/tree.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1 January 2025, when the machine starts. gzip, for one, rejects files without a date. */
#define MACHINE_START 1735689600

const unsigned tree_start = MACHINE_START;

/* As the kernel has it. */
#define LINKS_MAX 40

/* The kernel of the machine fills these. */
static const char *const own[] = {"/proc", "/sys", "/dev", "/.vpmu-run"};

static const struct {
    const char *path;
    mode_t mode;
} directories[] = {
    {"/dev", 0755}, {"/proc", 0755}, {"/sys", 0755}, {"/tmp", 01777}, {"/.vpmu-run", 0755},
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* mark() - Return: 1 if @path is new, 0 if it is there already, or -1. */
static int mark(struct tree *t, const char *path, struct failure *f)
{
    char *copy = strdup(path);
    char **found = copy ? tsearch(copy, &t->seen, compare) : NULL;

    if (!found) {
        free(copy);
        return failure_memory(f);
    }
    if (*found != copy) {
        free(copy);
        return 0;
    }
    return 1;
}

/* is_in() - is @path equal to @directory, or in it? */
static bool is_in(const char *path, const char *directory)
{
    size_t n = strlen(directory);

    return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

bool tree_is_own(const char *path)
{
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (is_in(path, own[i])) {
            return true;
        }
    }
    return false;
}

const struct tree_bind *tree_bound(const struct tree *t, const char *path)
{
    const struct tree_bind *best = NULL;

    for (const struct tree_bind *b = t->binds; b < t->binds + t->n_binds; b++) {
        if (is_in(path, b->path) && (!best || strlen(b->path) >= strlen(best->path))) {
            best = b;
        }
    }
    return best;
}

/* host_path() - where this computer has the file */
static void host_path(const struct tree *t, const char *path, char *host, size_t size)
{
    const struct tree_bind *best = tree_bound(t, path);

    if (best) {
        snprintf(host, size, "%s%s", best->source, path + strlen(best->path));
    } else {
        snprintf(host, size, "%s%s", t->root, path);
    }
}

/* leads_to_bind() - is there something bound in the directory @path? */
static bool leads_to_bind(const struct tree *t, const char *path)
{
    for (size_t i = 0; i < t->n_binds; i++) {
        if (is_in(t->binds[i].path, path)) {
            return true;
        }
    }
    return false;
}

int tree_init(struct tree *t, struct archive *a, const char *root, struct failure *f)
{
    struct stat st = {0};

    t->archive = a;
    t->root = root;
    t->binds = NULL;
    t->n_binds = 0;
    t->seen = NULL;
    t->module = NULL;
    t->n_modules = 0;
    t->copying = t->dynamic = t->hollow = false;
    t->programs[0] = '\0';
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        st.st_mode = S_IFDIR | directories[i].mode;
        if (mark(t, directories[i].path, f) < 0 ||
            archive_add(a, directories[i].path, &st, NULL, 0, f) != 0) {
            return -1;
        }
    }
    return 0;
}

void tree_free(struct tree *t)
{
    tdestroy(t->seen, free);
    for (size_t i = 0; i < t->n_modules; i++) {
        free(t->module[i]);
    }
    free(t->module);
}

static int add(struct tree *t, const char *path, bool deep, int links, struct failure *f);

static int add_link(struct tree *t, const char *path, const char *host, const struct stat *st,
                    bool deep, int links, struct failure *f)
{
    char target[PATH_MAX], next[2 * PATH_MAX];
    ssize_t n = readlink(host, target, sizeof(target) - 1);

    if (n < 0) {
        return failure_set(f, FAILURE_RUN, "cannot read the link %s: %s", host, strerror(errno));
    }
    target[n] = '\0';
    if (archive_add(t->archive, path, st, target, (size_t)n, f) != 0) {
        return -1;
    }
    if (t->hollow) {
        return 0;
    }
    if (target[0] == '/') {
        return add(t, target, deep, links + 1, f);
    }
    snprintf(next, sizeof(next), "%.*s/%s", (int)(strrchr(path, '/') - path), path, target);
    return add(t, next, deep, links + 1, f);
}

/* note_module() - remembers an ELF file, which may need libraries */
static int note_module(struct tree *t, const char *path, int fd, struct failure *f)
{
    char start[SELFMAG], **more;

    if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start) ||
        memcmp(start, ELFMAG, SELFMAG) != 0) {
        return 0;
    }
    more = realloc(t->module, (t->n_modules + 1) * sizeof(*more));
    if (!more) {
        return failure_memory(f);
    }
    t->module = more;
    t->module[t->n_modules] = strdup(path);
    return t->module[t->n_modules++] ? 0 : failure_memory(f);
}

/* unreadable() - an error; of a file in a directory that is copied as a whole only a warning */
static int unreadable(const struct tree *t, const char *host, struct failure *f)
{
    failure_set(f, FAILURE_RUN, "cannot read %s: %s", host, strerror(errno));
    if (!t->copying) {
        return -1;
    }
    fprintf(stderr, "vpmu-run: warning: %s; it is left out\n", f->text);
    *f = (struct failure){0};
    return 0;
}

static int add_file(struct tree *t, const char *path, const char *host, const struct stat *st,
                    struct failure *f)
{
    int fd = open(host, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int err;

    if (fd < 0) {
        return unreadable(t, host, f);
    }
    err = archive_add_file(t->archive, path, st, fd, f) != 0 || note_module(t, path, fd, f) != 0
              ? -1
              : 0;
    close(fd);
    return err;
}

static int add_entries(struct tree *t, const char *path, const char *host, struct failure *f)
{
    struct dirent **names = NULL;
    char whole[2 * PATH_MAX];
    bool copying = t->copying;
    int err, n;

    /* The key of a directory that is there with all that is in it. */
    snprintf(whole, sizeof(whole), "%s/", path);
    err = mark(t, whole, f);
    if (err <= 0) {
        return err;
    }
    err = 0;
    n = scandir(host, &names, NULL, alphasort);
    if (n < 0) {
        return unreadable(t, host, f);
    }
    t->copying = true;
    for (int i = 0; i < n; i++) {
        char next[2 * PATH_MAX];

        if (!err && strcmp(names[i]->d_name, ".") != 0 && strcmp(names[i]->d_name, "..") != 0) {
            snprintf(next, sizeof(next), "%s/%s", strcmp(path, "/") == 0 ? "" : path,
                     names[i]->d_name);
            err = add(t, next, true, 0, f);
        }
        free(names[i]);
    }
    free(names);
    t->copying = copying;
    return err;
}

/*
 * add_last() - adds the last component of @path; what is above it is there already
 * @is_link: whether it is a symbolic link.
 */
static int add_last(struct tree *t, const char *path, bool deep, int links, bool *is_link,
                    struct failure *f)
{
    char host[3 * PATH_MAX];
    struct stat st;
    int fresh;

    *is_link = false;
    if (tree_is_own(path)) {
        return 0;
    }
    host_path(t, path, host, sizeof(host));
    if (lstat(host, &st) != 0 && leads_to_bind(t, path)) {
        st = (struct stat){.st_mode = S_IFDIR | 0755, .st_mtime = MACHINE_START};
    } else if (lstat(host, &st) != 0) {
        /* A dangling link is copied as it is. */
        return links > 0 ? 0
                         : failure_set(f, FAILURE_RUN, "cannot copy %s: %s", path, strerror(errno));
    }
    fresh = mark(t, path, f);
    if (fresh < 0) {
        return -1;
    }
    if (S_ISLNK(st.st_mode)) {
        *is_link = true;
        return fresh ? add_link(t, path, host, &st, deep, links, f) : 0;
    }
    if (fresh && S_ISREG(st.st_mode) && t->hollow) {
        return archive_add_hollow(t->archive, path, &st, f);
    }
    if (fresh && S_ISREG(st.st_mode)) {
        return add_file(t, path, host, &st, f);
    }
    if (fresh && S_ISDIR(st.st_mode) && archive_add(t->archive, path, &st, NULL, 0, f) != 0) {
        return -1;
    }
    return deep && S_ISDIR(st.st_mode) ? add_entries(t, path, host, f) : 0;
}

/* follow() - makes @path, which is a link on the way to @rest, the path behind it */
static int follow(struct tree *t, const char *path, const char *rest, char *to, size_t size,
                  struct failure *f)
{
    char host[3 * PATH_MAX], target[PATH_MAX];
    ssize_t n;

    host_path(t, path, host, sizeof(host));
    n = readlink(host, target, sizeof(target) - 1);
    if (n < 0) {
        return failure_set(f, FAILURE_RUN, "cannot read the link %s: %s", host, strerror(errno));
    }
    target[n] = '\0';
    if (target[0] == '/') {
        snprintf(to, size, "%s/%s", target, rest);
    } else {
        snprintf(to, size, "%.*s/%s/%s", (int)(strrchr(path, '/') - path), path, target, rest);
    }
    return 0;
}

/* add_whole() - adds all that is in a directory, which is there already; "" is the root */
static int add_whole(struct tree *t, const char *path, struct failure *f)
{
    char host[3 * PATH_MAX];

    if (!path[0]) {
        return add_entries(t, "/", t->root[0] ? t->root : "/", f);
    }
    host_path(t, path, host, sizeof(host));
    return tree_is_own(path) ? 0 : add_entries(t, path, host, f);
}

/* pop() - removes the last component */
static void pop(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash) {
        *slash = '\0';
    }
}

static int add(struct tree *t, const char *path, bool deep, int links, struct failure *f)
{
    char done[2 * PATH_MAX] = "", next[4 * PATH_MAX];
    const char *at = path;
    bool dots = false;

    if (links > LINKS_MAX) {
        return failure_set(f, FAILURE_RUN, "cannot copy %s: %s", path, strerror(ELOOP));
    }
    for (;;) {
        size_t n;
        bool last, link;

        at += strspn(at, "/");
        n = strcspn(at, "/");
        if (n == 0) {
            /* The root, or a path that ends in "." or ".."; of others, all of it is there. */
            return deep && (!done[0] || dots) ? add_whole(t, done, f) : 0;
        }
        dots = (n == 1 || n == 2) && strspn(at, ".") >= n;
        last = at[n + strspn(at + n, "/")] == '\0';
        if (n == 2 && strncmp(at, "..", 2) == 0) {
            pop(done);
        } else if (!(n == 1 && at[0] == '.')) {
            if (strlen(done) + n + 2 > sizeof(done)) {
                return failure_set(f, FAILURE_RUN, "cannot copy %s: %s", path,
                                   strerror(ENAMETOOLONG));
            }
            snprintf(done + strlen(done), sizeof(done) - strlen(done), "/%.*s", (int)n, at);
            if (add_last(t, done, last && deep, links, &link, f) != 0) {
                return -1;
            }
            if (link && !last) {
                return follow(t, done, at + n, next, sizeof(next), f) != 0
                           ? -1
                           : add(t, next, deep, links + 1, f);
            }
        }
        at += n;
    }
}

int tree_add(struct tree *t, const char *path, struct failure *f)
{
    return add(t, path, true, 0, f);
}

int tree_add_directory(struct tree *t, const char *path, struct failure *f)
{
    return add(t, path, false, 0, f);
}

int tree_add_name(struct tree *t, const char *path, struct failure *f)
{
    int err;

    t->hollow = true;
    err = add(t, path, false, 0, f);
    t->hollow = false;
    return err;
}

int tree_add_data(struct tree *t, const char *path, unsigned mode, const void *data, size_t size,
                  struct failure *f)
{
    const struct stat st = {.st_mode = S_IFREG | mode};

    return archive_add(t->archive, path, &st, data, size, f);
}

int tree_add_new(struct tree *t, const char *path, unsigned mode, const void *data, size_t size,
                 struct failure *f)
{
    char above[PATH_MAX];
    int fresh;

    snprintf(above, sizeof(above), "%.*s", (int)(strrchr(path, '/') - path), path);
    fresh = tree_add_directory(t, above, f) != 0 ? -1 : mark(t, path, f);
    return fresh > 0 ? tree_add_data(t, path, mode, data, size, f) : fresh;
}

const char tree_path[] = "/usr/local/bin:/usr/bin:/bin";

/* lists() - is the directory, of @n bytes, in the list? */
static bool lists(const char *list, const char *directory, size_t n)
{
    while (*list) {
        size_t length = strcspn(list, ":");

        if (length == n && strncmp(list, directory, n) == 0) {
            return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

void tree_note_program(struct tree *t, const char *path)
{
    size_t n = (size_t)(strrchr(path, '/') - path), used = strlen(t->programs);

    if (!lists(tree_path, path, n) && !lists(t->programs, path, n) &&
        used + n + 2 < sizeof(t->programs)) {
        snprintf(t->programs + used, sizeof(t->programs) - used, "%.*s:", (int)n, path);
    }
}

int tree_add_open(struct tree *t, const char *path, int fd, struct failure *f)
{
    struct stat st;

    if (fstat(fd, &st) != 0) {
        return failure_set(f, FAILURE_RUN, "cannot read %s: %s", path, strerror(errno));
    }
    st.st_uid = st.st_gid = 0;
    st.st_mode = S_IFREG | 0644;
    st.st_mtime = MACHINE_START;
    return archive_add_file(t->archive, path, &st, fd, f);
}
