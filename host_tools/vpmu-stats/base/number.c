/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

bool number_parse(const char *text, long min, long max, long *value)
{
    char *end;

    errno = 0;
    *value = strtol(text, &end, 10);
    return !errno && end != text && !*end && *value >= min && *value <= max;
}

bool number_parse_percent(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && *value >= 0;
}

uint64_t number_growth(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}
