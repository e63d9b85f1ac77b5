/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page tables of arm64 (Arm ARM, D8.3: VMSAv8-64) and of x86-64 (Intel SDM volume 3, 4.5). Both
 * have entries of 8 bytes and tables of a page. Physical addresses have up to 48 bits here, because
 * a machine has no RAM above them.
 */
#include "kernel/page-walk.h"

#define ENTRY_VALID 1ull
/* arm64: the entry of a level above the last one is a table. */
#define ARM_TABLE 2ull
/* x86-64: the entry of a level above the last one is a page. */
#define X86_LARGE 0x80ull
#define ADDRESS 0x0000fffffffff000ull

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
    w->levels = (w->bits - page_bits + page_bits - 4) / (page_bits - 3);
    for (unsigned i = 0; i < PAGE_WALK_LEVELS; i++) {
        w->table[i].at = UINT64_MAX;
    }
    return w->levels <= PAGE_WALK_LEVELS;
}

/* Read the entry of @level for @address in the table at the physical address @table. */
static bool read_entry(struct page_walk *w, unsigned level, uint64_t table, uint64_t address,
                       uint64_t *entry)
{
    struct error ignored = {0};
    uint64_t first = address & (UINT64_MAX >> (64 - w->bits));

    if (w->table[level].at != table) {
        w->table[level].at = UINT64_MAX;
        if (w->memory->read(w->memory, table, w->table[level].entry, (size_t)w->page, &ignored)) {
            return false;
        }
        w->table[level].at = table;
    }
    *entry = w->table[level].entry[(first >> shift_of(w, level)) % (w->page / sizeof(*entry))];
    return *entry & ENTRY_VALID;
}

static bool is_table(const struct page_walk *w, uint64_t entry)
{
    return w->is_x86 ? !(entry & X86_LARGE) : (entry & ARM_TABLE) != 0;
}

/* Find the physical address. *@left is set to the number of bytes up to the end of its page. */
static bool translate(struct page_walk *w, uint64_t address, uint64_t *physical, uint64_t *left)
{
    uint64_t table = w->root & ADDRESS & -w->page;
    uint64_t entry = 0;

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

bool page_walk_read(struct page_walk *w, uint64_t at, void *to, size_t size)
{
    struct error ignored = {0};
    uint64_t physical;
    uint64_t left;

    for (size_t done = 0; done < size;) {
        size_t some;

        if (!translate(w, at + done, &physical, &left)) {
            return false;
        }
        some = size - done < left ? size - done : (size_t)left;
        if (w->memory->read(w->memory, physical, (char *)to + done, some, &ignored)) {
            return false;
        }
        done += some;
    }
    return true;
}
