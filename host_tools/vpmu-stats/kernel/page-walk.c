/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page tables of arm64 (Arm ARM, D8.3: VMSAv8-64; both stages) and of x86-64 (Intel SDM volume
 * 3, 4.5; AMD's manual, volume 2, 15.25: nested page tables have the same format). Both have
 * entries of 8 bytes and tables of a page. Physical addresses have up to 48 bits here, because a
 * machine has no RAM above them.
 */
#include "kernel/page-walk.h"

#define ENTRY_VALID 1ull
/* arm64: the entry of a level above the last one is a table. */
#define ARM_TABLE 2ull
/* x86-64: the entry of a level above the last one is a page, which has 1 GiB at most. */
#define X86_LARGE 0x80ull
#define X86_LARGE_BITS 30u
#define ADDRESS 0x0000fffffffff000ull
#define ADDRESS_BITS 48u
/* A table of the first level can be smaller than a page. */
#define FIRST_TABLE 0x0000ffffffffffc0ull
/* The most bits that addresses of a program have, with LPA2 or pages of 64 KiB. */
#define PROGRAM_BITS 52u

/* Fields of TCR and VTCR_EL2. The first level of a guest has up to 16 tables, side by side. */
#define TCR_T0SZ(tcr) ((unsigned)((tcr) % 64))
#define TCR_TG0(tcr) ((unsigned)((tcr) >> 14) & 3)
#define VTCR_SL0(vtcr) ((unsigned)((vtcr) >> 6) & 3)
#define CONCATENATED_BITS 4u

static unsigned shift_of(const struct page_walk *w, unsigned level)
{
    unsigned page_bits = (unsigned)__builtin_ctzll(w->page);

    return page_bits + (w->levels - 1 - level) * (page_bits - 3);
}

/*
 * A kernel that was built for 52 bits and runs on a CPU with fewer uses tables with fewer levels.
 * With pages of 64 KiB there are three levels either way, and the first table has all entries.
 */
static unsigned bits_of(const struct vmcoreinfo *v)
{
    if (v->is_x86) {
        return v->five_levels ? 57 : 48;
    }
    return v->t1sz && v->t1sz < 64 && v->page != 0x10000 ? 64 - (unsigned)v->t1sz
                                                         : (unsigned)v->va_bits;
}

static void forget_tables(struct page_walk *w)
{
    for (unsigned i = 0; i < PAGE_WALK_LEVELS; i++) {
        w->table[i].at = UINT64_MAX;
    }
}

/* The number of levels for addresses of w->bits bits; w->page has @page_bits. */
static unsigned levels_of(const struct page_walk *w, unsigned page_bits)
{
    return (w->bits - page_bits + page_bits - 4) / (page_bits - 3);
}

bool page_walk_init(struct page_walk *w, struct memory *m, const struct vmcoreinfo *v)
{
    unsigned page_bits = (unsigned)__builtin_ctzll(v->page | 1ull << 63);

    w->memory = m;
    w->is_x86 = v->is_x86;
    w->root = v->tables - v->distance;
    w->page = v->page;
    w->bits = bits_of(v);
    if ((v->page != 0x1000 && v->page != 0x4000 && v->page != 0x10000) || w->bits <= page_bits ||
        w->bits > 64) {
        return false;
    }
    w->levels = levels_of(w, page_bits);
    w->sign_extended = true;
    forget_tables(w);
    return w->levels <= PAGE_WALK_LEVELS;
}

/* Fills in everything but the number of levels. Return: false if there is no page table. */
static bool init_lower(struct page_walk *w, struct memory *m, uint64_t root, uint64_t tcr)
{
    static const uint64_t pages[] = {0x1000, 0x10000, 0x4000, 0};

    w->memory = m;
    w->is_x86 = false;
    w->sign_extended = false;
    w->root = root & FIRST_TABLE;
    w->page = pages[TCR_TG0(tcr)];
    w->bits = 64 - TCR_T0SZ(tcr);
    forget_tables(w);
    return w->root && w->page;
}

/* The first table is aligned to its size. */
static void align_root(struct page_walk *w)
{
    w->root &= -(sizeof(uint64_t) << (w->bits - shift_of(w, 0)));
}

/* The number of levels by VTCR_EL2.SL0; 0 if it is not known. */
static unsigned stage2_levels(uint64_t page, unsigned sl0)
{
    static const unsigned of_4k[] = {2, 3, 4, 1};
    static const unsigned of_others[] = {1, 2, 3, 0};

    return page == 0x1000 ? of_4k[sl0] : of_others[sl0];
}

bool page_walk_init_stage2(struct page_walk *w, struct memory *m, uint64_t vttbr, uint64_t vtcr)
{
    unsigned entry_bits;

    if (!init_lower(w, m, vttbr, vtcr) || w->bits > ADDRESS_BITS) {
        return false;
    }
    entry_bits = (unsigned)__builtin_ctzll(w->page) - 3;
    w->levels = stage2_levels(w->page, VTCR_SL0(vtcr));
    if (!w->levels || w->bits <= shift_of(w, 0) ||
        w->bits > shift_of(w, 0) + entry_bits + CONCATENATED_BITS) {
        return false;
    }
    align_root(w);
    return true;
}

bool page_walk_init_program(struct page_walk *w, struct memory *m, uint64_t ttbr0, uint64_t tcr)
{
    unsigned page_bits;

    if (!init_lower(w, m, ttbr0, tcr)) {
        return false;
    }
    page_bits = (unsigned)__builtin_ctzll(w->page);
    if (w->bits <= page_bits || w->bits > PROGRAM_BITS) {
        return false;
    }
    w->levels = levels_of(w, page_bits);
    if (w->levels > PAGE_WALK_LEVELS) {
        return false;
    }
    align_root(w);
    return true;
}

bool page_walk_init_x86(struct page_walk *w, struct memory *m, uint64_t root, bool five_levels,
                        bool programs)
{
    w->memory = m;
    w->is_x86 = true;
    w->sign_extended = false;
    w->root = root & ADDRESS;
    w->page = 0x1000;
    w->bits = (five_levels ? 57u : 48u) - (programs ? 1u : 0u);
    w->levels = five_levels ? 5 : 4;
    forget_tables(w);
    return w->root;
}

/* Read the page of a table of @level at the physical address @table. */
static bool read_table(struct page_walk *w, unsigned level, uint64_t table)
{
    struct error ignored = {0};

    if (w->table[level].at != table) {
        w->table[level].at = UINT64_MAX;
        if (w->memory->read(w->memory, table, w->table[level].entry, (size_t)w->page, &ignored)) {
            return false;
        }
        w->table[level].at = table;
    }
    return true;
}

/* Read the entry of @level for @address in the table at the physical address @table. */
static bool read_entry(struct page_walk *w, unsigned level, uint64_t table, uint64_t address,
                       uint64_t *entry)
{
    uint64_t index = (address & (UINT64_MAX >> (64 - w->bits))) >> shift_of(w, level);
    uint64_t entries = w->page / sizeof(*entry);

    if (level == 0) {
        index += table % w->page / sizeof(*entry);
        table = (table & -w->page) + index / entries * w->page;
    }
    if (!read_table(w, level, table)) {
        return false;
    }
    *entry = w->table[level].entry[index % entries];
    return (*entry & ENTRY_VALID) && !(w->is_x86 && level < w->levels - 1 && (*entry & X86_LARGE) &&
                                       shift_of(w, level) > X86_LARGE_BITS);
}

static bool is_table(const struct page_walk *w, uint64_t entry)
{
    return w->is_x86 ? !(entry & X86_LARGE) : (entry & ARM_TABLE) != 0;
}

/* Find the physical address. *@left is set to the number of bytes up to the end of its page. */
static bool translate(struct page_walk *w, uint64_t address, uint64_t *physical, uint64_t *left)
{
    uint64_t table = w->root & FIRST_TABLE;
    uint64_t entry = 0;

    if (!w->sign_extended && address >> w->bits) {
        return false;
    }
    for (unsigned level = 0; level < w->levels; level++) {
        uint64_t inside = (1ull << shift_of(w, level)) - 1;

        if (!read_entry(w, level, table, address, &entry)) {
            return false;
        }
        if (level == w->levels - 1 || !is_table(w, entry)) {
            *physical = (entry & ADDRESS & ~inside) | (address & inside);
            *left = inside + 1 - (address & inside);
            return true;
        }
        table = entry & ADDRESS & -w->page;
    }
    return false;
}

/*
 * Find the physical address, and how many bytes, at most @size, follow it without a gap. Each read
 * is a command to the machine, so a few large reads take less time than many small ones.
 */
static bool find_run(struct page_walk *w, uint64_t at, size_t size, uint64_t *physical,
                     size_t *some)
{
    uint64_t next;
    uint64_t left;

    if (!translate(w, at, physical, &left)) {
        return false;
    }
    *some = size < left ? size : (size_t)left;
    while (*some < size && translate(w, at + *some, &next, &left) && next == *physical + *some) {
        *some = size - *some < left ? size : *some + (size_t)left;
    }
    return true;
}

bool page_walk_read(struct page_walk *w, uint64_t at, void *to, size_t size)
{
    struct error ignored = {0};
    uint64_t physical;

    for (size_t done = 0; done < size;) {
        size_t some;

        if (!find_run(w, at + done, size - done, &physical, &some)) {
            return false;
        }
        if (w->memory->read(w->memory, physical, (char *)to + done, some, &ignored)) {
            return false;
        }
        done += some;
    }
    return true;
}

bool page_walk_translate(struct page_walk *w, uint64_t at, uint64_t *physical)
{
    uint64_t left;

    return translate(w, at, physical, &left);
}

/*
 * Look for @physical in the table at @table, which is of @level and maps the addresses from @first
 * on. @tables is how many tables may still be read.
 */
static bool find_below(struct page_walk *w, unsigned level, uint64_t table, uint64_t first,
                       uint64_t physical, unsigned *tables, uint64_t *at)
{
    uint64_t inside = (1ull << shift_of(w, level)) - 1;
    uint64_t entries = w->page / sizeof(uint64_t);
    uint64_t address = first;

    if (*tables == 0 || !read_table(w, level, table & -w->page)) {
        return false;
    }
    --*tables;
    for (uint64_t i = 0; i < entries && *tables != 0; i++, address += inside + 1) {
        uint64_t entry;
        bool is_page;

        if (address >> w->bits || !read_entry(w, level, table, address, &entry)) {
            continue;
        }
        is_page = level == w->levels - 1 || !is_table(w, entry);
        if (is_page && ((entry ^ physical) & ADDRESS & ~inside) == 0) {
            *at = address + (physical & inside);
            return true;
        }
        if (!is_page &&
            find_below(w, level + 1, entry & ADDRESS & -w->page, address, physical, tables, at)) {
            return true;
        }
    }
    return false;
}

bool page_walk_find(struct page_walk *w, uint64_t physical, uint64_t *at)
{
    unsigned tables = PAGE_WALK_FIND;

    return find_below(w, 0, w->root, 0, physical, &tables, at);
}
