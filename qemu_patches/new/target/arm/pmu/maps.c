/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program has in memory at an address, as an arm64 Linux has it since
 * 6.1: its areas are in a tree of ranges (Documentation/core-api/maple_tree.rst
 * of Linux, include/linux/maple_tree.h), and each has its file, whose path is
 * made of the names of directories up to the root, across mounts.
 *
 * Where all that is the client has found out; what is there is the guest's,
 * may change meanwhile, and may be anything: each walk has an end.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"
#include "private.h"
#include "sample.h"

/* Of an entry of the tree: what is in it apart from the node's address. */
#define NODE_MASK 255
#define NODE_TYPE_SHIFT 3
#define NODE_TYPE_MASK 15
enum { NODE_LEAF = 1, NODE_RANGE, NODE_WIDE };
/* The root says so, if it is a node. */
#define ROOT_MASK 3
#define ROOT_NODE 2

/* A tree of 10 slots in each node is deeper for no number of areas. */
#define DEPTH_MAX 20
#define PIVOTS_MAX 31
/* VM_EXEC */
#define AREA_CODE 4
/* Names of a path and mounts, and characters of a name. */
#define NAMES_MAX 128
#define NAME_MAX_LEN 255

/* What is looked for, and where; what was found. */
typedef struct VPMUMapLook {
    const VPMURecordMaps *where;
    uint64_t mm;
    uint64_t addr;
    unsigned int page_bits;
    VPMUMap *map;
} VPMUMapLook;

static bool maps_u64(VPMUPeek *peek, uint64_t addr, uint64_t *value)
{
    return arm_vpmu_peek_number(peek, addr, 8, value);
}

/*
 * The tree
 */

/* The entry of a node for the address. */
static bool maps_step(VPMUPeek *peek, const VPMUMapLook *look, uint64_t *entry)
{
    unsigned int type = *entry >> NODE_TYPE_SHIFT & NODE_TYPE_MASK;
    uint64_t node = *entry & ~(uint64_t)NODE_MASK;
    uint32_t slots = type == NODE_WIDE ? look->where->wide_slots
                                       : look->where->slots;
    uint32_t n = MIN((slots - look->where->pivots) / 8, PIVOTS_MAX);
    uint32_t i;

    for (i = 0; i < n; i++) {
        uint64_t pivot;

        if (!maps_u64(peek, node + look->where->pivots + 8 * i, &pivot)) {
            return false;
        }
        /* There are no more, or this is it. */
        if (pivot >= look->addr || (i && !pivot)) {
            break;
        }
    }
    return maps_u64(peek, node + slots + 8 * i, entry) && *entry;
}

/* The area that has the address, if there is one. */
static bool maps_area(VPMUPeek *peek, const VPMUMapLook *look, uint64_t *area)
{
    unsigned int type;

    if (!maps_u64(peek, look->mm + look->where->tree, area) ||
        (*area & ROOT_MASK) != ROOT_NODE) {
        return false;
    }
    for (unsigned int depth = 0; depth < DEPTH_MAX; depth++) {
        type = *area >> NODE_TYPE_SHIFT & NODE_TYPE_MASK;
        if (type < NODE_LEAF || type > NODE_WIDE ||
            !maps_step(peek, look, area)) {
            return false;
        }
        if (type == NODE_LEAF) {
            return true;
        }
    }
    return false;
}

/*
 * Paths, from their end
 */

/* Puts a name, and a slash, before what is at @at.  False if it is none. */
static bool maps_name(VPMUPeek *peek, const VPMURecordMaps *where,
                      uint64_t dentry, char *path, size_t *at)
{
    uint64_t text, len;

    if (!maps_u64(peek, dentry + where->text, &text) ||
        !arm_vpmu_peek_number(peek, dentry + where->length, 4, &len) ||
        len < 1 || len > NAME_MAX_LEN || len + 1 > *at ||
        !vpmu_peek(peek, text, path + *at - len, len)) {
        return false;
    }
    *at -= len;
    for (size_t i = *at; i < *at + len; i++) {
        if (path[i] == '/' || !path[i]) {
            path[i] = '?';
        }
    }
    path[--*at] = '/';
    return true;
}

