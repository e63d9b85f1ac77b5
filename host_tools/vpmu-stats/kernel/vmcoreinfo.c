/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format is described in Documentation/admin-guide/kdump/vmcoreinfo.rst of Linux. */
#include "kernel/vmcoreinfo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* The virtual address that an x86-64 kernel maps to the physical address phys_base. */
#define X86_START 0xffffffff80000000ull

/* Return: the value of a line "KEY=VALUE"; NULL if the line has another key. */
static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);

    return strncmp(line, key, n) == 0 && line[n] == '=' ? line + n + 1 : NULL;
}

/* The line has two digits for each byte. A kernel that was linked without a build ID has zeroes. */
static void take_build_id(struct vmcoreinfo *v, const char *hex)
{
    bool is_zero = true;

    v->has_build_id = false;
    if (strspn(hex, "0123456789abcdef") != 2 * VMCOREINFO_BUILD_ID) {
        return;
    }
    for (size_t i = 0; i < VMCOREINFO_BUILD_ID; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};

        v->build_id[i] = (unsigned char)strtoul(digits, NULL, 16);
        is_zero = is_zero && v->build_id[i] == 0;
    }
    v->has_build_id = !is_zero;
}

static void take_line(struct vmcoreinfo *v, const char *line)
{
    const struct {
        const char *key;
        int base;
        uint64_t *value;
    } numbers[] = {
        {"PAGESIZE", 10, &v->page},
        {"NUMBER(VA_BITS)", 10, &v->va_bits},
        {"NUMBER(TCR_EL1_T1SZ)", 16, &v->t1sz},
        {"NUMBER(pgtable_l5_enabled)", 10, &v->five_levels},
        {"NUMBER(VMEMMAP_START)", 16, &v->pages},
        {"NUMBER(PHYS_OFFSET)", 16, &v->ram},
        {"SYMBOL(swapper_pg_dir)", 16, &v->tables},
        {"SYMBOL(init_top_pgt)", 16, &v->tables},
        {"NUMBER(kimage_voffset)", 16, &v->variable},
        {"SYMBOL(kallsyms_names)", 16, &v->names},
        {"SYMBOL(kallsyms_num_syms)", 16, &v->number},
        {"SYMBOL(kallsyms_token_table)", 16, &v->tokens},
        {"SYMBOL(kallsyms_token_index)", 16, &v->index},
        {"SYMBOL(kallsyms_offsets)", 16, &v->offsets},
        {"SYMBOL(kallsyms_relative_base)", 16, &v->base},
    };
    const char *value = value_of(line, "OSRELEASE");

    if (value) {
        snprintf(v->release, sizeof(v->release), "%.*s", (int)strcspn(value, "\n"), value);
        format_tame(v->release);
    }
    value = value_of(line, "BUILD-ID");
    if (value) {
        take_build_id(v, value);
    }
    value = value_of(line, "NUMBER(phys_base)");
    if (value) {
        v->is_x86 = true;
        v->variable = strtoull(value, NULL, 10);
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        value = value_of(line, numbers[i].key);
        if (value) {
            *numbers[i].value = strtoull(value, NULL, numbers[i].base);
        }
    }
}

void vmcoreinfo_parse(struct vmcoreinfo *v, const char *text)
{
    *v = (struct vmcoreinfo){0};
    while (text) {
        take_line(v, text);
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    v->distance = v->is_x86 ? X86_START - v->variable : v->variable;
}

bool vmcoreinfo_whole(const struct vmcoreinfo *v)
{
    return v->page && v->tables && v->distance && v->names && v->number && v->tokens && v->index &&
           v->offsets;
}
