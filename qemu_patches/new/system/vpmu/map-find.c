/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the file that a program of a Linux has mapped at an address
 *
 * Since Linux 6.1 the areas of an address space are in a tree of ranges, see
 * Linux's Documentation/core-api/maple_tree.rst and include/linux/maple_tree.h.
 * An area points to its file.  The file's path consists of the names of
 * directories up to the root, across mounts.
 *
 * The client passes the offsets of all fields.  The contents belong to the
 * guest, may change at any time and are not trusted.  Each walk is bounded.
 */

#include "qemu/osdep.h"
#include "system/vpmu_target.h"

/* The bits of a tree entry that are not the node's address. */
#define NODE_MASK 255
#define NODE_TYPE_SHIFT 3
#define NODE_TYPE_MASK 15
enum { NODE_LEAF = 1, NODE_RANGE, NODE_WIDE };
/* These bits of the root say whether it is a node. */
#define ROOT_MASK 3
#define ROOT_NODE 2

/* No number of areas makes a tree with 10 slots per node deeper than this. */
#define DEPTH_MAX 20
#define PIVOTS_MAX 31
/* VM_EXEC */
#define AREA_CODE 4
/* The longest name of an area of the kernel, with its NUL: "[vdso]". */
#define SPECIAL_MAX 16
/* The most names and mounts in a path, and the most characters in a name. */
#define NAMES_MAX 128
#define NAME_MAX_LEN 255

/* The arguments of a lookup, and its result. */
typedef struct VPMUMapLook {
    const VPMURecordMaps *where;
    uint64_t mm;
    uint64_t addr;
    unsigned int page_bits;
    VPMUMap *map;
} VPMUMapLook;

static bool maps_u64(VPMUReader *reader, uint64_t addr, uint64_t *value)
{
    return vpmu_read_number(reader, addr, 8, value);
}

/*
 * The tree
 */

/* Goes from a node to its entry for the address. */
static bool maps_step(VPMUReader *reader, const VPMUMapLook *look,
                      uint64_t *entry)
{
    unsigned int type = *entry >> NODE_TYPE_SHIFT & NODE_TYPE_MASK;
    uint64_t node = *entry & ~(uint64_t)NODE_MASK;
    uint32_t slots = type == NODE_WIDE ? look->where->wide_slots
                                       : look->where->slots;
    uint32_t n = MIN((slots - look->where->pivots) / 8, PIVOTS_MAX);
    uint32_t i;

    for (i = 0; i < n; i++) {
        uint64_t pivot;

        if (!maps_u64(reader, node + look->where->pivots + 8 * i, &pivot)) {
            return false;
        }
        /* This is the range of the address, or the last range. */
        if (pivot >= look->addr || (i && !pivot)) {
            break;
        }
    }
    return maps_u64(reader, node + slots + 8 * i, entry) && *entry;
}

/* Finds the area that contains the address. */
static bool maps_area(VPMUReader *reader, const VPMUMapLook *look,
                      uint64_t *area)
{
    unsigned int type;

    if (!maps_u64(reader, look->mm + look->where->tree, area) ||
        (*area & ROOT_MASK) != ROOT_NODE) {
        return false;
    }
    for (unsigned int depth = 0; depth < DEPTH_MAX; depth++) {
        type = *area >> NODE_TYPE_SHIFT & NODE_TYPE_MASK;
        if (type < NODE_LEAF || type > NODE_WIDE ||
            !maps_step(reader, look, area)) {
            return false;
        }
        if (type == NODE_LEAF) {
            return true;
        }
    }
    return false;
}

/*
 * Paths, which are built from their end
 */

/*
 * Puts a slash and a name in front of @at.  Returns false if it is not a name.
 */
