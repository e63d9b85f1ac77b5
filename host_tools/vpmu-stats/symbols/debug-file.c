/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/debug-file.h"

#include <elfutils/libdwelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/image.h"

#define INSTALLED "/usr/lib/debug"
/* The largest file whose CRC is computed. A guest may have made it. */
#define MAX_SIZE (2ll << 30)

/**
 * struct wanted - what identifies the file
 * @build_id, @size: its build ID; @size is 0 if it has none.
 * @link: its name; NULL if it is not known.
 * @crc: the CRC of the file called @link.
 */
struct wanted {
    const unsigned char *build_id;
    size_t size;
    const char *link;
    GElf_Word crc;
};

static struct wanted wanted_of(Elf *elf)
{
    struct wanted w = {0};
    const void *id = NULL;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &id);

    if (size > 1 && size <= (ssize_t)IMAGE_BUILD_ID) {
        w.build_id = id;
        w.size = (size_t)size;
    }
    w.link = dwelf_elf_gnu_debuglink(elf, &w.crc);
    /* The name has no directory, so it cannot lead anywhere else. */
    if (w.link && (!*w.link || strchr(w.link, '/') || strlen(w.link) > NAME_MAX)) {
        w.link = NULL;
    }
    return w;
}

static bool has_build_id(int fd, const struct wanted *w)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const void *id = NULL;
    bool same = elf && elf_kind(elf) == ELF_K_ELF &&
                dwelf_elf_gnu_build_id(elf, &id) == (ssize_t)w->size &&
                memcmp(id, w->build_id, w->size) == 0;

    elf_end(elf);
    return same;
}

static bool has_crc(int fd, GElf_Word wanted)
{
    static unsigned char buf[1u << 16];
    uLong crc = crc32(0, NULL, 0);
    struct stat st;
    off_t at = 0;
    ssize_t n;

    if (fstat(fd, &st) || st.st_size > MAX_SIZE) {
        return false;
    }
    while ((n = pread(fd, buf, sizeof(buf), at)) > 0 && at <= MAX_SIZE) {
        crc = crc32(crc, buf, (uInt)n);
        at += n;
    }
    return n == 0 && crc == wanted;
}

/* Return: a descriptor of the file below @root, if it is the one that is wanted; else -1. */
static int try(const char *root, const char *path, const struct wanted *w)
{
    struct error ignored = {0};
    int fd = image_open(root, path, &ignored);

    if (fd >= 0 && !(w->size ? has_build_id(fd, w) : has_crc(fd, w->crc))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The path of a build ID: its first byte is the name of a directory. */
static void put_build_id(char *path, size_t size, const char *dir, const struct wanted *w)
{
    int at = snprintf(path, size, "%s/.build-id/%02x/", dir, w->build_id[0]);

    for (size_t i = 1; i < w->size && at > 0 && (size_t)at < size; i++) {
        at += snprintf(path + at, size - (size_t)at, "%02x", w->build_id[i]);
    }
    if (at > 0 && (size_t)at < size) {
        snprintf(path + at, size - (size_t)at, ".debug");
    }
}

/* Look in one directory with debug files. @directory is that of the stripped file, with a slash. */
static int look_in(const char *root, const char *dir, const char *directory, const struct wanted *w)
{
    char path[PATH_MAX];
    int fd = -1;

    if (w->size) {
        put_build_id(path, sizeof(path), dir, w);
        fd = try(root, path, w);
    }
    if (fd < 0 && w->link &&
        snprintf(path, sizeof(path), "%s%s%s", dir, directory, w->link) < (int)sizeof(path)) {
        fd = try(root, path, w);
    }
    return fd;
}

/* Look beside the stripped file. */
static int look_beside(const char *root, const char *directory, const struct wanted *w)
{
    static const char *const below[] = {"", ".debug/"};
    char path[PATH_MAX];
    int fd = -1;

    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]) && fd < 0 && w->link; i++) {
        if (snprintf(path, sizeof(path), "%s%s%s", directory, below[i], w->link) <
            (int)sizeof(path)) {
            fd = try(root, path, w);
        }
    }
    return fd;
}

static int look(const struct debug_dirs *dirs, const char *name, const struct wanted *w)
{
    const char *slash = strrchr(name, '/');
    char directory[PATH_MAX];
    int fd = -1;

    if (snprintf(directory, sizeof(directory), "%.*s/", slash ? (int)(slash - name) : 1,
                 slash ? name : ".") >= (int)sizeof(directory)) {
        return -1;
    }
    if (dirs->dir) {
        fd = look_in(NULL, dirs->dir, directory, w);
    }
    if (fd < 0) {
        fd = look_beside(dirs->symfs, directory, w);
    }
    if (fd < 0 && dirs->symfs) {
        fd = look_in(dirs->symfs, INSTALLED, directory, w);
    }
    return fd < 0 ? look_in(NULL, INSTALLED, directory, w) : fd;
}

int debug_file_open(const struct debug_dirs *dirs, int fd, const char *name)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    int found = -1;

    if (elf && elf_kind(elf) == ELF_K_ELF) {
        struct wanted w = wanted_of(elf);

        found = w.size || w.link ? look(dirs, name, &w) : -1;
    }
    elf_end(elf);
    return found;
}
