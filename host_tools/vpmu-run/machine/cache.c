/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".state"

const char *cache_root(void)
{
    static char root[PATH_MAX / 2];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    /* The XDG Base Directory Specification: relative paths are invalid and ignored. */
    if (cache && cache[0] != '/') {
        cache = NULL;
    }
    if (!cache && (!home || home[0] != '/')) {
        return NULL;
    }
    snprintf(root, sizeof(root), "%s%s/vpmu", cache ? cache : home, cache ? "" : "/.cache");
    return root;
}

/* directory() - the path of the states' directory; NULL if there is none */
static const char *directory(void)
{
    static char path[PATH_MAX / 2 + 8];

    if (!cache_root()) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/run", cache_root());
    return path;
}

static bool make_directory(const char *path)
{
    char parent[PATH_MAX / 2];
    char *slash;

    if (!cache_root()) {
        return false;
    }
    snprintf(parent, sizeof(parent), "%s", cache_root());
    slash = strrchr(parent, '/');
    *slash = '\0';
    mkdir(parent, 0755);
    *slash = '/';
    mkdir(parent, 0755);
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static void path_of(const char *name, char *path)
{
    snprintf(path, PATH_MAX, "%s/%s" SUFFIX, directory(), name);
}

int cache_open(const char *name)
{
    char path[PATH_MAX];
    int fd;

    if (!directory()) {
        return -1;
    }
    path_of(name, path);
    /* Not close-on-exec: the emulator inherits it. */
    fd = open(path, O_RDONLY);
    if (fd >= 0) {
        utimensat(AT_FDCWD, path, NULL, 0);
    }
    return fd;
}

void cache_discard(const char *name)
{
    char path[PATH_MAX];

    if (directory()) {
        path_of(name, path);
        unlink(path);
    }
}

/* by_use() - for qsort(): the one that was used last comes first */
static int by_use(const void *a, const void *b)
{
    const struct cache_entry *x = a, *y = b;

    return x->used != y->used ? (x->used < y->used) - (x->used > y->used)
                              : strcmp(x->path, y->path);
}

/* is_state() - does a file's name end in the suffix? */
static bool is_state(const char *name)
{
    size_t n = strlen(name), suffix = strlen(SUFFIX);

    return n > suffix && strcmp(name + n - suffix, SUFFIX) == 0;
}

size_t cache_list(struct cache_entry **entries)
{
    DIR *d = directory() ? opendir(directory()) : NULL;
    struct dirent *entry;
    size_t n = 0;

    *entries = NULL;
    while (d && (entry = readdir(d))) {
        struct cache_entry *more, e;
        struct stat st;

        if (!is_state(entry->d_name)) {
            continue;
        }
        snprintf(e.path, sizeof(e.path), "%s/%s", directory(), entry->d_name);
        if (stat(e.path, &st) != 0 || !(more = realloc(*entries, (n + 1) * sizeof(e)))) {
            continue;
        }
        e.size = st.st_blocks * 512;
        e.used = st.st_mtime;
        more[n++] = e;
        *entries = more;
    }
    if (d) {
        closedir(d);
    }
    if (n > 0) {
        qsort(*entries, n, sizeof(**entries), by_use);
    }
    return n;
}

/* is_abandoned() - is it a file that a process that has ended was writing? */
static bool is_abandoned(const char *name)
{
    const char *pid = strstr(name, SUFFIX ".");

    return pid && kill((pid_t)atoi(pid + strlen(SUFFIX ".")), 0) != 0 && errno == ESRCH;
}

void cache_remove_abandoned(void)
{
    DIR *d = directory() ? opendir(directory()) : NULL;
    struct dirent *entry;

    while (d && (entry = readdir(d))) {
        if (is_abandoned(entry->d_name)) {
            unlinkat(dirfd(d), entry->d_name, 0);
        }
    }
    if (d) {
        closedir(d);
    }
}

/* prune() - leaves space for one more state */
static void prune(void)
{
    struct cache_entry *entries;
    size_t n = cache_list(&entries);

    cache_remove_abandoned();
    for (size_t i = CACHE_STATES_MAX - 1; i < n; i++) {
        unlink(entries[i].path);
    }
    free(entries);
}

/*
 * create() - creates the file to write a state to
 * Most file systems can create one without a name, which disappears if this process is killed.
 * @temporary: its name; empty if it has none.
 */
static int create(const char *path, char *temporary)
{
    int fd = open(directory(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);

    temporary[0] = '\0';
    if (fd < 0) {
        snprintf(temporary, PATH_MAX + 16, "%s.%d", path, (int)getpid());
        fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    }
    return fd;
}

/* publish() - gives a complete file its name. Another run may have been faster. */
static int publish(int fd, const char *temporary, const char *path)
{
    char own[32];

    if (temporary[0]) {
        return rename(temporary, path);
    }
    snprintf(own, sizeof(own), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/* copy() - copies what a file has, and leaves its holes. Return: whether all of it was copied. */
static bool copy(int from, int to, off_t size)
{
    off_t at = 0;

    while (at < size) {
        off_t start = lseek(from, at, SEEK_DATA), end;

        if (start < 0) {
            /* Only a hole is left. */
            break;
        }
        end = lseek(from, start, SEEK_HOLE);
        at = start;
        if (lseek(to, start, SEEK_SET) < 0) {
            return false;
        }
        while (at < end) {
            if (sendfile(to, from, &at, (size_t)(end - at)) <= 0) {
                return false;
            }
        }
    }
    return size > 0 && ftruncate(to, size) == 0;
}

void cache_keep(int state, const char *name)
{
    char path[PATH_MAX], temporary[PATH_MAX + 16];
    struct stat st;
    bool good;
    int fd;

    if (!make_directory(directory())) {
        return;
    }
    prune();
    path_of(name, path);
    fd = create(path, temporary);
    if (fd < 0) {
        return;
    }
    good =
        fstat(state, &st) == 0 && copy(state, fd, st.st_size) && publish(fd, temporary, path) == 0;
    if (!good && temporary[0]) {
        unlink(temporary);
    }
    close(fd);
}

static const char *files_directory(void)
{
    static char path[PATH_MAX / 2 + 8];

    if (!cache_root()) {
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/files", cache_root());
    return path;
}

void cache_files_path(uint64_t key, char *path)
{
    snprintf(path, PATH_MAX, "%s%s%016" PRIx64, files_directory() ? files_directory() : "",
             files_directory() ? "/" : "", key);
}

bool cache_files_make(void)
{
    DIR *d;
    unsigned n = 0;

    if (!files_directory() || !make_directory(files_directory())) {
        return false;
    }
    d = opendir(files_directory());
    while (d && readdir(d)) {
        n++;
    }
    if (d) {
        closedir(d);
    }
    if (n > CACHE_FILES_MAX) {
        cache_files_clean();
    }
    return true;
}

void cache_files_clean(void)
{
    DIR *d = files_directory() ? opendir(files_directory()) : NULL;
    struct dirent *entry;

    while (d && (entry = readdir(d))) {
        if (entry->d_name[0] != '.') {
            unlinkat(dirfd(d), entry->d_name, 0);
        }
    }
    if (d) {
        closedir(d);
    }
}
