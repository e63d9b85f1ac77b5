/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"

int failure_set(struct failure *f, int status, const char *format, ...)
{
    va_list ap;

    f->status = status;
    va_start(ap, format);
    vsnprintf(f->text, sizeof(f->text), format, ap);
    va_end(ap);
    format_tame(f->text);
    return -1;
}

int failure_memory(struct failure *f)
{
    return failure_set(f, FAILURE_RUN, "out of memory");
}

int failure_print(const struct failure *f)
{
    if (f->status != FAILURE_NONE && f->text[0]) {
        fprintf(stderr, "vpmu-run: %s\n", f->text);
    }
    return f->status;
}
