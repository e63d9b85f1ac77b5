/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps a machine's blackout meter on while a command runs. */
#include "session/meter.h"

#include "machine/machine.h"

int meter_begin(struct meter *m, struct session *s, struct error *t)
{
    *m = (struct meter){.was_on = s->pmus.pmu[0].meter};
    m->maybe_on = !m->was_on;
    return m->was_on ? 0 : machine_meter(s->q, true, t);
}

void meter_end(const struct meter *m, struct session *s, struct error *t)
{
    struct error removing = {0};

    if (!m->maybe_on) {
        return;
    }
    qmp_hurry(s->q);
    if (machine_meter(s->q, false, &removing) && t->code == ERROR_NONE) {
        *t = removing;
    }
}
