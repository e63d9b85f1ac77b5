/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions in C++ and Rust. A guest may have made them: a few characters can stand for a
 * name without end, so libiberty passes the name in pieces, and is left when there are too many.
 * These functions of libiberty allocate no memory.
 */
#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* Longer names stay as they are. */
#define MOST 4096

struct text {
    char to[MOST];
    size_t size;
    jmp_buf too_long;
};

static bool is_off;

void demangle_off(void)
{
    is_off = true;
}

static void add(const char *part, size_t n, void *opaque)
{
    struct text *text = opaque;

    if (n >= MOST - text->size) {
        longjmp(text->too_long, 1);
    }
    if (n) {
        memcpy(text->to + text->size, part, n);
    }
    text->size += n;
}

/* Rust's older names are also valid in C++, with a hash at their end. */
static bool demangle(const char *name, struct text *text)
{
    text->size = 0;
    if (setjmp(text->too_long)) {
        return false;
    }
    if (rust_demangle_callback(name, DMGL_NO_OPTS, add, text)) {
        return true;
    }
    text->size = 0;
    return cplus_demangle_v3_callback(name, DMGL_NO_OPTS, add, text);
}

static bool is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') && strlen(name) < MOST;
}

static char *make(const char *name)
{
    static struct text text;
    char *shown;

    if (!is_mangled(name) || !demangle(name, &text) || text.size == 0) {
        return NULL;
    }
    text.to[text.size] = '\0';
    shown = strdup(text.to);
    if (shown) {
        format_tame(shown);
    }
    return shown;
}

const char *demangle_name(const struct function *f)
{
    /* The list owns the function, and only this file uses these fields. */
    struct function *own = (struct function *)f;

    if (!own->was_demangled && !is_off) {
        own->was_demangled = true;
        own->demangled = make(own->name);
    }
    return own->demangled ? own->demangled : own->name;
}
