/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions in copies of a guest's files. A copy is read when its functions are first needed.
 */
#include "symbols/guest-files.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "symbols/symbols.h"

/*
 * An entry of the tree: the name, the build ID and the number of a file. Without a build ID, it is
 * the file of that name that was added last.
 */
struct number {
    const char *name;
    unsigned char id[IMAGE_BUILD_ID];
    size_t size;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    const struct number *left = a;
    const struct number *right = b;
    int order = strcmp(left->name, right->name);

    if (order == 0 && left->size != right->size) {
        order = left->size < right->size ? -1 : 1;
    }
    return order ? order : memcmp(left->id, right->id, left->size);
}

static int make_room(struct guest_files *files, struct error *t)
{
    if (files->n == files->room) {
        size_t room = files->room ? files->room * 2 : 64;
        struct guest_file *file = reallocarray(files->file, room, sizeof(*file));

        if (!file) {
            return error_memory(t);
        }
        files->file = file;
        files->room = room;
    }
    files->file[files->n] = (struct guest_file){0};
    return 0;
}

static struct number *find(const struct guest_files *files, const struct number *wanted)
{
    struct number **found = tfind(wanted, &files->numbers, compare);

    return found ? *found : NULL;
}

static int remember(struct guest_files *files, const struct number *number, struct error *t)
{
    struct number *new = malloc(sizeof(*new));

    if (new) {
        *new = *number;
        new->name = files->file[number->number].name;
    }
    if (!new || !tsearch(new, &files->numbers, compare)) {
        free(new);
        return error_memory(t);
    }
    return 0;
}

/* Add a file. @last is the file of that name that was added last, or NULL. */
static int add(struct guest_files *files, struct number *wanted, struct number *last,
               struct error *t)
{
    char *own = strdup(wanted->name);
    struct guest_file *file;

    if (!own || make_room(files, t)) {
        free(own);
        return error_memory(t);
    }
    file = &files->file[files->n];
    file->name = own;
    file->others = last;
    wanted->number = (uint32_t)files->n++;
    if (last) {
        files->file[last->number].others = true;
        last->number = wanted->number;
        return 0;
    }
    return remember(files, &(struct number){.name = own, .number = wanted->number}, t);
}

/* Check whether a file is the one with a build ID, or one of which no build ID is known yet. */
static bool can_have(const struct guest_file *file, const struct number *wanted)
{
    const struct image *image = &file->image;

    return image->build_id_size ? image->build_id_size == wanted->size &&
                                      memcmp(image->build_id, wanted->id, wanted->size) == 0
                                : !file->path;
}

/* Find the file with a build ID that has no entry in the tree yet, or add the file. */
static int identify(struct guest_files *files, struct number *wanted, struct number *last,
                    struct error *t)
{
    struct guest_file *file;

    if (last && can_have(&files->file[last->number], wanted)) {
        wanted->number = last->number;
    } else if (add(files, wanted, last, t)) {
        return -1;
    }
    file = &files->file[wanted->number];
    memcpy(file->image.build_id, wanted->id, wanted->size);
    file->image.build_id_size = wanted->size;
    file->tried = file->path;
    return remember(files, wanted, t);
}

int guest_files_number(struct guest_files *files, const char *name, const unsigned char *build_id,
                       size_t size, uint32_t *number, struct error *t)
{
    struct number wanted = {.name = name, .size = size <= IMAGE_BUILD_ID ? size : 0};
    struct number *found, *last;
    int err = 0;

    if (wanted.size) {
        memcpy(wanted.id, build_id, wanted.size);
    }
    found = find(files, &wanted);
    if (found) {
        *number = found->number;
        return 0;
    }
    last = wanted.size ? find(files, &(const struct number){.name = name}) : NULL;
    err = wanted.size ? identify(files, &wanted, last, t) : add(files, &wanted, NULL, t);
    *number = wanted.number;
    return err;
}

/*
 * Check whether there can be a copy. Without symfs, only a build ID can show that a file of the
 * host is the guest's.
 */
