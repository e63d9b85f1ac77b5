/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/bootargs.h"

#include <stddef.h>

#include "runtime/layout.h"

/* Flattened device tree (Devicetree Specification 5). */
#define FDT_MAGIC 0xd00dfeedu
#define FDT_BEGIN_NODE 1u
#define FDT_END_NODE 2u
#define FDT_PROP 3u
#define FDT_NOP 4u

struct fdt_header {
    uint32_t magic, totalsize, off_struct, off_strings;
};

static uint32_t big_endian(const uint32_t *p)
{
    return __builtin_bswap32(*p);
}

static size_t length(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0') {
        n++;
    }
    return n;
}

static bool equal(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* Finds the first property of that name in any node. "bootargs" exists in /chosen only. */
static const char *find_property(const char *name)
{
    const struct fdt_header *fdt = (const struct fdt_header *)(uintptr_t)RAM_BASE;
    const char *base = (const char *)(uintptr_t)RAM_BASE;
    const uint32_t *p;
    const char *strings;

    if (big_endian(&fdt->magic) != FDT_MAGIC) {
        return NULL;
    }
    p = (const uint32_t *)(uintptr_t)(base + big_endian(&fdt->off_struct));
    strings = base + big_endian(&fdt->off_strings);
    for (;;) {
        uint32_t token = big_endian(p++);

        if (token == FDT_BEGIN_NODE) {
            p += length((const char *)p) / 4 + 1;
        } else if (token == FDT_PROP) {
            const char *property = strings + big_endian(p + 1);

            if (equal(property, name, length(name) + 1)) {
                return (const char *)(p + 2);
            }
            p += 2 + (big_endian(p) + 3) / 4;
        } else if (token != FDT_END_NODE && token != FDT_NOP) {
            return NULL;
        }
    }
}

bool bootarg(const char *name, uint64_t *value)
{
    const char *s = find_property("bootargs");
    size_t n = length(name);

    while (s && *s != '\0') {
        if (equal(s, name, n) && s[n] == '=') {
            *value = 0;
            for (s += n + 1; *s >= '0' && *s <= '9'; s++) {
                *value = *value * 10 + (uint64_t)(*s - '0');
            }
            return true;
        }
        while (*s != '\0' && *s++ != ',') {
        }
    }
    return false;
}
