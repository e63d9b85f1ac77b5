/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Linux kernel publishes addresses in a text at the start of a page (VMCOREINFO). Memory may hold
 * several such pages: of a kernel that ran before a reset, of a nested guest, or written by a
 * program. We use the page that passes two checks. A vCPU has loaded the page table that the text
 * names. A variable of the kernel confirms the distance between virtual and physical addresses.
 *
 * On x86-64 each process has a page table of its own. All of them have the same last entry, which
 * maps the kernel, so that entry is compared instead.
 */
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"
#include "kernel/kernel-code.h"

/* With KPTI, programs run with another page table, at most this many pages before the kernel's. */
#define TABLES_APART 16u
/*
 * The x86-64 page table entry that maps the kernel, the address bits of an entry and of CR3, and
 * the present bit of an entry. With KPTI, the page table of programs is in the page after the
 * kernel's.
 */
#define X86_ENTRY (511u * sizeof(uint64_t))
#define X86_MASK 0x000ffffffffff000ull
#define X86_PRESENT 1u
#define X86_PROGRAMS 0x1000ull

/* The address bits of TTBR1. */
#define TABLE_MASK 0x0000fffffffff000ull
/* The most bytes of BTF. No kernel has as many. */
#define MAX_TYPES (64u << 20)

/* The most bytes of a vDSO. */
#define MAX_VDSO (1u << 20)

#define WHERE "the guest's memory"

/* Check whether a vCPU has loaded the kernel's page table, or the KPTI page table before it. */
static bool has_table(const struct vmcoreinfo *v, const uint64_t *tables, size_t n)
{
    uint64_t mask = TABLE_MASK & -v->page;
    uint64_t own = (v->tables - v->distance) & mask;

    for (size_t i = 0; i < n; i++) {
        if (tables[i] & mask && own - (tables[i] & mask) <= TABLES_APART * v->page) {
            return true;
        }
    }
    return false;
}

/* Read the address in the kernel's entry of the page table at @at. Return: 0 if there is none. */
static uint64_t entry_of(struct memory *m, uint64_t at)
{
    struct error ignored = {0};
    uint64_t entry;

    return m->read(m, (at & X86_MASK) + X86_ENTRY, &entry, sizeof(entry), &ignored) == 0 &&
                   (entry & X86_PRESENT)
               ? entry & X86_MASK
               : 0;
}

static bool has_entry(struct memory *m, const struct vmcoreinfo *v, const uint64_t *tables,
                      size_t n)
{
    uint64_t own = entry_of(m, v->tables - v->distance);

    for (size_t i = 0; own && i < n; i++) {
        if (entry_of(m, tables[i]) == own || entry_of(m, tables[i] & ~X86_PROGRAMS) == own) {
            return true;
        }
    }
    return false;
}

/*
 * Check whether the kernel's variable has the value that VMCOREINFO gives. If the kernel has no
 * symbol for the variable, the check passes.
 */
static bool is_here(const struct kernel *k, struct memory *m, const struct vmcoreinfo *v)
{
    struct error ignored = {0};
    uint64_t value;

    return !k->symbols.distance ||
           (m->read(m, k->symbols.distance - v->distance, &value, sizeof(value), &ignored) == 0 &&
            value == v->variable);
}

static int read_types(struct kernel *k, struct memory *m, const struct vmcoreinfo *v,
                      struct error *t)
{
    uint64_t size = k->symbols.types_end - k->symbols.types;
    struct error ignored = {0};
    void *types;

    if (!k->symbols.types || size == 0 || size > MAX_TYPES) {
        return 0;
    }
    types = malloc((size_t)size);
    if (!types) {
        return error_memory(t);
    }
    k->has_layout =
        m->read(m, k->symbols.types - v->distance, types, (size_t)size, &ignored) == 0 &&
        btf_parse(&k->layout, types, (size_t)size, WHERE, &ignored) == 0;
    free(types);
    return 0;
}

/* Read the vDSO, which is in the kernel's image. A kernel whose vDSO is not found has none. */
static int read_vdso(struct kernel *k, struct memory *m, const struct vmcoreinfo *v,
                     struct error *t)
{
    uint64_t image[2] = {k->symbols.vdso, k->symbols.vdso_end - k->symbols.vdso};
    struct error ignored = {0};

    if (v->is_x86 && (!k->symbols.vdso_image || m->read(m, k->symbols.vdso_image - v->distance,
                                                        image, sizeof(image), &ignored))) {
        return 0;
    }
    if (!image[0] || !image[1] || image[1] > MAX_VDSO) {
        return 0;
    }
    k->vdso = malloc((size_t)image[1]);
    if (!k->vdso) {
        return error_memory(t);
    }
    k->vdso_size = (size_t)image[1];
    if (m->read(m, image[0] - v->distance, k->vdso, k->vdso_size, &ignored)) {
        free(k->vdso);
        k->vdso = NULL;
    }
    return 0;
}

