/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that read a guest's RAM, so that a client can find a kernel in it
 *
 * They work with any accelerator.  Each request is bounded, because the main
 * thread serves it.  Pages that have no memory on the host yet are not read,
 * because reading would allocate it.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-vpmu.h"
#include "qemu/units.h"
#include "system/vpmu_compat.h"
#include "system/vpmu_target.h"

/* The smallest page of any guest.  A larger page begins at such a page, too. */
#define PAGE (4 * KiB)

#define READ_MAX (256 * KiB)
#define TEXT_MAX 64
/* Limits of one answer: bytes that are searched, and pages that are found. */
#define SEARCH_MAX (256 * MiB)
#define FOUND_MAX 64

/* How many pages of the host one call of mincore() is for. */
#define RESIDENT 4096

/*
 * Searching
 */

typedef struct VPMUSearch {
    const char *text;
    size_t len;
    /* The address to begin at, and how many bytes may still be searched. */
    uint64_t from;
    uint64_t left;
    VPMUFound *found;
    uint64List **tail;
    unsigned int n;
} VPMUSearch;

#ifdef _WIN32
static bool search_resident(const uint8_t *host, size_t len, uint8_t *resident)
{
    return false;
}
#else
/* Which pages of the host have memory?  Returns false if that is not known. */
static bool search_resident(const uint8_t *host, size_t len, uint8_t *resident)
{
    return mincore((void *)host, len, resident) == 0;
}
#endif

/*
 * Searches @len bytes of RAM, which are at @addr in the guest.  Returns false
 * if the answer is full.
 */
static bool search_some(VPMUSearch *s, const uint8_t *host, uint64_t addr,
                        size_t len)
{
    uint8_t resident[RESIDENT];
    size_t page = qemu_real_host_page_size();
    bool known = search_resident(host, len, resident);

    for (size_t at = 0; at + PAGE <= len; at += PAGE) {
        if ((known && !(resident[at / page] & 1)) ||
            memcmp(host + at, s->text, s->len) != 0) {
            continue;
        }
        QAPI_LIST_APPEND(s->tail, addr + at);
        if (++s->n == FOUND_MAX) {
            s->found->has_next = true;
            s->found->next = addr + at + PAGE;
            return false;
        }
    }
    return true;
}

/* Searches a range of the address space.  Returns true to end the search. */
static bool search_range(Int128 start, Int128 len, const MemoryRegion *mr,
                         hwaddr offset, void *opaque)
{
    VPMUSearch *s = opaque;
    uint64_t end = int128_get64(int128_sub(int128_add(start, len),
                                           int128_one()));
    uint64_t at = MAX(ROUND_UP(int128_get64(start), PAGE), s->from);
    const uint8_t *ram;

    if (!memory_region_is_ram((MemoryRegion *)mr) ||
        memory_region_is_ram_device((MemoryRegion *)mr) || end < at) {
        return false;
    }
    ram = memory_region_get_ram_ptr((MemoryRegion *)mr) + offset;
    while (at < end) {
        size_t some = MIN(end - at + 1,
                          RESIDENT * qemu_real_host_page_size());

        if (s->left < some) {
            s->found->has_next = true;
            s->found->next = at;
            return true;
        }
        if (!search_some(s, ram + (at - int128_get64(start)), at, some)) {
            return true;
        }
        s->left -= some;
        at += some;
    }
    return false;
}

VPMUFound *qmp_vpmu_find(const char *text, bool has_from, uint64_t from,
                         Error **errp)
{
    VPMUSearch s = { .text = text, .len = strlen(text), .left = SEARCH_MAX };

    if (s.len < 1 || s.len > TEXT_MAX) {
        error_setg(errp, "'text' must have 1 to %d characters, not %zu",
                   TEXT_MAX, s.len);
        return NULL;
    }
    s.from = has_from ? ROUND_UP(MIN(from, UINT64_MAX - PAGE), PAGE) : 0;
    s.found = g_new0(VPMUFound, 1);
    s.tail = &s.found->pages;
    RCU_READ_LOCK_GUARD();
    flatview_for_each_range(address_space_to_flatview(&address_space_memory),
                            search_range, &s);
    return s.found;
}

/*
 * Reading
 */

static bool memory_read(uint64_t addr, uint8_t *buf, uint64_t len)
{
    RCU_READ_LOCK_GUARD();
    while (len) {
        hwaddr some = len;
        hwaddr offset;
        MemoryRegion *mr = address_space_translate(&address_space_memory, addr,
                                                   &offset, &some, false,
                                                   MEMTXATTRS_UNSPECIFIED);

        if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr)) {
            return false;
        }
        memcpy(buf, (uint8_t *)memory_region_get_ram_ptr(mr) + offset, some);
        buf += some;
        addr += some;
        len -= some;
    }
    return true;
}

VPMUMemory *qmp_vpmu_read(uint64_t address, uint32_t size, Error **errp)
{
    g_autofree uint8_t *buf = NULL;
    VPMUMemory *memory;

    if (size < 1 || size > READ_MAX) {
        error_setg(errp, "'size' must be 1 to %d bytes, not %" PRIu32,
                   (int)READ_MAX, size);
        return NULL;
    }
    buf = g_malloc(size);
    if (size - 1 > UINT64_MAX - address || !memory_read(address, buf, size)) {
        error_setg(errp, "the %" PRIu32 " bytes at 0x%" PRIx64
                   " are not all RAM", size, address);
        return NULL;
    }
    memory = g_new0(VPMUMemory, 1);
    memory->data = g_base64_encode(buf, size);
    return memory;
}

/*
 * Page tables
 */

static VPMUTables *tables_of(CPUState *cs)
{
    VPMUTables *tables = g_new0(VPMUTables, 1);

    tables->cpu_index = cs->cpu_index;
    if (vpmu_tables) {
        vpmu_tables(cs, tables);
    }
    return tables;
}

VPMUTablesList *qmp_query_vpmu_tables(Error **errp)
{
    VPMUTablesList *list = NULL;
    VPMUTablesList **tail = &list;
    CPUState *cs;

    CPU_FOREACH(cs) {
        QAPI_LIST_APPEND(tail, tables_of(cs));
    }
    return list;
}