static bool may_be(const struct guest_files *files, const struct guest_file *file)
{
    return file->name[0] == '/' && !strstr(file->name, "/../") &&
           (files->symfs || file->image.build_id_size);
}

/* Compare build IDs as perf does: a file with another build ID, or with none, is another file. */
static bool is_it(const struct guest_file *file, const struct image *wanted)
{
    return !wanted->build_id_size ||
           (file->image.build_id_size == wanted->build_id_size &&
            memcmp(file->image.build_id, wanted->build_id, wanted->build_id_size) == 0);
}

static bool take(const struct guest_files *files, struct guest_file *file, int fd)
{
    const struct debug_dirs dirs = {.symfs = files->symfs, .dir = files->debug_dir};
    struct image wanted = file->image;
    struct error ignored = {0};

    if (image_take(&file->image, fd, file->name, &ignored) == 0 && is_it(file, &wanted) &&
        elffile_take(&file->functions, &dirs, fd, file->name, &ignored) == 0 &&
        functions_sort(&file->functions, &ignored) == 0) {
        return true;
    }
    file->image = wanted;
    return false;
}

/* A list of functions that a program's compiler has made at run time. Its offsets are addresses. */
static void take_list(struct guest_file *file, int fd)
{
    FILE *list = fdopen(fd, "r");
    struct functions functions = {0};
    struct error ignored = {0};

    if (list && symbols_take_functions(&functions, list, file->name, &ignored) == 0 &&
        functions_sort(&functions, &ignored) == 0) {
        functions_free(&file->recorded);
        file->recorded = functions;
        functions = (struct functions){0};
    }
    functions_free(&functions);
    if (list) {
        fclose(list);
    } else {
        close(fd);
    }
}

static void try(const struct guest_files *files, struct guest_file *file)
{
    struct error ignored = {0};
    int fd = may_be(files, file) ? image_open(files->symfs, file->name, &ignored) : -1;

    file->tried = true;
    file->functions.data = files->data;
    if (fd < 0) {
        return;
    }
    if (strncmp(file->name, GUEST_FILES_JIT, strlen(GUEST_FILES_JIT)) == 0) {
        take_list(file, fd);
        return;
    }
    if (take(files, file, fd)) {
        file->path = image_path(fd);
    }
    if (!file->path) {
        functions_free(&file->functions);
    }
    close(fd);
}

bool guest_files_has(struct guest_files *files, uint32_t number)
{
    if (!files->file[number].tried) {
        try(files, &files->file[number]);
    }
    return files->file[number].path;
}

