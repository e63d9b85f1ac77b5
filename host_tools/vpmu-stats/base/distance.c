/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/distance.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define MAX_NAME 64u

static char letter(char c)
{
    return (char)(c == '-' || c == '.' ? '_' : tolower((unsigned char)c));
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The Damerau distance in the variant that edits no substring twice (optimal string alignment). */
unsigned text_distance(const char *a, const char *b)
{
    unsigned rows[MAX_NAME][MAX_NAME] = {{0}};
    size_t na = strnlen(a, MAX_NAME - 1);
    size_t nb = strnlen(b, MAX_NAME - 1);

    for (size_t i = 0; i <= na; i++) {
        for (size_t k = 0; k <= nb; k++) {
            if (i == 0 || k == 0) {
                rows[i][k] = (unsigned)(i + k);
                continue;
            }
            rows[i][k] = least(rows[i - 1][k - 1] + (letter(a[i - 1]) != letter(b[k - 1])),
                               least(rows[i - 1][k], rows[i][k - 1]) + 1);
            if (i > 1 && k > 1 && letter(a[i - 1]) == letter(b[k - 2]) &&
                letter(a[i - 2]) == letter(b[k - 1])) {
                rows[i][k] = least(rows[i][k], rows[i - 2][k - 2] + 1);
            }
        }
    }
    return rows[na][nb];
}
