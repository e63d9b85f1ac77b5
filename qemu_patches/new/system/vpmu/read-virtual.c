/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a guest's memory by virtual address, with the translation of the code
 * that runs
 *
 * The guest cannot notice: nothing faults, no flag in a page table is set, and
 * no device is read, unless the guest has page tables in a device.
 */

#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "system/vpmu_target.h"

/* Returns the host's address of @len bytes; NULL if not all are RAM. */
static const uint8_t *find_ram(CPUState *cs, const TranslateForDebugResult *at,
                               hwaddr len)
{
    hwaddr wanted = len;
    MemoryRegion *mr;
    hwaddr offset;

    mr = address_space_translate(cpu_get_address_space(cs,
                                     cpu_asidx_from_attrs(cs, at->attrs)),
                                 at->physaddr, &offset, &len, false, at->attrs);
    if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr) ||
        len < wanted) {
        return NULL;
    }
    return (const uint8_t *)memory_region_get_ram_ptr(mr) + offset;
}

/* Returns the host's address of a page of RAM; NULL if it is not mapped RAM. */
static const uint8_t *find_page(CPUState *cs, uint64_t page)
{
    TranslateForDebugResult at;
    bool mapped = vpmu_target->samples->translate
                  ? vpmu_target->samples->translate(cs, page, &at)
                  : cpu_translate_for_debug(cs, page, &at);

    return mapped ? find_ram(cs, &at, qemu_target_page_size()) : NULL;
}

bool vpmu_read_physical(CPUState *cs, uint64_t addr, void *buf, size_t len)
{
    TranslateForDebugResult at = { .physaddr = addr };
    const uint8_t *host = find_ram(cs, &at, len);

    if (host) {
        memcpy(buf, host, len);
    }
    return host;
}

bool vpmu_read_virtual(VPMUReader *reader, uint64_t addr, void *buf,
                       size_t len)
{
    while (len) {
        uint64_t page = addr & -(uint64_t)qemu_target_page_size();
        size_t some = MIN(len, qemu_target_page_size() - (addr - page));

        if (!reader->host || page != reader->page) {
            reader->host = find_page(reader->cpu, page);
            reader->page = page;
        }
        if (!reader->host) {
            return false;
        }
        memcpy(buf, reader->host + (addr - page), some);
        buf = (uint8_t *)buf + some;
        addr += some;
        len -= some;
    }
    return true;
}

bool vpmu_read_number(VPMUReader *reader, uint64_t addr, size_t len,
                      uint64_t *value)
{
    uint8_t buf[sizeof(*value)];

    if (!vpmu_read_virtual(reader, addr, buf, len)) {
        return false;
    }
    *value = reader->big_endian ? ldn_be_p(buf, len) : ldn_le_p(buf, len);
    return true;
}