static bool maps_name(VPMUReader *reader, const VPMURecordMaps *where,
                      uint64_t dentry, char *path, size_t *at)
{
    uint64_t text, len;

    if (!maps_u64(reader, dentry + where->text, &text) ||
        !vpmu_read_number(reader, dentry + where->length, 4, &len) ||
        len < 1 || len > NAME_MAX_LEN || len + 1 > *at ||
        !vpmu_read_virtual(reader, text, path + *at - len, len)) {
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

/* Goes from a mount to its mount point.  The last mount is its own parent. */
static bool maps_leave(VPMUReader *reader, const VPMURecordMaps *where,
                       uint64_t *dentry, uint64_t *mount)
{
    uint64_t whole = *mount - where->mount_inside;
    uint64_t parent;

    if (!maps_u64(reader, whole + where->mount_parent, &parent) ||
        !maps_u64(reader, whole + where->mount_point, dentry)) {
        return false;
    }
    *mount = parent + where->mount_inside;
    return true;
}

/* How Linux ends the path of a file that no directory has. */
#define DELETED " (deleted)"

/*
 * Names a file that is in no directory, as simple_dname() of Linux's
 * fs/d_path.c does: of memfd_create(), or shared anonymous memory.
 */
static bool maps_pseudo(VPMUReader *reader, const VPMURecordMaps *where,
                        uint64_t dentry, char path[VPMU_RECORD_PATH])
{
    size_t at = VPMU_RECORD_PATH - sizeof(DELETED);

    strcpy(path + at, DELETED);
    if (!maps_name(reader, where, dentry, path, &at)) {
        return false;
    }
    memmove(path, path + at, VPMU_RECORD_PATH - at);
    return true;
}

/*
 * Builds the path of the file with this name in this mount, which ends with a
 * NUL.  Returns false if the path cannot be found.
 */
static bool maps_path(VPMUReader *reader, const VPMURecordMaps *where,
                      uint64_t dentry, uint64_t mount,
                      char path[VPMU_RECORD_PATH])
{
    size_t at = VPMU_RECORD_PATH - 1;
    uint64_t root, up;
    bool is_top;

    path[at] = '\0';
    for (unsigned int i = 0; i < NAMES_MAX; i++) {
        if (!maps_u64(reader, mount + where->mount_root, &root)) {
            return false;
        }
        if (dentry == root) {
            up = mount;
            if (!maps_leave(reader, where, &dentry, &mount)) {
                return false;
            }
            is_top = mount == up;
        } else {
            if (!maps_u64(reader, dentry + where->parent, &up)) {
                return false;
            }
            is_top = up == dentry;
            if (is_top && !path[at]) {
                return maps_pseudo(reader, where, dentry, path);
            }
            if (!is_top && !maps_name(reader, where, dentry, path, &at)) {
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
 * The lookup
 */

/*
 * Areas without a file: of the kernel, such as the vDSO, whose name is in
 * brackets; or anonymous, such as code that the program has made, which perf
 * calls "//anon".
 */
static void maps_nameless(VPMUReader *reader, const VPMUMapLook *look,
                          uint64_t area)
{
    const VPMURecordMaps *where = look->where;
    VPMUMap *map = look->map;
    char name[SPECIAL_MAX] = "";
    uint64_t special, text;

    map->file = 0;
    strcpy(map->path, "//anon");
    if (!where->has_special || !where->has_name ||
        !maps_u64(reader, area + where->special, &special) || !special ||
        !maps_u64(reader, special + where->name, &text) ||
        !vpmu_read_virtual(reader, text, name, sizeof(name) - 1) ||
        name[0] != '[' || !strchr(name, ']')) {
        return;
    }
    *(strchr(name, ']') + 1) = '\0';
    strcpy(map->path, name);
    map->file = special;
}

static bool maps_read(VPMUReader *reader, void *opaque)
{
    const VPMUMapLook *look = opaque;
    const VPMURecordMaps *where = look->where;
    VPMUMap *map = look->map;
    uint64_t area, page, flags, file, dentry, mount;

    if (!maps_area(reader, look, &area) ||
        !maps_u64(reader, area + where->start, &map->start) ||
        !maps_u64(reader, area + where->end, &map->end) ||
        !maps_u64(reader, area + where->page, &page) ||
        !maps_u64(reader, area + where->flags, &flags) ||
        !maps_u64(reader, area + where->file, &file) ||
        look->addr < map->start || look->addr >= map->end) {
        return false;
    }
    map->offset = page << look->page_bits;
    map->path[0] = '\0';
    if (!(flags & AREA_CODE)) {
        return true;
    }
    if (!file) {
        maps_nameless(reader, look, area);
        return true;
    }
    return maps_u64(reader, file + where->inode, &map->file) &&
           maps_u64(reader, file + where->dentry, &dentry) &&
           maps_u64(reader, file + where->mount, &mount) &&
           maps_path(reader, where, dentry, mount, map->path);
}

bool vpmu_map_find(CPUState *cs, const VPMURecordThreads *where,
                   const struct vpmu_record_sample *sample, uint64_t mm,
                   uint64_t addr, VPMUMap *map)
{
    const VPMUThreads *threads = vpmu_target->threads;
    VPMUMapLook look = { .where = where->maps, .mm = mm, .addr = addr,
                         .map = map };
    VPMUKernel kernel;

    if (!threads->kernel(cs, sample, &kernel)) {
        return false;
    }
    look.page_bits = kernel.page_bits;
    return threads->as_kernel(cs, sample, where->hidden, maps_read, &look);
}