/* From the root of a mount to where that is mounted; itself, if nowhere. */
static bool maps_leave(VPMUPeek *peek, const VPMURecordMaps *where,
                       uint64_t *dentry, uint64_t *mount)
{
    uint64_t whole = *mount - where->mount_inside;
    uint64_t parent;

    if (!maps_u64(peek, whole + where->mount_parent, &parent) ||
        !maps_u64(peek, whole + where->mount_point, dentry)) {
        return false;
    }
    *mount = parent + where->mount_inside;
    return true;
}

/*
 * The path of a file of this name in this mount; behind it is a NUL.  False if
 * it cannot be known.
 */
static bool maps_path(VPMUPeek *peek, const VPMURecordMaps *where,
                      uint64_t dentry, uint64_t mount,
                      char path[VPMU_RECORD_PATH])
{
    size_t at = VPMU_RECORD_PATH - 1;
    uint64_t root, up;
    bool is_top;

    path[at] = '\0';
    for (unsigned int i = 0; i < NAMES_MAX; i++) {
        if (!maps_u64(peek, mount + where->mount_root, &root)) {
            return false;
        }
        if (dentry == root) {
            up = mount;
            if (!maps_leave(peek, where, &dentry, &mount)) {
                return false;
            }
            is_top = mount == up;
        } else {
            if (!maps_u64(peek, dentry + where->parent, &up)) {
                return false;
            }
            is_top = up == dentry;
            if (!is_top && !maps_name(peek, where, dentry, path, &at)) {
                return false;
            }
            dentry = up;
        }
        if (is_top) {
            memmove(path, path + at, VPMU_RECORD_PATH - at);
            return true;
        }
    }
    return false;
}

/*
 * All together
 */

static bool maps_read(VPMUPeek *peek, void *opaque)
{
    const VPMUMapLook *look = opaque;
    const VPMURecordMaps *where = look->where;
    VPMUMap *map = look->map;
    uint64_t area, page, flags, file, mount;

    if (!maps_area(peek, look, &area) ||
        !maps_u64(peek, area + where->start, &map->start) ||
        !maps_u64(peek, area + where->end, &map->end) ||
        !maps_u64(peek, area + where->page, &page) ||
        !maps_u64(peek, area + where->flags, &flags) ||
        !maps_u64(peek, area + where->file, &file) ||
        look->addr < map->start || look->addr >= map->end) {
        return false;
    }
    map->offset = page << look->page_bits;
    map->path[0] = '\0';
    if (!file || !(flags & AREA_CODE)) {
        return true;
    }
    return maps_u64(peek, file + where->dentry, &map->file) &&
           maps_u64(peek, file + where->mount, &mount) &&
           maps_path(peek, where, map->file, mount, map->path);
}

/* Of the granule that programs' page tables have. */
static unsigned int maps_page_bits(const CPUARMState *env, unsigned int el)
{
    static const uint8_t bits[] = { 12, 16, 14, 12 };

    return bits[extract64(env->cp15.tcr_el[el], 14, 2)];
}

bool vpmu_cpu_map(CPUState *cs, const VPMURecordThreads *where,
                  const struct vpmu_record_sample *sample, uint64_t mm,
                  uint64_t addr, VPMUMap *map)
{
    ARMCPU *cpu = ARM_CPU(cs);
    unsigned int el = arm_vpmu_kernel_el(sample);
    VPMUMapLook look = {
        .where = where->maps,
        .mm = mm,
        .addr = addr,
        .page_bits = maps_page_bits(&cpu->env, el),
        .map = map,
    };

    return arm_vpmu_as_kernel(cpu, el, where->hidden, maps_read, &look);
}
