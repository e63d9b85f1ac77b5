/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of exact profiles besides instructions, with the names that valgrind gives them. */
#include "perfdata/costs.h"

#include <string.h>

/* Valgrind assumes that returns are predicted, so it has no names for them. */
static const struct {
    const char *name;
    bool branch;
} costs[COSTS_MAX] = {
    {"Dr", false},   {"Dw", false},   {"I1mr", false}, {"D1mr", false}, {"D1mw", false},
    {"ILmr", false}, {"DLmr", false}, {"DLmw", false}, {"Bc", true},    {"Bcm", true},
    {"Bi", true},    {"Bim", true},   {"Br", true},    {"Brm", true},
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

const char *costs_name(const char *event)
{
    size_t length = strcspn(event, ":");

    for (size_t i = 0; i < COSTS_MAX; i++) {
        if (strlen(costs[i].name) == length && strncmp(event, costs[i].name, length) == 0) {
            return costs[i].name;
        }
    }
    return NULL;
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