static int read_files(struct kernel *k, struct memory *m, const struct vmcoreinfo *v,
                      struct error *t)
{
    k->files = calloc(1, sizeof(*k->files));
    if (!k->files) {
        return error_memory(t);
    }
    if (!k->has_layout || !page_cache_init(k->files, m, v, &k->layout, k->symbols.pages)) {
        free(k->files);
        k->files = NULL;
    }
    return 0;
}

/*
 * A list of symbols as of /proc/kallsyms. @text and @size are valid after fflush(@file).
 */
struct list {
    char *text;
    size_t size;
    FILE *file;
};

static int take_symbols(struct kernel *k, const struct list *l, struct error *t)
{
    FILE *list = fmemopen(l->text, l->size, "r");
    int err;

    if (!list) {
        return error_memory(t);
    }
    symbols_free(&k->symbols);
    err = symbols_take(&k->symbols, list, WHERE, t);
    fclose(list);
    return err;
}

static int take_functions(struct kernel *k, const struct list *l, struct error *t)
{
    FILE *list = fmemopen(l->text, l->size, "r");
    int err;

    if (!list) {
        return error_memory(t);
    }
    err = symbols_take_functions(&k->functions, list, WHERE, t);
    fclose(list);
    return err;
}

static int add_code(struct kernel *k, struct memory *m, struct error *t)
{
    const struct kernel_code code = {.memory = m, .info = &k->info, .layout = &k->layout};

    return k->has_layout ? kernel_code_add(&code, &k->symbols, &k->functions, &k->orc, t)
                         : functions_sort(&k->functions, t);
}

/* Read the kernel. Return: 1 if it is the running one, 0 if it is not, -1 with an error. */
static int read_kernel(struct kernel *k, struct memory *m, const struct vmcoreinfo *v,
                       const struct list *l, struct error *t)
{
    if (kallsyms_list(m, v, l->file, t)) {
        return -1;
    }
    if (fflush(l->file)) {
        return error_memory(t);
    }
    if (take_symbols(k, l, t)) {
        return -1;
    }
    if (!is_here(k, m, v)) {
        kernel_free(k);
        return 0;
    }
    strcpy(k->release, v->release);
    memcpy(k->build_id, v->build_id, sizeof(k->build_id));
    k->has_build_id = v->has_build_id;
    if (read_types(k, m, v, t) || read_vdso(k, m, v, t) || read_files(k, m, v, t)) {
        return -1;
    }
    orc_tables_kernel(&k->orc, &k->symbols, &k->layout);
    k->info = *v;
    return take_functions(k, l, t) || add_code(k, m, t) ? -1 : 1;
}

/* Read the kernel. Return: as read_kernel(). */
static int try(struct kernel *k, struct memory *m, const struct vmcoreinfo *v, struct error *t)
{
    struct list l = {0};
    int found;

    if (!vmcoreinfo_whole(v)) {
        return error_set(t, ERROR_USAGE,
                         "Linux %s does not give the address of its symbol table; 6.0 and later do",
                         v->release);
    }
    l.file = open_memstream(&l.text, &l.size);
    if (!l.file) {
        return error_memory(t);
    }
    found = read_kernel(k, m, v, &l, t);
    fclose(l.file);
    free(l.text);
    return found;
}

/* Parse the VMCOREINFO at @page. Return: true if it can be that of the running kernel. */
static bool look(struct memory *m, uint64_t page, const uint64_t *tables, size_t n,
                 struct vmcoreinfo *v)
{
    struct memory *where = m->found_in ? m->found_in : m;
    char text[VMCOREINFO_SIZE + 1] = {0};
    struct error ignored = {0};

    /* If the guest's pages have 4 KiB, this one may be the last in memory. */
    if (where->read(where, page, text, VMCOREINFO_SIZE, &ignored) &&
        where->read(where, page, text, VMCOREINFO_SIZE / 2, &ignored)) {
        return false;
    }
    vmcoreinfo_parse(v, text);
    return v->page && v->tables && v->distance &&
           (v->is_x86 ? has_entry(m, v, tables, n) : has_table(v, tables, n));
}

int kernel_find(struct kernel *k, struct memory *m, struct error *t)
{
    static uint64_t tables[MEMORY_TABLES];
    uint64_t pages[MEMORY_FOUND];
    struct vmcoreinfo v;
    size_t n_tables;
    size_t n;

    if (m->tables(m, tables, &n_tables, t) || m->find(m, VMCOREINFO_BEGIN, pages, &n, t)) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (look(m, pages[i], tables, n_tables, &v)) {
            int found = try(k, m, &v, t);

            if (found) {
                return found > 0 ? 0 : -1;
            }
        }
    }
    return error_set(t, ERROR_USAGE,
                     "no Linux kernel with a symbol table was found in the guest's memory");
}

void kernel_free(struct kernel *k)
{
    symbols_free(&k->symbols);
    functions_free(&k->functions);
    free(k->vdso);
    free(k->files);
    *k = (struct kernel){0};
}
