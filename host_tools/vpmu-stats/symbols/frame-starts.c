/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin in a stripped file. Linkers write .eh_frame_hdr with a table of them
 * (Linux Standard Base, Core, 10.6.2). The guest may have made the file, so all of it is checked.
 */
#include "symbols/frame-starts.h"

#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
 */
struct table {
    const unsigned char *at;
    size_t n;
    uint64_t address;
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
                            .address = segment.p_vaddr};
    return true;
}

static int add(struct functions *functions, const char *file, uint64_t start, struct error *t)
{
    char name[256];

    snprintf(name, sizeof(name), "%.200s+0x%" PRIx64, file, start);
    return functions_add(functions, &(struct function){.start = start, .name = name}, t);
}

int frame_starts_add(struct functions *functions, Elf *elf, const char *path, struct error *t)
{
    const char *slash = strrchr(path, '/');
    struct functions known;
    struct table table;
    int err = 0;

    if (!find_table(elf, &table)) {
        return 0;
    }
    if (functions_sort(functions, t)) {
        return -1;
    }
    /* Functions are added to the same list, behind those that are sorted. */
    known = *functions;
    for (size_t i = 0; i < table.n && !err; i++) {
        struct row row;
        uint64_t start;

        memcpy(&row, table.at + i * sizeof(row), sizeof(row));
        start = table.address + (uint64_t)(int64_t)row.start;
        known.function = functions->function;
        if (!functions_find(&known, start)) {
            err = add(functions, slash ? slash + 1 : path, start, t);
        }
    }
    return err;
}
