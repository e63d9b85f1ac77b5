/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

bool number_is_large(const char *json, size_t n)
{
    static const char largest[] = "18446744073709551615";
    bool in_string = false;
    bool escaped = false;
    bool in_fraction = false;
    size_t digits = 0;

    for (size_t i = 0; i < n; i++) {
        bool is_digit = !in_string && json[i] >= '0' && json[i] <= '9';

        in_string ^= json[i] == '"' && !escaped;
        escaped = in_string && json[i] == '\\' && !escaped;
        in_fraction = json[i] == '.' || (in_fraction && is_digit);
        digits = is_digit && !in_fraction ? digits + 1 : 0;
        if (digits > 20 || (digits == 20 && strncmp(json + i - 19, largest, 20) > 0)) {
            return true;
        }
    }
    return false;
}

uint64_t number_growth(uint64_t now, uint64_t before)
{
    return now > before ? now - before : 0;
}
