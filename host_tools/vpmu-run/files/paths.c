/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/paths.h"

#include <string.h>

bool path_has_dots(const char *path)
{
    for (const char *at = path; *at; at += strcspn(at, "/")) {
        size_t n;

        at += strspn(at, "/");
        n = strcspn(at, "/");
        if (n > 0 && n <= 2 && strspn(at, ".") == n) {
            return true;
        }
    }
    return false;
}

void path_clean(char *path)
{
    char *to = path;

    for (const char *from = path; *from; from++) {
        if (*from != '/' || (from[1] != '/' && from[1] != '\0')) {
            *to++ = *from;
        }
    }
    *to = '\0';
}
