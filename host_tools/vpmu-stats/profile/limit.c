/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/limit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* read_floor() - what follows the percentage */
static bool read_floor(const char *text, uint64_t *floor)
{
    char *end;

    *floor = 0;
    text += *text == '%';
    if (*text == '\0') {
        return true;
    }
    if (text[0] != ':' || text[1] < '0' || text[1] > '9') {
        return false;
    }
    errno = 0;
    *floor = strtoull(text + 1, &end, 10);
    return errno == 0 && *end == '\0';
}

bool limits_add(struct limits *l, const char *text)
{
    const char *equals = strrchr(text, '='), *number = equals ? equals + 1 : text;
    struct limit new = {.event = text, .length = equals ? (size_t)(equals - text) : 0};
    char *end;

    new.percent = strtod(number, &end);
    if (end == number || !isfinite(new.percent) || new.percent < 0 || equals == text ||
        !read_floor(end, &new.floor) || l->n == LIMITS_MAX) {
        return false;
    }
    l->limit[l->n++] = new;
    return true;
}

const struct limit *limits_find(const struct limits *l, const char *event)
{
    const struct limit *all = NULL;

    for (size_t i = l->n; i-- > 0;) {
        const struct limit *limit = &l->limit[i];

        if (limit->length == 0) {
            all = all ? all : limit;
        } else if (strlen(event) == limit->length &&
                   strncmp(event, limit->event, limit->length) == 0) {
            return limit;
        }
    }
    return all;
}

bool limit_exceeded(const struct limit *l, uint64_t base, uint64_t change)
{
    return change > l->floor && (long double)change > (long double)base * l->percent / 100;
}

size_t event_length(const char *list)
{
    size_t comma = strcspn(list, ","), open = 0;

    /* "cpu/event=": the name of a PMU and a term. REGION/ may come first. */
    for (size_t at = 0; at < comma; at++) {
        if (list[at] == '/') {
            size_t term = strcspn(list + at + 1, ",/=");

            if (list[at + 1 + term] == '=') {
                open = at + 1;
                break;
            }
        }
    }
    if (open) {
        size_t close = open + strcspn(list + open, "/");

        return close + strcspn(list + close, ",");
    }
    return comma;
}
