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

#include "files/program-file.h"
#include "files/root.h"

/* Libraries of a program, and strings of the dynamic section of one of them. */
#define LIBRARIES_MAX 1024u
#define NEEDED_MAX 256u

static const char directories[] = "/lib/%s:/usr/lib/%s:/lib64:/usr/lib64:/lib:/usr/lib:"
                                  "/usr/local/lib/%s:/usr/local/lib";

/* What has been found, in the order of the dynamic linker: breadth first. */
struct search {
    struct tree *tree;
    unsigned machine;
    const char *program;
    char *path[LIBRARIES_MAX];
    size_t n;
};

/* The dynamic section of one file. */
struct dynamic {
    char *needed[NEEDED_MAX];
    size_t n;
    char *runpath;
};

static const char *triplet(unsigned machine)
{
    return machine == EM_AARCH64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

static void take_string(struct dynamic *d, Elf *elf, size_t strings, const GElf_Dyn *entry)
{
    const char *text = elf_strptr(elf, strings, entry->d_un.d_val);

    if (!text) {
        return;
    }
    if (entry->d_tag == DT_NEEDED && d->n < NEEDED_MAX) {
        d->needed[d->n] = strdup(text);
        d->n += d->needed[d->n] != NULL;
    } else if (entry->d_tag == DT_RUNPATH || (entry->d_tag == DT_RPATH && !d->runpath)) {
        free(d->runpath);
        d->runpath = strdup(text);
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
    free(d->runpath);
}

static bool fits(const struct search *s, const char *path)
{
    struct program_file p;
    char host[PATH_MAX];

    return root_resolve(s->tree->root, path, host) == 0 && program_inspect(host, &p) == 0 &&
           p.kind == PROGRAM_ELF && p.bits == 64 && p.machine == s->machine;
}

/* join() - makes a path of one of the directories in @list; $ORIGIN there is that of @from */
static void join(char *path, const char *list, size_t length, const char *from, const char *name)
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
    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, list, name);
}

/* find_in() - looks for a library in a list of directories, separated by colons */
static bool find_in(const struct search *s, const char *list, const char *from, const char *name,
                    char *path)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");

        join(path, list, n, from, name);
        if (path[0] == '/' && fits(s, path)) {
            return true;
        }
        list += n + (list[n] == ':');
    }
    return false;
}

static bool find(const struct search *s, const struct dynamic *d, const char *from,
                 const char *name, char *path)
{
    const char *here = triplet(s->machine);
    char standard[256];

    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        return path[0] == '/' && fits(s, path);
    }
    snprintf(standard, sizeof(standard), directories, here, here, here);
    return find_in(s, d->runpath, from, name, path) ||
           find_in(s, getenv("LD_LIBRARY_PATH"), from, name, path) ||
           find_in(s, standard, from, name, path);
}

/* has() - has a library of this name been found? The dynamic linker loads only one. */
static bool has(const struct search *s, const char *name)
{
    for (size_t i = 1; i < s->n; i++) {
        if (strcmp(strrchr(s->path[i], '/') + 1, name) == 0) {
            return true;
        }
    }
    return false;
}

static int add_one(struct search *s, const char *path, struct failure *f)
{
    char host[PATH_MAX];

    if (s->n == LIBRARIES_MAX) {
        return failure_set(f, FAILURE_EXECUTE, "%s needs more than %u libraries", s->program,
                           LIBRARIES_MAX);
    }
    s->path[s->n] = strdup(path);
    if (!s->path[s->n]) {
        return failure_memory(f);
    }
    s->n++;
    /* The dynamic linker finds what is in /usr/local with its cache. */
    if (strncmp(path, "/usr/local/", 11) == 0 &&
        root_resolve(s->tree->root, "/etc/ld.so.cache", host) == 0 &&
        tree_add(s->tree, "/etc/ld.so.cache", f) != 0) {
        return -1;
    }
    return tree_add(s->tree, path, f);
}

static int add_needed_of(struct search *s, const char *from, struct failure *f)
{
    struct dynamic d;
    char host[PATH_MAX], path[PATH_MAX];
    int err = 0;

    if (root_resolve(s->tree->root, from, host) != 0) {
        return failure_set(f, FAILURE_EXECUTE, "cannot read %s: %s", from, strerror(errno));
    }
    read_dynamic(host, &d);
    for (size_t i = 0; !err && i < d.n; i++) {
        if (has(s, d.needed[i])) {
            continue;
        }
        err = find(s, &d, from, d.needed[i], path)
                  ? add_one(s, path, f)
                  : failure_set(f, FAILURE_EXECUTE,
                                "%s needs the library %s for %s, which is missing in %s: install "
                                "it there, or link the program with -static",
                                s->program, d.needed[i], triplet(s->machine),
                                s->tree->root[0] ? s->tree->root : "/");
    }
    free_dynamic(&d);
    return err;
}

int needed_add(struct tree *t, const char *path, unsigned machine, struct failure *f)
{
    struct search s = {.tree = t, .machine = machine, .program = path};
    int err = 0;

    s.path[s.n] = strdup(path);
    if (!s.path[s.n++]) {
        return failure_memory(f);
    }
    for (size_t i = 0; !err && i < s.n; i++) {
        err = add_needed_of(&s, s.path[i], f);
    }
    for (size_t i = 0; i < s.n; i++) {
        free(s.path[i]);
    }
    return err;
}
