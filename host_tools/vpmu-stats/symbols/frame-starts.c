/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions are in a stripped file. Linkers write .eh_frame_hdr with a table of them, but
 * not into static programs, which have only .eh_frame with an entry for each function (Linux
 * Standard Base, Core, 10.6). The guest may have made the file, so all of it is checked.
 */
#include "symbols/frame-starts.h"

#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* The encodings that linkers use: 4 bytes, relative to the field or to the start of the table. */
#define ENCODED_FRAME (DW_EH_PE_pcrel | DW_EH_PE_sdata4)
#define ENCODED_COUNT DW_EH_PE_udata4
#define ENCODED_TABLE (DW_EH_PE_datarel | DW_EH_PE_sdata4)

struct header {
    uint8_t version;
    uint8_t frame;
    uint8_t count;
    uint8_t table;
    int32_t frames;
    uint32_t n;
};

struct row {
    int32_t start;
    int32_t frame;
};

/**
 * struct table - the table in memory
 * @at: its first row, which need not be aligned.
 * @n: the number of rows.
 * @address: what starts are relative to.
 * @frames: the address of what it is an index of.
 */
struct table {
    const unsigned char *at;
    size_t n;
    uint64_t address;
    uint64_t frames;
};

/* Return: the segment of the index; its size is 0 if there is none. */
static GElf_Phdr find_segment(Elf *elf)
{
    GElf_Phdr segment;
    size_t n = 0;

    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n && i <= INT32_MAX; i++) {
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_GNU_EH_FRAME) {
            return segment;
        }
    }
    return (GElf_Phdr){.p_type = PT_NULL};
}

static bool is_of_host(Elf *elf)
{
    const char *identity = elf_getident(elf, NULL);

    return identity[EI_DATA] ==
           (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

static bool find_table(Elf *elf, struct table *table)
{
    struct header header;
    const GElf_Phdr segment = find_segment(elf);
    const Elf_Data *data;

    /* A file that has segments has an identity. */
    if (!segment.p_filesz || !is_of_host(elf)) {
        return false;
    }
    data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
    if (!data || !data->d_buf || data->d_size < sizeof(header)) {
        return false;
    }
    memcpy(&header, data->d_buf, sizeof(header));
    if (header.version != 1 || header.frame != ENCODED_FRAME || header.count != ENCODED_COUNT ||
        header.table != ENCODED_TABLE ||
        header.n > (data->d_size - sizeof(header)) / sizeof(struct row)) {
        return false;
    }
    *table = (struct table){.at = (const unsigned char *)data->d_buf + sizeof(header),
                            .n = header.n,
                            .address = segment.p_vaddr,
                            .frames = segment.p_vaddr + offsetof(struct header, frames) +
                                      (uint64_t)(int64_t)header.frames};
    return true;
}

/** struct starts - what starts are added to; @known: those that are sorted */
struct starts {
    struct functions *functions;
    struct functions known;
    const char *file;
};

static int add(struct starts *s, struct function f, struct error *t)
{
    char name[256];

    /* Functions are added to the same list, behind those that are sorted. */
    s->known.function = s->functions->function;
    if (functions_find(&s->known, f.start)) {
        return 0;
    }
    snprintf(name, sizeof(name), "%.200s+0x%" PRIx64, s->file, f.start);
    f.name = name;
    return functions_add(s->functions, &f, t);
}

/*
 * .eh_frame
 */

/** struct frames - the section; @address: where it is in memory */
struct frames {
    const unsigned char *at;
    size_t size;
    uint64_t address;
};

/* The entries that an index is about, up to the end of their segment. */
static bool find_indexed(Elf *elf, uint64_t address, struct frames *frames)
{
    GElf_Phdr part;
    const Elf_Data *data;

    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        uint64_t distance = address - part.p_vaddr;

        if (part.p_type == PT_LOAD && address >= part.p_vaddr && distance < part.p_filesz) {
            data = elf_getdata_rawchunk(elf, (int64_t)(part.p_offset + distance),
                                        part.p_filesz - distance, ELF_T_BYTE);
            *frames = (struct frames){data ? data->d_buf : NULL, data ? data->d_size : 0, address};
            return frames->at != NULL;
        }
    }
    return false;
}

static bool find_frames(Elf *elf, struct frames *frames)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    const Elf_Data *data;
    size_t names;

    if (elf_getshdrstrndx(elf, &names) || !is_of_host(elf)) {
        return false;
    }
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, ".eh_frame") == 0) {
            data = elf_rawdata(section, NULL);
            *frames =
                (struct frames){data ? data->d_buf : NULL, data ? data->d_size : 0, header.sh_addr};
            return frames->at != NULL;
        }
    }
    return false;
}

static unsigned take_byte(struct bytes *b)
{
    const unsigned char *at = bytes_skip(b, 1);

    return at ? *at : 0;
}

static void skip_leb128(struct bytes *b)
{
    while (take_byte(b) & 0x80) {
    }
}

/* Skips the address of a personality routine. Return: false if its size is not known. */
static bool skip_pointer(struct bytes *b)
{
    unsigned encoding = take_byte(b) & 0xf;
    bool is_word = encoding == DW_EH_PE_udata4 || encoding == DW_EH_PE_sdata4;

    bytes_skip(b, is_word ? 4 : 8);
    return is_word || encoding == DW_EH_PE_absptr || encoding == DW_EH_PE_udata8 ||
           encoding == DW_EH_PE_sdata8;
}

