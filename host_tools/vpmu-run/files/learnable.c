/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files of this computer may be copied that nobody named, and copying them. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/learned.h"
#include "files/program.h"

/* is_in() - is @path equal to @directory, or in it? */
static bool is_in(const char *path, const char *directory, size_t n)
{
    return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* names() - does a word name something in the first @n bytes of @path? */
static bool names(const char *word, const char *path, size_t n)
{
    char real[PATH_MAX];

    return realpath(word, real) && is_in(real, path, n);
}

static bool any_names(const char *const *words, size_t count, const char *path, size_t n)
{
    for (size_t i = 0; i < count; i++) {
        if (names(words[i], path, n)) {
            return true;
        }
    }
    return false;
}

/* is_named() - does a word of the command name something in the first @n bytes of @path? */
static bool is_named(const struct job *job, const char *path, size_t n)
{
    char program[PATH_MAX];
    struct failure ignored;

    if (program_find(job->root, job->argv[0], program, &ignored) == 0 && names(program, path, n)) {
        return true;
    }
    for (char **arg = job->argv + 1; *arg; arg++) {
        if (names(*arg, path, n)) {
            return true;
        }
    }
    return any_names(job->copies, job->n_copies, path, n) ||
           any_names(job->programs, job->n_programs, path, n);
}

/* is_secret() - is it a dot file of HOME that no word of the command names? */
static bool is_secret(const struct job *job, const char *path)
{
    const char *home = getenv("HOME");
    char real[PATH_MAX];
    size_t n;

    if (job->root[0] || !home || !realpath(home, real)) {
        return false;
    }
    n = strcmp(real, "/") == 0 ? 0 : strlen(real);
    if (strncmp(path, real, n) != 0 || strncmp(path + n, "/.", 2) != 0) {
        return false;
    }
    return !is_named(job, path, n + 1 + strcspn(path + n + 1, "/"));
}

bool learned_look(const struct job *job, const char *path, char *host, struct stat *st)
{
    if (path[0] != '/' || strchr(path, '\n') || tree_is_own(path) || is_secret(job, path) ||
        job_where(job, path, host) != 0 || lstat(host, st) != 0) {
        return false;
    }
    /* The machine's root could read what this computer's root may not. */
    if (S_ISREG(st->st_mode)) {
        return getuid() != 0 || access(host, R_OK) == 0;
    }
    return S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode);
}

/* pack_names() - adds the names in a directory */
static int pack_names(const struct job *job, const char *path, const char *host, struct tree *t,
                      struct failure *f)
{
    struct dirent **entries;
    int n = scandir(host, &entries, NULL, alphasort), err = tree_add_name(t, path, f);

    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char next[2 * PATH_MAX], there[PATH_MAX];
        struct stat st;

        snprintf(next, sizeof(next), "%s/%s", strcmp(path, "/") == 0 ? "" : path, name);
        if (!err && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
            learned_look(job, next, there, &st)) {
            err = tree_add_name(t, next, f);
        }
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    return err;
}

static int pack_entry(const struct learned_entry *e, const struct job *job, struct tree *t,
                      struct failure *f)
{
    char host[PATH_MAX];
    struct stat st;

    if (!learned_look(job, e->path, host, &st)) {
        return 0;
    }
    switch (e->kind) {
    case LEARNED_FILE:
        return S_ISREG(st.st_mode) && access(host, R_OK) == 0 ? tree_add(t, e->path, f) : 0;
    case LEARNED_NAMES:
        return S_ISDIR(st.st_mode) ? pack_names(job, e->path, host, t, f) : 0;
    case LEARNED_NAME:
        return tree_add_name(t, e->path, f);
    default:
        return 0;
    }
}

int learned_pack(const struct learned *l, const struct job *job, struct tree *t, struct failure *f)
{
    /* Files with content come first. Then a list of names does not leave them hollow. */
    for (enum learned_kind kind = 0; kind < LEARNED_KINDS; kind++) {
        for (size_t i = 0; i < l->n; i++) {
            if (l->entry[i]->kind == kind && pack_entry(l->entry[i], job, t, f) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

bool learned_absent_exists(const struct learned *l, const struct job *job)
{
    char host[PATH_MAX];
    struct stat st;

    for (size_t i = 0; i < l->n; i++) {
        if (l->entry[i]->kind == LEARNED_ABSENT &&
            learned_look(job, l->entry[i]->path, host, &st)) {
            return true;
        }
    }
    return false;
}
