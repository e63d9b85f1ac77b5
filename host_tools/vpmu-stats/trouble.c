/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trouble.h"

#include <stdarg.h>
#include <stdio.h>

#include "format.h"

int trouble_set(struct trouble *t, enum trouble_code code, const char *format, ...)
{
    va_list ap;

    t->code = code;
    va_start(ap, format);
    vsnprintf(t->text, sizeof(t->text), format, ap);
    va_end(ap);
    format_tame(t->text);
    return -1;
}

int trouble_memory(struct trouble *t)
{
    return trouble_set(t, TROUBLE_TALK, "out of memory");
}

void trouble_tell(const struct trouble *t)
{
    if (t->code != TROUBLE_NONE && t->code != TROUBLE_STOPPED) {
        fprintf(stderr, "vpmu-stats: %s\n", t->text);
    }
}
