/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/call-graph-option.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORD 32

static bool take_number(const char *word, double *number)
{
    char *end;

    *number = strtod(word, &end);
    return end != word && !*end && *number >= 0 && *number <= 1e9;
}

/* The first number is the threshold, the second the limit. */
static bool take_word(struct report *r, const char *word, unsigned *numbers)
{
    double number;

    if (strcmp(word, "graph") == 0 || strcmp(word, "fractal") == 0) {
        r->fractal = *word == 'f';
    } else if (strcmp(word, "none") == 0) {
        r->graph = false;
    } else if (strcmp(word, "caller") == 0 || strcmp(word, "callee") == 0) {
        r->caller = word[5] == 'r';
    } else if (take_number(word, &number) && *numbers == 0) {
        r->threshold = number;
        ++*numbers;
    } else if (take_number(word, &number) && *numbers == 1) {
        r->limit = (unsigned)number;
        ++*numbers;
    } else {
        /* The defaults of perf for what the user does not choose. */
        return strcmp(word, "function") == 0 || strcmp(word, "percent") == 0;
    }
    return true;
}

int call_graph_option_parse(struct report *r, const char *text, struct error *t)
{
    unsigned numbers = 0;

    r->graph = true;
    for (const char *p = text; p && *p; p += strspn(p, ",")) {
        size_t length = strcspn(p, ",");
        char word[MAX_WORD] = "";

        if (length < sizeof(word)) {
            memcpy(word, p, length);
        }
        if (!take_word(r, word, &numbers)) {
            return error_set(t, ERROR_USAGE,
                             "-g: '%.*s' is not one of graph, fractal, none, caller, callee, a "
                             "threshold in percent and a limit of entries",
                             (int)length, p);
        }
        p += length;
    }
    return 0;
}
