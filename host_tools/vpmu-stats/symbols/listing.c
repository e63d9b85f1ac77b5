/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disassembles with libcapstone, or with objdump if the user asks for it.
 */
#include "symbols/listing.h"

int listing_open(struct listing *l, const char *objdump, const char *path, uint64_t start,
                 uint64_t end, bool source, struct error *t)
{
    *l = (struct listing){.by_objdump = objdump != NULL};
    return l->by_objdump ? objdump_open(&l->objdump, objdump, path, start, end, source, t)
                         : disassembly_open(&l->own, path, start, end, t);
}

bool listing_next(struct listing *l)
{
    if (l->by_objdump) {
        if (!objdump_next(&l->objdump)) {
            return false;
        }
        l->line = l->objdump.line;
        l->is_code = l->objdump.is_code;
        l->address = l->objdump.address;
        l->code = l->objdump.code;
        return true;
    }
    if (!disassembly_next(&l->own)) {
        return false;
    }
    l->line = l->own.line;
    l->is_code = true;
    l->address = l->own.address;
    l->code = l->own.code;
    return true;
}

int listing_close(struct listing *l, struct error *t)
{
    if (l->by_objdump) {
        return objdump_close(&l->objdump, t);
    }
    disassembly_close(&l->own);
    return 0;
}
