/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of exact profiles besides instructions, with the names that valgrind gives them. */
#include "perfdata/costs.h"

#include <string.h>

#define COST(name, branch)                                                                         \
    {                                                                                              \
        name, COSTS_CALLED name, branch                                                            \
    }

/* Valgrind assumes that returns are predicted, so it has no names for them. */
static const struct {
    const char *name, *called;
    bool branch;
} costs[COSTS_MAX] = {
    COST("Dr", false),   COST("Dw", false),   COST("I1mr", false), COST("D1mr", false),
    COST("D1mw", false), COST("ILmr", false), COST("DLmr", false), COST("DLmw", false),
    COST("Bc", true),    COST("Bcm", true),   COST("Bi", true),    COST("Bim", true),
    COST("Br", true),    COST("Brm", true),
};

size_t costs_names(bool caches, bool branches, const char *names[COSTS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < COSTS_MAX; i++) {
        if (costs[i].branch ? branches : caches) {
            names[n++] = costs[i].name;
        }
    }
    return n;
}

/* find() - the row of an event; COSTS_MAX if it is no cost */
static size_t find(const char *event)
{
    size_t length = strcspn(event, ":"), i = 0;

    while (i < COSTS_MAX &&
           (strlen(costs[i].name) != length || strncmp(event, costs[i].name, length) != 0)) {
        i++;
    }
    return i;
}

const char *costs_name(const char *event)
{
    size_t i = find(event);

    return i < COSTS_MAX ? costs[i].name : NULL;
}

const char *costs_called(const char *event)
{
    size_t i = find(event);

    return i < COSTS_MAX ? costs[i].called : NULL;
}

const char *costs_of_called(const char *event)
{
    size_t length = strlen(COSTS_CALLED);

    return strncmp(event, COSTS_CALLED, length) == 0 ? event + length : NULL;
}

bool costs_is_instructions(const char *event)
{
    return strncmp(event, "instructions", strlen("instructions")) == 0;
}

bool costs_parse_choice(const char *text, bool *choice)
{
    *choice = !text || strcmp(text, "yes") == 0;
    return *choice || strcmp(text, "no") == 0;
}
