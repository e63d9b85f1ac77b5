/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/needed.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/library-paths.h"
#include "files/program-file.h"
#include "files/root.h"

/* Libraries of a program, and strings of the dynamic section of one of them. */
#define LIBRARIES_MAX 1024u
#define NEEDED_MAX 256u

/* A file that has been found: the program, or a library. */
struct object {
    char *path;
    const char *origin; /* the path whose directory is $ORIGIN: links to a program are followed */
    size_t loader;      /* the first object that needs it; the program is the first one of all */
    char *rpath, *runpath;
};

/* What has been found, in the order of the dynamic linker: breadth first. */
struct search {
    struct tree *tree;
    unsigned machine;
    const char *program;
    char *origin;      /* of the program */
    char *directories; /* library_paths() */
    bool lenient, musl;
    struct object object[LIBRARIES_MAX];
    size_t n;
};

/* The dynamic section of one file. */
struct dynamic {
    char *needed[NEEDED_MAX];
    size_t n;
    char *rpath, *runpath;
};

static void take_string(struct dynamic *d, Elf *elf, size_t strings, const GElf_Dyn *entry)
{
    const char *text = elf_strptr(elf, strings, entry->d_un.d_val);

    if (!text) {
        return;
    }
    if (entry->d_tag == DT_NEEDED && d->n < NEEDED_MAX) {
        d->needed[d->n] = strdup(text);
        d->n += d->needed[d->n] != NULL;
    } else if (entry->d_tag == DT_RUNPATH && !d->runpath) {
        d->runpath = strdup(text);
    } else if (entry->d_tag == DT_RPATH && !d->rpath) {
        d->rpath = strdup(text);
    }
}

/* read_dynamic() - what cannot be read is left out: the machine's dynamic linker then reports it */
static void read_dynamic(const char *host, struct dynamic *d)
{
    int fd = open(host, O_RDONLY | O_CLOEXEC);
    Elf *elf =
        fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    Elf_Scn *section = NULL;

    memset(d, 0, sizeof(*d));
    while (elf && (section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        Elf_Data *data;
        GElf_Dyn entry;

        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC) {
            continue;
        }
        data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
            take_string(d, elf, header.sh_link, &entry);
        }
    }
    elf_end(elf);
    if (fd >= 0) {
        close(fd);
    }
}

static void free_dynamic(struct dynamic *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->needed[i]);
    }
}

static bool fits(const struct search *s, const char *path)
{
    struct program_file p;
    char host[PATH_MAX];

    return root_resolve(s->tree->root, path, host) == 0 && program_inspect(host, &p) == 0 &&
           p.kind == PROGRAM_ELF && p.bits == 64 && p.machine == s->machine;
}

/* absolute() - puts the working directory before a relative path. Another root's is its top. */
static void absolute(const struct search *s, char *path)
{
    char cwd[PATH_MAX] = "";
    size_t n, length = strlen(path);

    if (path[0] == '/' || (!s->tree->root[0] && !getcwd(cwd, sizeof(cwd)))) {
        return;
    }
    n = strlen(cwd);
    if (n + 1 + length < PATH_MAX) {
        memmove(path + n + 1, path, length + 1);
        memcpy(path, cwd, n);
        path[n] = '/';
    }
}

/* join() - makes a path of one of the directories in @list; $ORIGIN there is that of @from */
static void join(const struct search *s, char *path, const char *list, size_t length,
                 const char *from, const char *name)
{
    static const char *const origins[] = {"$ORIGIN", "${ORIGIN}"};

    for (size_t i = 0; i < sizeof(origins) / sizeof(origins[0]); i++) {
        size_t n = strlen(origins[i]);

        if (length >= n && strncmp(list, origins[i], n) == 0) {
            snprintf(path, PATH_MAX, "%.*s%.*s/%s", (int)(strrchr(from, '/') - from), from,
                     (int)(length - n), list + n, name);
            return;
        }
    }
    snprintf(path, PATH_MAX, "%.*s/%s", length ? (int)length : 1, length ? list : ".", name);
    absolute(s, path);
}

/*
 * find_in() - looks for a library in a list of directories
 * An empty directory is the working directory, but not for musl. An empty list has none.
 * @from: the path whose directory is $ORIGIN.
 */
static bool find_in(const struct search *s, const char *list, const char *separators,
                    const char *from, const char *name, char *path)
{
    while (list && *list) {
        size_t n = strcspn(list, separators);

        if (n > 0 || !s->musl) {
            join(s, path, list, n, from, name);
            if (fits(s, path)) {
                return true;
            }
        }
        if (list[n] && !list[n + 1] && !s->musl) {
            join(s, path, "", 0, from, name);
            return fits(s, path);
        }
        list += n + (list[n] != '\0');
    }
    return false;
}

/*
 * find_by_rpath() - looks in the DT_RPATH of an object, of the one that needs it, and so on to the
 * program; for musl, DT_RUNPATH is the same
 */
static bool find_by_rpath(const struct search *s, size_t at, const char *name, char *path)
{
    for (;; at = s->object[at].loader) {
        const struct object *o = &s->object[at];
        const char *list = !o->runpath ? o->rpath : s->musl ? o->runpath : NULL;

        if (find_in(s, list, ":", o->origin, name, path)) {
            return true;
        }
        if (at == 0) {
            return false;
        }
    }
}

/* find() - looks where the dynamic linker of the program would look, in its order (ld.so(8)) */
static bool find(const struct search *s, size_t from, const char *name, char *path)
{
    const struct object *o = &s->object[from];
    const char *paths = s->tree->library_path;

    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        absolute(s, path);
        return fits(s, path);
    }
    if (s->musl) {
        return find_in(s, paths, ":\n", s->origin, name, path) ||
               find_by_rpath(s, from, name, path) ||
               find_in(s, s->directories, ":", s->origin, name, path);
    }
    return (!o->runpath && find_by_rpath(s, from, name, path)) ||
           find_in(s, paths, ":;", s->origin, name, path) ||
           find_in(s, o->runpath, ":", o->origin, name, path) ||
           find_in(s, s->directories, ":", s->origin, name, path);
}

