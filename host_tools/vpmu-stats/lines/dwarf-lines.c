/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds source lines and inlined functions in debug information, with libdw. */
#include "lines/dwarf-lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of a compilation unit; where its entry is in the debug information. */
struct range {
    uint64_t start;
    uint64_t end;
    uint64_t unit;
};

/* @range: @n ranges in the order of their start. */
struct dwarf_lines {
    Dwarf *dwarf;
    struct range *range;
    size_t n;
    size_t room;
};

/*
 * Sections may be compressed. The most that they may contain altogether, which is more than the
 * debug information of a kernel.
 */
#define MAX_CONTENTS (2ull << 30)

/* Add the size of a section's contents. Return: false if it is too large. */
static bool add_size(Elf_Scn *section, const GElf_Shdr *header, uint64_t *total)
{
    GElf_Chdr compressed;
    uint64_t size = header->sh_size;

    if (header->sh_flags & SHF_COMPRESSED) {
        size = gelf_getchdr(section, &compressed) ? compressed.ch_size : UINT64_MAX;
    }
    *total = size > MAX_CONTENTS - *total ? MAX_CONTENTS + 1 : *total + size;
    return *total <= MAX_CONTENTS;
}

static bool has_sections(Elf *elf)
{
    Elf_Scn *section = NULL;
    uint64_t total = 0;
    bool info = false;
    bool line = false;
    size_t names;
    GElf_Shdr header;

    if (elf_getshdrstrndx(elf, &names)) {
        return false;
    }
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (!name || strncmp(name, ".debug_", 7) != 0 || header.sh_type == SHT_NOBITS) {
            continue;
        }
        info |= strcmp(name, ".debug_info") == 0;
        line |= strcmp(name, ".debug_line") == 0;
        if (!add_size(section, &header, &total)) {
            return false;
        }
    }
    return info && line;
}

bool dwarf_lines_exist(int fd)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    /* The debug information of an object file, such as a kernel module, needs relocation. */
    bool exist = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
                 header.e_type != ET_REL && has_sections(elf);

    elf_end(elf);
    return exist;
}

/* Return: false if there is not enough memory. */
static bool add_range(struct dwarf_lines *d, const struct range *range)
{
    if (d->n == d->room) {
        size_t room = d->room ? 2 * d->room : 256;
        struct range *all = reallocarray(d->range, room, sizeof(*all));

        if (!all) {
            return false;
        }
        d->range = all;
        d->room = room;
    }
    d->range[d->n++] = *range;
    return true;
}

static bool add_unit(struct dwarf_lines *d, Dwarf_Die *unit)
{
    struct range range = {.unit = dwarf_dieoffset(unit)};
    ptrdiff_t next = 0;
    Dwarf_Addr base;

    while ((next = dwarf_ranges(unit, next, &base, &range.start, &range.end)) > 0) {
        if (range.start < range.end && !add_range(d, &range)) {
            return false;
        }
    }
    return true;
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *left = a;
    const struct range *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

/* Reads the ranges of all units. Not all compilers write .debug_aranges, which has them, too. */
static bool read_units(struct dwarf_lines *d)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t type;

    while (dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
        if (type == DW_UT_compile && !add_unit(d, &unit)) {
            return false;
        }
    }
    if (d->n) {
        qsort(d->range, d->n, sizeof(*d->range), compare_ranges);
    }
    return true;
}

struct dwarf_lines *dwarf_lines_open(int fd)
{
    struct dwarf_lines *d = calloc(1, sizeof(*d));

    if (d) {
        d->dwarf = dwarf_begin(fd, DWARF_C_READ);
    }
    if (d && (!d->dwarf || !read_units(d))) {
        dwarf_lines_close(d);
        d = NULL;
    }
    return d;
}

void dwarf_lines_close(struct dwarf_lines *d)
{
    if (d) {
        dwarf_end(d->dwarf);
        free(d->range);
        free(d);
    }
}

