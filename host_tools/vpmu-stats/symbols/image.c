/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void take_code(struct image *image, const GElf_Phdr *segment)
{
    if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && image->parts < IMAGE_PARTS) {
        image->part[image->parts++] = (struct image_part){
            .address = segment->p_vaddr, .size = segment->p_memsz, .offset = segment->p_offset};
    }
}

/*
 * The most note segments to read, and the most bytes in each, which is more than a program has.
 * libelf keeps in memory all that it has read, and a guest may have made the file.
 */
#define MAX_NOTES 64u
#define MAX_NOTES_SIZE 0x10000u

static void take_build_id(struct image *image, Elf *elf, const GElf_Phdr *segment)
{
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz,
                                          segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    size_t at = 0;
    size_t name;
    size_t desc;
    GElf_Nhdr note;

    while (data && !image->build_id_size &&
           (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
            memcmp((char *)data->d_buf + name, "GNU", sizeof("GNU")) == 0 && note.n_descsz > 0 &&
            note.n_descsz <= IMAGE_BUILD_ID) {
            memcpy(image->build_id, (char *)data->d_buf + desc, note.n_descsz);
            image->build_id_size = note.n_descsz;
        }
    }
}

/* Use the first build ID of the file. */
static void take_notes(struct image *image, Elf *elf, const GElf_Phdr *segment, unsigned *looked_at)
{
    if (segment->p_type == PT_NOTE && segment->p_filesz <= MAX_NOTES_SIZE &&
        !image->build_id_size && *looked_at < MAX_NOTES) {
        ++*looked_at;
        take_build_id(image, elf, segment);
    }
}

static int take_file(struct image *image, const char *path, Elf *elf, struct error *t)
{
    unsigned notes = 0;
    size_t n = 0;

    if (elf && elf_kind(elf) == ELF_K_ELF && elf_getphdrnum(elf, &n) == 0) {
        for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
            GElf_Phdr segment;

            if (gelf_getphdr(elf, (int)i, &segment)) {
                take_code(image, &segment);
                take_notes(image, elf, &segment, &notes);
            }
        }
    }
    elf_end(elf);
    return image->parts ? 0 : error_set(t, ERROR_USAGE, "%s is not an ELF file with code", path);
}

/* Find @path below @root. Symbolic links cannot lead out of @root. */
static int find_file(const char *root, const char *path)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    char *whole = NULL;
    int at;
    int fd;

    if (!root) {
        return open(path, O_PATH | O_CLOEXEC);
    }
    at = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) {
        return -1;
    }
    fd = (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
    close(at);
    /* Linux before 5.6 has no openat2(), so symbolic links can lead out of @root. */
    if (fd < 0 && errno == ENOSYS && asprintf(&whole, "%s/%s", root, path) > 0) {
        fd = open(whole, O_PATH | O_CLOEXEC);
        free(whole);
    }
    return fd;
}

/*
 * Check the type of the file before opening it for reading. Opening a device can have side effects,
 * and opening a FIFO waits for a writer.
 */
static int open_found(int found, const char *path, struct error *t)
{
    char self[32];
    struct stat status;
    int fd;

    if (fstat(found, &status) || !S_ISREG(status.st_mode)) {
        return error_set(t, ERROR_USAGE, "%s is not a regular file", path);
    }
    snprintf(self, sizeof(self), "/proc/self/fd/%d", found);
    fd = open(self, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
}

int image_open(const char *root, const char *path, struct error *t)
{
    int found = find_file(root, path);
    int fd;

    if (found < 0) {
        return error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    }
    fd = open_found(found, path, t);
    close(found);
    return fd;
}

char *image_path(int fd)
{
    char self[32];

    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    return realpath(self, NULL);
}

int image_take(struct image *image, int fd, const char *path, struct error *t)
{
    *image = (struct image){0};
    elf_version(EV_CURRENT);
    return take_file(image, path, elf_begin(fd, ELF_C_READ, NULL), t);
}

int image_take_beginning(struct image *image, void *bytes, size_t size)
{
    struct error ignored = {0};

    *image = (struct image){0};
    elf_version(EV_CURRENT);
    return take_file(image, "", elf_memory(bytes, size), &ignored);
}

int image_read(struct image *image, const char *root, const char *path, struct error *t)
{
    int fd = image_open(root, path, t);
    int err;

    *image = (struct image){0};
    if (fd < 0) {
        return -1;
    }
    err = image_take(image, fd, path, t);
    close(fd);
    return err;
}

/* More sections than a module has. A guest may have made the file. */
#define MAX_SECTIONS 4096u

bool image_is_object(Elf *elf)
{
    GElf_Ehdr header;

    return gelf_getehdr(elf, &header) && header.e_type == ET_REL;
}

uint64_t image_address(Elf *elf, size_t section)
{
    Elf_Scn *each = NULL;
    uint64_t address = 0;
    GElf_Shdr header;

    if (section > MAX_SECTIONS || !image_is_object(elf)) {
        return 0;
    }
    while ((each = elf_nextscn(elf, each)) && gelf_getshdr(each, &header)) {
        uint64_t align = header.sh_addralign ? header.sh_addralign : 1;

        if (!(header.sh_flags & SHF_ALLOC)) {
            continue;
        }
        address = (address + align - 1) / align * align;
        if (elf_ndxscn(each) == section) {
            return address;
        }
        address += header.sh_size;
    }
    return 0;
}
