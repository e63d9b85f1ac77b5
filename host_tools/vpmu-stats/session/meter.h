/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_METER_H
#define VPMU_STATS_METER_H

#include <stdbool.h>

#include "session/session.h"

/**
 * struct meter - a machine's blackout meter, while a command uses it
 * @was_on: the meter was on before.
 * @maybe_on: this command may have switched the meter on.
 */
struct meter {
    bool was_on;
    bool maybe_on;
};

/**
 * meter_begin() - switch the meter on unless it is on
 *
 * Return: 0, or -1 with an error. Call meter_end() in any case.
 */
int meter_begin(struct meter *m, struct session *s, struct error *t);

/** meter_end() - switch the meter off if meter_begin() switched it on; an error in @t stays */
void meter_end(const struct meter *m, struct session *s, struct error *t);

#endif