/* Find the compilation unit. @end: receives where it ends; without one, where the next one begins.
 */
static bool find_unit(struct dwarf_lines *d, uint64_t address, Dwarf_Die *unit, uint64_t *end)
{
    size_t low = 0;
    size_t high = d->n;

    /* Ranges below low begin at or before the address. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (d->range[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *end = low < d->n ? d->range[low].start : UINT64_MAX;
    if (low == 0 || address >= d->range[low - 1].end) {
        return false;
    }
    *end = d->range[low - 1].end < *end ? d->range[low - 1].end : *end;
    return dwarf_offdie(d->dwarf, d->range[low - 1].unit, unit);
}

static unsigned number_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute value;
    Dwarf_Word number;

    return dwarf_formudata(dwarf_attr(die, attribute, &value), &number) == 0 && number <= UINT32_MAX
               ? (unsigned)number
               : 0;
}

/* Where an inlined function was called. */
static struct dwarf_line call_of(Dwarf_Die *unit, Dwarf_Die *inlined)
{
    unsigned file = number_of(inlined, DW_AT_call_file);
    Dwarf_Files *files;
    size_t n;

    return (struct dwarf_line){
        .file = dwarf_getsrcfiles(unit, &files, &n) == 0 && file < n
                    ? dwarf_filesrc(files, file, NULL, NULL)
                    : NULL,
        .line = number_of(inlined, DW_AT_call_line),
    };
}

/* Add the inlined functions that contain the innermost scope. Return: the number of lines. */
static size_t add_inlined(Dwarf_Die *unit, Dwarf_Die *innermost, struct dwarf_line *line)
{
    Dwarf_Die *scope = NULL;
    int scopes = dwarf_getscopes_die(innermost, &scope);
    size_t n = 1;

    for (int i = 0; i < scopes && n < DWARF_LINES_FRAMES; i++) {
        if (dwarf_tag(&scope[i]) == DW_TAG_subprogram) {
            break;
        }
        if (dwarf_tag(&scope[i]) == DW_TAG_inlined_subroutine) {
            const char *name = dwarf_diename(&scope[i]);

            line[n - 1].function = name ? name : "[unknown]";
            line[n++] = call_of(unit, &scope[i]);
        }
    }
    free(scope);
    return n;
}

/* Returns the address of the first row behind @address; @end if there is none. */
static uint64_t next_row(Dwarf_Die *unit, uint64_t address, uint64_t end)
{
    size_t low = 0, high = 0;
    Dwarf_Lines *lines;
    Dwarf_Addr row;

    if (dwarf_getsrclines(unit, &lines, &high) != 0) {
        return address + 1;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (dwarf_lineaddr(dwarf_onesrcline(lines, middle), &row) == 0 && row > address) {
            high = middle;
            end = row < end ? row : end;
        } else {
            low = middle + 1;
        }
    }
    return end;
}

size_t dwarf_lines_find(struct dwarf_lines *d, uint64_t address, bool inlined,
                        struct dwarf_line *line, uint64_t *end)
{
    Dwarf_Die *scope = NULL;
    Dwarf_Die unit;
    Dwarf_Line *row;
    size_t n = 1;
    int number = 0;

    line[0] = (struct dwarf_line){0};
    if (!find_unit(d, address, &unit, end)) {
        return 0;
    }
    *end = inlined ? address + 1 : next_row(&unit, address, *end);
    row = dwarf_getsrc_die(&unit, address);
    if (row && dwarf_lineno(row, &number) == 0 && number > 0) {
        line[0].line = (unsigned)number;
        line[0].file = dwarf_linesrc(row, NULL, NULL);
    }
    if (inlined && dwarf_getscopes(&unit, address, &scope) > 0) {
        n = add_inlined(&unit, &scope[0], line);
    }
    free(scope);
    return n > 1 || line[0].file ? n : 0;
}
