/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "info vpmu" of the monitor: counters and observers of emulated PMUs, as text
 */

#include "qemu/osdep.h"
#include "system/vpmu_model.h"
#include "system/vpmu_target.h"

void vpmu_print_counters(GString *text, VPMUCounterList *counters)
{
    if (counters) {
        g_string_append_printf(text, "  %-7s %-30s %-10s %20s %10s %10s\n",
                               "counter", "event", "register", "value",
                               "overflows", "interrupts");
    }
    for (; counters; counters = counters->next) {
        const VPMUCounter *c = counters->value;
        g_autofree char *number =
            g_strdup_printf("0x%" PRIx64 ": not modelled, counts 0", c->event);

        g_string_append_printf(text, "  %-7u %-30s 0x%-8" PRIx64 " %20" PRIu64
                               " %10" PRIu64, c->index, c->name ?: number,
                               c->type, c->value, c->overflows);
        if (c->has_interrupts) {
            g_string_append_printf(text, " %10" PRIu64, c->interrupts);
        }
        g_string_append(text, c->enabled ? "\n" : "  off\n");
    }
}

void vpmu_print_geometry(GString *text, const struct vpmu_model_config *model)
{
    g_autoptr(VPMUGeometryList) list = vpmu_model_geometry(model);

    g_string_append(text, "  models");
    for (VPMUGeometryList *item = list; item; item = item->next) {
        g_string_append_printf(text, "%s %s=%s",
                               item == list ? "" : ",",
                               item->value->property, item->value->value);
    }
    g_string_append_c(text, '\n');
}

void vpmu_print_observers(GString *text, CPUState *cs, void *seen)
{
    for (GSList *item = *vpmu_observers(cs); item; item = item->next) {
        const VPMUObserver *o = item->data;

        g_string_append_printf(text, "  %20" PRIu64 "  %s\n",
                               vpmu_target->counting->read(seen, &o->counter),
                               o->name);
    }
}
