/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/learned.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/replacement.h"
#include "files/library-paths.h"

/* No list of files is larger, in bytes. */
#define FILE_MAX (16 << 20)

static const char header[] = "vpmu-run files 1\n";
static const char verified[] = "verified";
const char learned_linker_cache[] = "/etc/ld.so.cache";

static const char *const kinds[LEARNED_KINDS] = {
    [LEARNED_FILE] = "file",
    [LEARNED_NAMES] = "names",
    [LEARNED_NAME] = "name",
    [LEARNED_ABSENT] = "absent",
};

static int compare(const void *a, const void *b)
{
    const struct learned_entry *x = a, *y = b;

    return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->path, y->path);
}

static int compare_pointers(const void *a, const void *b)
{
    return compare(*(const struct learned_entry *const *)a,
                   *(const struct learned_entry *const *)b);
}

bool learned_has(const struct learned *l, enum learned_kind kind, const char *path)
{
    const struct learned_entry key = {kind, (char *)(uintptr_t)path};

    return tfind(&key, &l->seen, compare) != NULL;
}

int learned_add(struct learned *l, enum learned_kind kind, const char *path, struct failure *f)
{
    struct learned_entry *e, **more;

    if (learned_has(l, kind, path)) {
        return 0;
    }
    if (l->n == LEARNED_PATHS_MAX) {
        return failure_set(f, FAILURE_RUN,
                           "the program looks for more than %u files: name directories with "
                           "--copy, or use --no-learn",
                           LEARNED_PATHS_MAX);
    }
    more = realloc(l->entry, (l->n + 1) * sizeof(*more));
    e = malloc(sizeof(*e));
    if (more) {
        l->entry = more;
    }
    if (!more || !e) {
        free(e);
        return failure_memory(f);
    }
    *e = (struct learned_entry){kind, strdup(path)};
    if (!e->path || !tsearch(e, &l->seen, compare)) {
        free(e->path);
        free(e);
        return failure_memory(f);
    }
    l->entry[l->n++] = e;
    return 0;
}

void learned_free(struct learned *l)
{
    for (size_t i = 0; i < l->n; i++) {
        tdelete(l->entry[i], &l->seen, compare);
        free(l->entry[i]->path);
        free(l->entry[i]);
    }
    free(l->entry);
    *l = (struct learned){0};
}

/* make_absolute() - Return: false if @path is neither absolute nor in the working directory */
static bool make_absolute(const char *path, char *whole, size_t size)
{
    char cwd[PATH_MAX];

    if (path[0] == '/') {
        return snprintf(whole, size, "%s", path) < PATH_MAX;
    }
    return (strcmp(path, ".") == 0 || strncmp(path, "./", 2) == 0) && getcwd(cwd, sizeof(cwd)) &&
           snprintf(whole, size, "%s%s", strcmp(cwd, "/") == 0 ? "" : cwd, path + 1) < PATH_MAX;
}

/*
 * print_entry() - a path in the working directory begins with "./": a list in a repository fits
 * wherever that is checked out
 */
static void print_entry(const struct learned_entry *e, FILE *to)
{
    char cwd[PATH_MAX];
    size_t n = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : 0;
    bool within =
        n > 1 && strncmp(e->path, cwd, n) == 0 && (e->path[n] == '/' || e->path[n] == '\0');

    fprintf(to, "%s %s%s\n", kinds[e->kind], within ? "." : "", within ? e->path + n : e->path);
}

/* take_line() - Return: 0, 1 if it makes no sense, or -1 with an error. */
static int take_line(struct learned *l, char *line, struct failure *f)
{
    char *path = strchr(line, ' ');

    if (!path) {
        return 1;
    }
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (strcmp(line, verified) == 0) {
        l->verified = strtoull(path, NULL, 16);
        return 0;
    }
    for (enum learned_kind kind = 0; kind < LEARNED_KINDS; kind++) {
        char whole[2 * PATH_MAX];

        if (strcmp(line, kinds[kind]) == 0 && make_absolute(path, whole, sizeof(whole))) {
            return learned_add(l, kind, whole, f);
        }
    }
    return 1;
}

/* is_modest() - can the file be read as a whole? */
static bool is_modest(FILE *file)
{
    struct stat st;

    return fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX;
}

int learned_read(struct learned *l, const char *file, struct failure *f)
{
    FILE *from = fopen(file, "re");
    char *line = NULL;
    size_t size = 0;
    int err = 0;

    *l = (struct learned){0};
    if (!from) {
        return 0;
    }
    if (!is_modest(from) || getline(&line, &size, from) < 0 || strcmp(line, header) != 0) {
        err = 1;
    }
    while (!err && getline(&line, &size, from) > 0) {
        err = take_line(l, line, f);
    }
    free(line);
    fclose(from);
    return err > 0 ? failure_set(f, FAILURE_RUN, "%s is not a list of files of vpmu-run", file)
                   : err;
}

void learned_print(const struct learned *l, FILE *to)
{
    qsort(l->entry, l->n, sizeof(*l->entry), compare_pointers);
    fputs(header, to);
    for (size_t i = 0; i < l->n; i++) {
        if (l->entry[i]->kind != LEARNED_ABSENT) {
            print_entry(l->entry[i], to);
        }
    }
}

int learned_write(const struct learned *l, const char *file, struct failure *f)
{
    struct replacement r;
    FILE *to = replacement_open(&r, file, true) == 0 ? fdopen(r.fd, "w") : NULL;
    bool good;

    if (!to) {
        return failure_set(f, FAILURE_RUN, "cannot write %s: %s", file, strerror(errno));
    }
    learned_print(l, to);
    fprintf(to, "%s %016" PRIx64 "\n", verified, l->verified);
    for (size_t i = 0; i < l->n; i++) {
        if (l->entry[i]->kind == LEARNED_ABSENT) {
            print_entry(l->entry[i], to);
        }
    }
    good = fclose(to) == 0 && replacement_publish(&r) == 0;
    if (!good) {
        failure_set(f, FAILURE_RUN, "cannot write %s: %s", file, strerror(errno));
        replacement_discard(&r);
    }
    replacement_free(&r);
    return good ? 0 : -1;
}

/* needs_cache() - is there a library that the linker does not find without its cache? */
static bool needs_cache(const struct learned *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const char *slash = strrchr(l->entry[i]->path, '/');

        if (l->entry[i]->kind == LEARNED_FILE && strstr(slash, ".so") &&
            strncmp(slash, "/ld", 3) != 0 && strncmp(slash + 1, "lib", 3) == 0 &&
            !library_is_default(l->entry[i]->path)) {
            return true;
        }
    }
    return false;
}

typedef bool drop_fn(const struct learned_entry *e);

static void drop(struct learned *l, drop_fn *drops)
{
    size_t kept = 0;

    for (size_t i = 0; i < l->n; i++) {
        struct learned_entry *e = l->entry[i];

        if (drops(e)) {
            tdelete(e, &l->seen, compare);
            free(e->path);
            free(e);
        } else {
            l->entry[kept++] = e;
        }
    }
    l->n = kept;
}

static bool is_absent(const struct learned_entry *e)
{
    return e->kind == LEARNED_ABSENT;
}

void learned_forget_absent(struct learned *l)
{
    drop(l, is_absent);
}

static bool is_cache(const struct learned_entry *e)
{
    return strcmp(e->path, learned_linker_cache) == 0;
}

void learned_settle(struct learned *l)
{
    if (!needs_cache(l)) {
        drop(l, is_cache);
    }
}
