/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds source lines and inlined functions in debug information, with libdw. */
#include "lines/dwarf-lines.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/image.h"

/* A section of an object file. libdwfl chooses other addresses than image_address(). */
struct section {
    uint64_t start;
    uint64_t size;
    uint64_t inside; /* libdwfl's address */
};

/* Addresses of a compilation unit; where its entry is in the debug information. */
struct range {
    uint64_t start;
    uint64_t end;
    uint64_t unit;
};

/*
 * @range: @n ranges in the order of their start.
 * @dwfl: has relocated the debug information of an object file, and owns @dwarf; otherwise NULL.
 * @section: @sections sections of the object file.
 */
struct dwarf_lines {
    Dwfl *dwfl;
    struct section *section;
    size_t sections;
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
    bool exist = elf && elf_kind(elf) == ELF_K_ELF && has_sections(elf);

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

/*
 * Object files, such as kernel modules. libdwfl relocates their debug information.
 */

/* The file that has been opened is the one with the debug information. */
static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                             const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc,
        (void)found;
    return -1;
}

static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = find_no_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* @elf has libdwfl's addresses in the headers of its sections. */
static bool read_sections(struct dwarf_lines *d, Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t n = 0;

    if (elf_getshdrnum(elf, &n) || !(d->section = reallocarray(NULL, n + 1, sizeof(*d->section)))) {
        return false;
    }
    while ((section = elf_nextscn(elf, section)) && d->sections < n) {
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR) {
            d->section[d->sections++] = (struct section){image_address(elf, elf_ndxscn(section)),
                                                         header.sh_size, header.sh_addr};
        }
    }
    return true;
}

/* The process may not have another descriptor, so libdwfl gets this one, and closes it. */
static bool open_object(struct dwarf_lines *d, int fd)
{
    Dwfl_Module *module;
    GElf_Addr bias;
    Elf *elf;

    d->dwfl = dwfl_begin(&callbacks);
    module = d->dwfl ? dwfl_report_offline(d->dwfl, "", "", fd) : NULL;
    if (!module || dwfl_report_end(d->dwfl, NULL, NULL)) {
        return false;
    }
    d->dwarf = dwfl_module_getdwarf(module, &bias);
    elf = dwfl_module_getelf(module, &bias);
    return d->dwarf && elf && read_sections(d, elf);
}

static bool is_object(int fd)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    bool is = elf && image_is_object(elf);

    elf_end(elf);
    return is;
}

/* Returns the section with an address of image_address(); NULL if there is none. */
static const struct section *section_at(const struct dwarf_lines *d, uint64_t address)
{
    for (size_t i = 0; i < d->sections; i++) {
        if (address - d->section[i].start < d->section[i].size) {
            return &d->section[i];
        }
    }
    return NULL;
}

struct dwarf_lines *dwarf_lines_open(int fd)
{
    struct dwarf_lines *d = calloc(1, sizeof(*d));
    bool opened = d && is_object(fd) && open_object(d, fd);

    if (d && !d->dwfl) {
        d->dwarf = dwarf_begin(fd, DWARF_C_READ);
        opened = d->dwarf;
    }
    if (d && (!opened || !read_units(d))) {
        dwarf_lines_close(d);
        d = NULL;
    }
    return d;
}

void dwarf_lines_close(struct dwarf_lines *d)
{
    if (d && d->dwfl) {
        dwfl_end(d->dwfl);
    } else if (d) {
        dwarf_end(d->dwarf);
    }
    if (d) {
        free(d->section);
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

static size_t find(struct dwarf_lines *d, uint64_t address, bool inlined, struct dwarf_line *line,
                   uint64_t *end)
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

size_t dwarf_lines_find(struct dwarf_lines *d, uint64_t address, bool inlined,
                        struct dwarf_line *line, uint64_t *end)
{
    const struct section *section = section_at(d, address);
    size_t n;

    if (!d->dwfl) {
        return find(d, address, inlined, line, end);
    }
    *end = address + 1;
    if (!section) {
        return 0;
    }
    n = find(d, address - section->start + section->inside, inlined, line, end);
    *end = *end - section->inside < section->size ? *end - section->inside : section->size;
    *end += section->start;
    return n;
}
