/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "top/delay.h"

#include <stdlib.h>

#define DEFAULT_MS 2000
#define MAX_MS 86400000
#define MAX_KEY_MS 3600000

int delay_parse(struct argp_state *state, const char *text)
{
    char *end;
    double ms = strtod(text, &end) * 1000;

    if (end == text || *end || !(ms >= DELAY_MIN_MS && ms <= MAX_MS)) {
        argp_error(state, "'%s' is not a number of seconds from 0.1 to 86400", text);
        return DEFAULT_MS;
    }
    return (int)ms;
}

int delay_choose(struct argp_state *state, int delay, int interval)
{
    if (delay && interval) {
        argp_error(state, "-d and -I exclude each other: both set the interval");
    }
    return interval ? interval : delay ? delay : DEFAULT_MS;
}

int delay_change(int delay, bool slower)
{
    int changed = slower ? delay * 2 : delay / 2;

    return changed >= DELAY_MIN_MS && changed <= MAX_KEY_MS ? changed : delay;
}
