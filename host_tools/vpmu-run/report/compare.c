/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/compare.h"

#include <math.h>

double compare_change(uint64_t base, uint64_t now)
{
    if (base == 0) {
        return now ? HUGE_VAL : 0;
    }
    return 100.0 * ((double)now - (double)base) / (double)base;
}

bool compare_exceeds(uint64_t base, uint64_t now, double percent)
{
    return now > base && (double)(now - base) > (double)base * percent / 100.0;
}