/* Does the common entry at an offset say that functions have the encoding that linkers use? */
static bool has_encoding(const struct frames *frames, size_t offset)
{
    struct bytes b = {.at = frames->at + offset, .left = frames->size - offset};
    const unsigned char *augmentation;
    size_t n;
    unsigned version;

    if (bytes_u32(&b) == 0 || bytes_u32(&b) != 0) {
        return false;
    }
    version = take_byte(&b);
    augmentation = b.at;
    n = strnlen((const char *)augmentation, b.left);
    if (version != 1 || n == b.left || augmentation[0] != 'z') {
        return false;
    }
    bytes_skip(&b, n + 1);
    skip_leb128(&b);
    skip_leb128(&b);
    take_byte(&b);
    skip_leb128(&b);
    for (size_t i = 1; i < n && !b.ended; i++) {
        if (augmentation[i] == 'R') {
            return take_byte(&b) == ENCODED_FRAME && !b.ended;
        }
        if (augmentation[i] == 'P' ? !skip_pointer(&b)
                                   : augmentation[i] == 'L' && !bytes_skip(&b, 1)) {
            return false;
        }
    }
    return false;
}

/**
 * struct entry - an entry of .eh_frame
 * @length: of the entry behind the length itself.
 * @common: the offset of its common entry; SIZE_MAX if it is one.
 */
struct entry {
    uint32_t length;
    size_t common;
    uint64_t start, size;
};

/* Reads an entry: its length, how far before it its CIE is, and so on. Return: false at the end. */
static bool read_entry(struct entry *e, const struct frames *frames, uint64_t at)
{
    struct bytes b;
    uint32_t distance;

    if (at > frames->size || frames->size - at < 12) {
        return false;
    }
    b = (struct bytes){.at = frames->at + at, .left = frames->size - at};
    *e = (struct entry){.length = bytes_u32(&b), .common = SIZE_MAX};
    distance = bytes_u32(&b);
    if (e->length < 8 || e->length > frames->size - at - 4) {
        return false;
    }
    if (distance && distance <= at + 4) {
        e->common = at + 4 - distance;
        e->start = frames->address + at + 8 + (uint64_t)(int64_t)(int32_t)bytes_u32(&b);
        e->size = bytes_u32(&b);
    }
    return true;
}

/** struct common - the last common entry, and whether its entries can be read */
struct common {
    size_t at;
    bool usable;
};

static bool is_usable(struct common *c, const struct frames *frames, const struct entry *e)
{
    if (e->common != SIZE_MAX && e->common != c->at) {
        *c = (struct common){e->common, has_encoding(frames, e->common)};
    }
    return e->common != SIZE_MAX && c->usable;
}

static int add_frames(struct starts *s, const struct frames *frames, struct error *t)
{
    struct common common = {.at = SIZE_MAX};
    struct entry e;
    int err = 0;

    for (size_t at = 0; !err && read_entry(&e, frames, at); at += 4 + e.length) {
        if (is_usable(&common, frames, &e)) {
            err = add(s, (struct function){.start = e.start, .end = e.start + e.size}, t);
        }
    }
    return err;
}

/* The entry of a function has its size. Without it, the function ends where the next one begins. */
static int add_table(struct starts *s, const struct table *table, const struct frames *frames,
                     struct error *t)
{
    struct common common = {.at = SIZE_MAX};
    int err = 0;

    for (size_t i = 0; i < table->n && !err; i++) {
        struct entry e;
        struct row row;
        uint64_t start, at;
        bool known;

        memcpy(&row, table->at + i * sizeof(row), sizeof(row));
        start = table->address + (uint64_t)(int64_t)row.start;
        at = table->address + (uint64_t)(int64_t)row.frame - frames->address;
        known = read_entry(&e, frames, at) && is_usable(&common, frames, &e) && e.start == start;
        err = add(s, (struct function){.start = start, .end = start + (known ? e.size : 0)}, t);
    }
    return err;
}

/* A program begins at a function, which may have neither a symbol nor an entry. */
static int add_beginning(struct starts *s, Elf *elf, struct error *t)
{
    GElf_Ehdr header;
    GElf_Phdr part;

    for (int i = 0; gelf_getehdr(elf, &header) && gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type == PT_LOAD && part.p_flags & PF_X && header.e_entry >= part.p_vaddr &&
            header.e_entry - part.p_vaddr < part.p_filesz && header.e_entry) {
            return add(s, (struct function){.start = header.e_entry, .called = true}, t);
        }
    }
    return 0;
}

int frame_starts_add(struct functions *functions, Elf *elf, const char *path, struct error *t)
{
    const char *slash = strrchr(path, '/');
    struct starts s = {.functions = functions, .file = slash ? slash + 1 : path};
    struct frames frames = {0};
    struct table table;
    bool has_table = find_table(elf, &table);
    int err;

    if (has_table) {
        find_indexed(elf, table.frames, &frames);
    } else {
        find_frames(elf, &frames);
    }
    if (functions_sort(functions, t)) {
        return -1;
    }
    s.known = *functions;
    err = has_table ? add_table(&s, &table, &frames, t) : add_frames(&s, &frames, t);
    return err ? err : add_beginning(&s, elf, t);
}
