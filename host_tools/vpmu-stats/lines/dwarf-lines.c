/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds source lines and inlined functions in debug information, with libdw. */
#include "lines/dwarf-lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

struct dwarf_lines {
    Dwarf *dwarf;
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

struct dwarf_lines *dwarf_lines_open(int fd)
{
    struct dwarf_lines *d = calloc(1, sizeof(*d));

    if (d) {
        d->dwarf = dwarf_begin(fd, DWARF_C_READ);
    }
    if (d && !d->dwarf) {
        free(d);
        d = NULL;
    }
    return d;
}

void dwarf_lines_close(struct dwarf_lines *d)
{
    if (d) {
        dwarf_end(d->dwarf);
        free(d);
    }
}

/* Find the compilation unit. Some compilers do not write .debug_aranges. */
static bool find_unit(struct dwarf_lines *d, uint64_t address, Dwarf_Die *unit)
{
    Dwarf_CU *cu = NULL;
    uint8_t type;

    if (dwarf_addrdie(d->dwarf, address, unit)) {
        return true;
    }
    while (dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, unit, NULL) == 0) {
        if (type == DW_UT_compile && dwarf_haspc(unit, address) > 0) {
            return true;
        }
    }
    return false;
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

size_t dwarf_lines_find(struct dwarf_lines *d, uint64_t address, struct dwarf_line *line)
{
    Dwarf_Die *scope = NULL;
    Dwarf_Die unit;
    Dwarf_Line *row;
    size_t n = 1;
    int number = 0;

    line[0] = (struct dwarf_line){0};
    if (!find_unit(d, address, &unit)) {
        return 0;
    }
    row = dwarf_getsrc_die(&unit, address);
    if (row && dwarf_lineno(row, &number) == 0 && number > 0) {
        line[0].line = (unsigned)number;
        line[0].file = dwarf_linesrc(row, NULL, NULL);
    }
    if (dwarf_getscopes(&unit, address, &scope) > 0) {
        n = add_inlined(&unit, &scope[0], line);
    }
    free(scope);
    return n > 1 || line[0].file ? n : 0;
}
