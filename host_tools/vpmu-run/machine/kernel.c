/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/kernel.h"

#include <endian.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* The header of a packed kernel (Documentation/arch/x86/boot.rst of Linux) */
#define SECTORS_AT 0x1f1
#define MAGIC_AT 0x202
#define VERSION_AT 0x206
#define PAYLOAD_AT 0x248
#define HEADER_SIZE 0x250
/* The first version whose header says where the payload is. */
#define VERSION_PAYLOAD 0x208
#define SECTOR 512
/* The note that has the PVH entry (xen/include/public/elfnote.h of Xen), and a limit on sizes. */
#define NOTE_PVH 18
#define UNPACKED_MAX (1u << 30)

struct bytes {
    uint8_t *at;
    size_t size;
};

static bool map(int fd, int protection, struct bytes *b)
{
    struct stat st;
    void *at;

    if (fstat(fd, &st) != 0 || st.st_size < HEADER_SIZE || st.st_size > UNPACKED_MAX) {
        return false;
    }
    b->size = (size_t)st.st_size;
    at = mmap(NULL, b->size, protection, MAP_SHARED, fd, 0);
    b->at = at;
    return at != MAP_FAILED;
}

static uint32_t little(const struct bytes *b, size_t at, size_t size)
{
    uint32_t value = 0;

    memcpy(&value, b->at + at, size);
    return le32toh(value);
}

/* find_payload() - Return: false if the kernel has none, or the header makes no sense */
static bool find_payload(const struct bytes *kernel, struct bytes *payload)
{
    uint64_t offset, size;

    if (memcmp(kernel->at + MAGIC_AT, "HdrS", 4) != 0 ||
        little(kernel, VERSION_AT, 2) < VERSION_PAYLOAD) {
        return false;
    }
    offset = (kernel->at[SECTORS_AT] + 1u) * SECTOR + (uint64_t)little(kernel, PAYLOAD_AT, 4);
    size = little(kernel, PAYLOAD_AT + 4, 4);
    if (size < sizeof(uint32_t) || offset > kernel->size || size > kernel->size - offset) {
        return false;
    }
    payload->at = kernel->at + offset;
    payload->size = size;
    return true;
}

/*
 * unpack() - Return: a descriptor of a file in memory, or -1 if the payload is not packed with zstd
 * The size of what it unpacks to follows the payload.
 */
static int unpack(const struct bytes *payload)
{
    size_t packed = payload->size - sizeof(uint32_t);
    uint32_t size = little(payload, packed, sizeof(size));
    struct bytes to;
    int fd = memfd_create("vpmu-run-kernel", 0);

    if (fd >= 0 && ftruncate(fd, size) == 0 && map(fd, PROT_READ | PROT_WRITE, &to)) {
        size_t n = ZSTD_decompress(to.at, to.size, payload->at, packed);

        munmap(to.at, to.size);
        if (n == size) {
            return fd;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool has_pvh_note(Elf_Data *notes)
{
    size_t at = 0, name, text;
    GElf_Nhdr note;

    while ((at = gelf_getnote(notes, at, &note, &name, &text)) > 0) {
        if (note.n_type == NOTE_PVH && note.n_namesz == sizeof("Xen") &&
            memcmp((const char *)notes->d_buf + name, "Xen", sizeof("Xen")) == 0) {
            return true;
        }
    }
    return false;
}

/* has_pvh_entry() - is it an ELF file that says where its PVH entry is? */
static bool has_pvh_entry(int fd)
{
    Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    bool found = false;
    size_t n = 0;

    if (elf && elf_getphdrnum(elf, &n) == 0) {
        for (size_t i = 0; i < n && !found; i++) {
            GElf_Phdr header;
            Elf_Data *notes;

            if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_NOTE) {
                notes = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz,
                                             ELF_T_NHDR);
                found = notes && has_pvh_note(notes);
            }
        }
    }
    elf_end(elf);
    return found;
}

int kernel_open(const char *path)
{
    struct bytes kernel, payload;
    int fd = open(path, O_RDONLY);

    if (fd >= 0 && map(fd, PROT_READ, &kernel)) {
        if (memcmp(kernel.at, ELFMAG, SELFMAG) != 0) {
            close(fd);
            fd = find_payload(&kernel, &payload) ? unpack(&payload) : -1;
        }
        munmap(kernel.at, kernel.size);
        if (fd >= 0 && has_pvh_entry(fd)) {
            return fd;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}
