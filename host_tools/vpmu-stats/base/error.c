/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"

int error_set(struct error *t, enum error_code code, const char *format, ...)
{
    va_list ap;

    t->code = code;
    va_start(ap, format);
    vsnprintf(t->text, sizeof(t->text), format, ap);
    va_end(ap);
    format_tame(t->text);
    return -1;
}

void error_about(struct error *t, const char *name)
{
    struct error about;

    error_set(&about, t->code, "%s: ", name);
    if (strncmp(t->text, about.text, strlen(about.text)) != 0) {
        struct error plain = *t;

        error_set(t, plain.code, "%s: %s", name, plain.text);
    }
}

int error_memory(struct error *t)
{
    return error_set(t, ERROR_TALK, "out of memory");
}

static const char *program = "vpmu-stats";

void error_name(const char *name)
{
    program = name;
}

void error_print(const struct error *t)
{
    if (*t->text && t->code != ERROR_NONE && t->code != ERROR_STOPPED && t->code != ERROR_PIPE) {
        fprintf(stderr, "%s: %s\n", program, t->text);
    }
}
