/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/thread-places.h"

struct json_object *thread_places_make(const struct symbols *symbols,
                                       const struct task_layout *layout)
{
    struct json_object *places = json_object_new_object();

    json_object_object_add(places, "current", json_object_new_uint64(symbols->current));
    json_object_object_add(places, "hidden", json_object_new_int64(symbols->hidden));
    json_object_object_add(places, "pid", json_object_new_int64(layout->pid));
    json_object_object_add(places, "tgid", json_object_new_int64(layout->tgid));
    json_object_object_add(places, "comm", json_object_new_int64(layout->comm));
    return places;
}

void guest_places_pass(void *places, uint64_t vttbr, const struct kernel *kernel)
{
    struct guest_places *p = places;
    struct json_object *arguments;

    if (!kernel->has_layout || !kernel->symbols.current || p->error.code != ERROR_NONE) {
        return;
    }
    arguments = json_object_new_object();
    json_object_object_add(arguments, "vttbr", json_object_new_uint64(vttbr));
    json_object_object_add(arguments, "places",
                           thread_places_make(&kernel->symbols, &kernel->layout));
    qmp_call(p->q, "vpmu-record-guest", arguments, NULL, &p->error);
}
