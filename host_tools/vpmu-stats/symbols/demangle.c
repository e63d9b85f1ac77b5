/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions in C++ and Rust. A guest may have made them: a few characters can stand for a
 * name without end, so libiberty passes the name in pieces, and is left when there are too many.
 * These functions of libiberty allocate no memory.
 */
#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* Longer names stay as they are. */
#define MOST 4096
/* Follows the function in the name of an entry of a PLT. */
#define PLT "@plt"

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

/*
 * Rust's older names are also valid in C++, with a hash at their end. Return: the name, which is
 * valid until the next one; NULL if there is none.
 */
static const char *demangle(const char *name, int options)
{
    static struct text text;

    text.size = 0;
    if (setjmp(text.too_long)) {
        return NULL;
    }
    if (!rust_demangle_callback(name, options, add, &text)) {
        text.size = 0;
        if (!cplus_demangle_v3_callback(name, options, add, &text)) {
            return NULL;
        }
    }
    text.to[text.size] = '\0';
    return text.size ? text.to : NULL;
}

static bool is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R') && strlen(name) < MOST;
}

/* Makes "NAME\0SIGNATURE", each with @behind. If only the signature is too long, it is the name. */
static char *make_of(const char *name, const char *behind)
{
    const char *text = demangle(name, DMGL_NO_OPTS);
    char *shown = text ? strdup(text) : NULL;
    char *both = NULL;
    int length;

    if (!shown) {
        return NULL;
    }
    text = demangle(name, DMGL_PARAMS | DMGL_ANSI);
    length = asprintf(&both, "%s%s%c%s%s", shown, behind, '\0', text ? text : shown, behind);
    free(shown);
    if (length < 0) {
        return NULL;
    }
    format_tame(both);
    format_tame(both + strlen(both) + 1);
    return both;
}

/* Demanglers do not know names of entries of a PLT. */
static char *make(const char *name)
{
    size_t size = strlen(name), behind = strlen(PLT);
    char *made, *alone;

    if (!is_mangled(name)) {
        return NULL;
    }
    if (size < behind || strcmp(name + size - behind, PLT) != 0) {
        return make_of(name, "");
    }
    alone = strndup(name, size - behind);
    made = alone ? make_of(alone, PLT) : NULL;
    free(alone);
    return made;
}

/* Return: NULL if the name is not mangled. */
static const char *demangled(const struct function *f)
{
    /* The list owns the function, and only this file uses these fields. */
    struct function *own = (struct function *)f;

    if (!own->was_demangled && !is_off) {
        own->was_demangled = true;
        own->demangled = make(own->name);
    }
    return own->demangled;
}

const char *demangle_name(const struct function *f)
{
    const char *both = demangled(f);

    return both ? both : f->name;
}

const char *demangle_signature(const struct function *f)
{
    const char *both = demangled(f);

    return both ? both + strlen(both) + 1 : f->name;
}