/* Returns the descriptor of a file in memory, or -1. */
static int make_file(const void *contents, size_t size)
{
    int fd = memfd_create("vpmu-guest-file", MFD_CLOEXEC);

    if (fd >= 0 && write(fd, contents, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int guest_files_give(struct guest_files *files, uint32_t number, const void *contents, size_t size,
                     struct error *t)
{
    struct guest_file *file = &files->file[number];
    int fd = make_file(contents, size);
    char *path;

    if (fd < 0) {
        return error_memory(t);
    }
    if (file->given) {
        close(file->fd);
        free(file->path);
        file->path = NULL;
        functions_free(&file->functions);
    }
    file->fd = fd;
    file->given = file->tried = true;
    if (take(files, file, file->fd)) {
        if (asprintf(&path, "/proc/self/fd/%d", file->fd) < 0) {
            return error_memory(t);
        }
        file->path = path;
    }
    return 0;
}

/* Memory is mapped in whole pages, even if a part begins in the middle of one. */
#define PAGE 0x1000u

/* Find the part of the file that contains @offset. */
static const struct image_part *part_of(const struct image *image, uint64_t offset)
{
    const struct image_part *found = NULL;

    for (size_t i = 0; i < image->parts; i++) {
        if (offset >= (image->part[i].offset & -(uint64_t)PAGE)) {
            found = &image->part[i];
        }
    }
    return found;
}

/* Is a function called after its address? Where it ends may not be known. */
static bool has_no_name(const struct function *f)
{
    const char *plus = strrchr(f->name, '+');

    return plus && strtoull(plus + 1, NULL, 16) == f->start;
}

int guest_files_record(struct guest_files *files, const char *name,
                       const struct functions *functions, uint64_t address, uint64_t offset,
                       struct error *t)
{
    struct guest_file *file;
    uint32_t number;

    if (guest_files_number(files, name, NULL, 0, &number, t)) {
        return -1;
    }
    file = &files->file[number];
    file->address = address;
    file->offset = offset;
    for (size_t i = 0; i < functions->n; i++) {
        struct function f = functions->function[i];

        f.called = has_no_name(&f);
        if (functions_add(&file->recorded, &f, t)) {
            return -1;
        }
    }
    return functions_sort(&file->recorded, t);
}

/* Find a function of a file of which there is no copy. */
static const struct function *find_recorded(const struct guest_file *file, uint64_t offset,
                                            const char **path, uint64_t *address)
{
    const struct function *function =
        functions_find(&file->recorded, offset - file->offset + file->address);

    if (function) {
        *path = NULL;
        *address = offset - file->offset + file->address;
    }
    return function;
}

/*
 * A stripped copy names functions after their addresses. The recorder may have had what was
 * stripped from it.
 */
static const struct function *better_of(const struct function *copy,
                                        const struct function *recorded)
{
    return recorded && (!copy || (has_no_name(copy) && !has_no_name(recorded))) ? recorded : copy;
}

const struct function *guest_files_find(struct guest_files *files, uint32_t number, uint64_t offset,
                                        const char **path, uint64_t *address)
{
    struct guest_file *file = &files->file[number];
    const struct image_part *part;

    part = guest_files_has(files, number) ? part_of(&file->image, offset) : NULL;
    if (!part) {
        return find_recorded(file, offset, path, address);
    }
    *path = file->path;
    *address = offset - part->offset + part->address;
    return better_of(functions_find(&file->functions, *address),
                     functions_find(&file->recorded, offset - file->offset + file->address));
}

int guest_files_call(struct guest_files *files, uint32_t number, uint64_t offset, struct error *t)
{
    struct guest_file *file = &files->file[number];
    const char *path = NULL, *slash = strrchr(file->name, '/');
    uint64_t address = offset;
    char name[256];

    guest_files_find(files, number, offset, &path, &address);
    address = path ? address : offset - file->offset + file->address;
    snprintf(name, sizeof(name), "%.200s+0x%" PRIx64, slash ? slash + 1 : file->name,
             path || file->recorded.n ? address : offset);
    return functions_add(&file->called,
                         &(struct function){.start = address, .called = true, .name = name}, t);
}

int guest_files_add_called(struct guest_files *files, struct error *t)
{
    int err = 0;

    for (size_t i = 0; i < files->n && !err; i++) {
        struct guest_file *file = &files->file[i];
        struct functions *to = file->path ? &file->functions : &file->recorded;

        if (file->called.n) {
            err = functions_sort(&file->called, t) ||
                          elffile_add_called(to, &file->called, file->path ? file->path : "", t) ||
                          functions_sort(to, t)
                      ? -1
                      : 0;
            functions_free(&file->called);
        }
    }
    return err;
}

const struct function *guest_files_data(struct guest_files *files, uint32_t number, uint64_t offset,
                                        int64_t distance)
{
    const char *path = NULL;
    uint64_t address;

    guest_files_find(files, number, offset, &path, &address);
    return path ? functions_find(&files->file[number].functions, address + (uint64_t)distance)
                : NULL;
}

void guest_files_free(struct guest_files *files)
{
    tdestroy(files->numbers, free);
    for (size_t i = 0; i < files->n; i++) {
        free(files->file[i].name);
        free(files->file[i].path);
        if (files->file[i].given) {
            close(files->file[i].fd);
        }
        functions_free(&files->file[i].functions);
        functions_free(&files->file[i].called);
        functions_free(&files->file[i].recorded);
    }
    free(files->file);
    *files = (struct guest_files){0};
}
