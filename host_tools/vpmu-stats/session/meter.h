/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_METER_H
#define VPMU_STATS_METER_H

#include <stdbool.h>

#include "session/session.h"

/**
 * struct meter - a machine's meter, in use by one command
 * @was_on: another client has switched it on.
 * @maybe_on: it may have been switched on here.
 */
struct meter {
    bool was_on;
    bool maybe_on;
};

/** meter_begin() - switches it on, unless it is. meter_end() is needed even if that fails. */
int meter_begin(struct meter *m, struct session *s, struct error *t);

/** meter_end() - switches off what was switched on, whatever happened; keeps the error in @t */
void meter_end(const struct meter *m, struct session *s, struct error *t);

#endif