/* has() - has a library of this name been found? The dynamic linker loads only one. */
static bool has(const struct search *s, const char *name)
{
    for (size_t i = 1; i < s->n; i++) {
        if (strcmp(strrchr(s->object[i].path, '/') + 1, name) == 0 ||
            strcmp(s->object[i].path, name) == 0) {
            return true;
        }
    }
    return false;
}

static int add_one(struct search *s, const char *path, size_t loader, struct failure *f)
{
    struct object *o = &s->object[s->n];
    char host[PATH_MAX];

    if (s->n == LIBRARIES_MAX) {
        return failure_set(f, FAILURE_EXECUTE, "%s needs more than %u libraries", s->program,
                           LIBRARIES_MAX);
    }
    *o = (struct object){.path = strdup(path), .loader = loader};
    if (!o->path) {
        return failure_memory(f);
    }
    o->origin = o->path;
    s->n++;
    /*
     * The dynamic linker needs its cache for other directories. The cache depends on everything
     * that is installed here, and the time to search it is counted, so it is added only if it is
     * needed. A system need not have one.
     */
    if (!library_is_default(path) && !s->musl &&
        root_resolve(s->tree->root, "/etc/ld.so.cache", host) == 0 && access(host, F_OK) == 0 &&
        tree_add(s->tree, "/etc/ld.so.cache", f) != 0) {
        return -1;
    }
    return tree_add(s->tree, path, f);
}

static int missing(const struct search *s, const char *library, struct failure *f)
{
    return s->tree->root[0]
               ? failure_set(f, FAILURE_EXECUTE,
                             "%s needs the library %s for %s, which is missing in %s: install it "
                             "there, or link the program with -static",
                             s->program, library, library_triplet(s->machine), s->tree->root)
               : failure_set(f, FAILURE_EXECUTE,
                             "%s needs the library %s, which is missing: install it, or set "
                             "LD_LIBRARY_PATH",
                             s->program, library);
}

static int add_needed_of(struct search *s, size_t from, struct failure *f)
{
    struct object *o = &s->object[from];
    struct dynamic d;
    char host[PATH_MAX], path[PATH_MAX];
    int err = 0;

    if (root_resolve(s->tree->root, o->path, host) != 0) {
        return failure_set(f, FAILURE_EXECUTE, "cannot read %s: %s", o->path, strerror(errno));
    }
    read_dynamic(host, &d);
    o->rpath = d.rpath;
    o->runpath = d.runpath;
    for (size_t i = 0; !err && i < d.n; i++) {
        /* musl's dynamic linker is its C library. */
        if (has(s, d.needed[i]) || (s->musl && strncmp(d.needed[i], "libc.", 5) == 0)) {
            continue;
        }
        if (find(s, from, d.needed[i], path)) {
            err = add_one(s, path, from, f);
        } else if (!s->lenient) {
            err = missing(s, d.needed[i], f);
        }
    }
    free_dynamic(&d);
    return err;
}

/* real() - the path behind links, in the root of the tree; to be freed */
static char *real(const struct tree *t, const char *path)
{
    char host[PATH_MAX], resolved[PATH_MAX];
    size_t n = strlen(t->root);

    /* In another root, root_resolve() follows links itself, and returns the path of this computer.
     */
    if (root_resolve(t->root, path, host) != 0 || !realpath(host, resolved)) {
        return strdup(path);
    }
    if (n > 0) {
        char top[PATH_MAX];

        n = realpath(t->root, top) && strncmp(resolved, top, strlen(top)) == 0 ? strlen(top) : 0;
    }
    return strdup(resolved[n] == '/' ? resolved + n : resolved);
}

static int search(struct search *s, struct failure *f)
{
    int err = 0;

    s->origin = real(s->tree, s->program);
    s->directories = library_paths(s->tree->root, s->machine, s->musl);
    s->object[0] = (struct object){.path = strdup(s->program), .origin = s->origin};
    s->n = 1;
    if (!s->origin || !s->directories || !s->object[0].path) {
        err = failure_memory(f);
    }
    for (size_t i = 0; !err && i < s->n; i++) {
        err = add_needed_of(s, i, f);
    }
    for (size_t i = 0; i < s->n; i++) {
        free(s->object[i].path);
        free(s->object[i].rpath);
        free(s->object[i].runpath);
    }
    free(s->origin);
    free(s->directories);
    return err;
}

int needed_add(struct tree *t, const char *path, const char *interpreter, unsigned machine,
               struct failure *f)
{
    struct search s = {.tree = t, .machine = machine, .program = path};
    char file[PATH_MAX], host[PATH_MAX];

    s.musl = strstr(interpreter, "/ld-musl-") != NULL;
    if (s.musl) {
        library_musl_file(machine, file);
        if (root_resolve(t->root, file, host) == 0 && access(host, R_OK) == 0 &&
            tree_add(t, file, f) != 0) {
            return -1;
        }
    }
    return search(&s, f);
}

int needed_add_modules(struct tree *t, unsigned machine, struct failure *f)
{
    /* Files that are added meanwhile have their turn. */
    for (size_t i = 0; i < t->n_modules; i++) {
        struct search s = {.tree = t, .machine = machine, .program = t->module[i], .lenient = true};

        if (fits(&s, t->module[i]) && search(&s, f) != 0) {
            return -1;
        }
    }
    return 0;
}
