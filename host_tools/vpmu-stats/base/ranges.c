/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Adds "2" or "2-3". */
static bool add_item(struct ranges *r, char *item, long max)
{
    char *dash = strchr(item, '-');
    long first;
    long last;

    if (dash) {
        *dash = '\0';
    }
    if (r->n == RANGES_MAX || !number_parse(item, 0, max, &first) ||
        !number_parse(dash ? dash + 1 : item, first, max, &last)) {
        return false;
    }
    r->range[r->n].first = (unsigned)first;
    r->range[r->n++].last = (unsigned)last;
    return true;
}

bool ranges_add(struct ranges *r, const char *list, long max)
{
    char *copy = strdup(list);
    char *rest = copy;
    bool valid = copy;

    for (char *item = strsep(&rest, ","); item && valid; item = strsep(&rest, ",")) {
        valid = add_item(r, item, max);
    }
    free(copy);
    return valid;
}

bool ranges_have(const struct ranges *r, unsigned number)
{
    for (size_t i = 0; i < r->n; i++) {
        if (number >= r->range[i].first && number <= r->range[i].last) {
            return true;
        }
    }
    return r->n == 0;
}
