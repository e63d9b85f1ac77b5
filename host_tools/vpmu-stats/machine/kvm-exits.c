/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the exits by reason of a machine without vpmu, from the provider "kvm" of query-stats. */
#include "machine/kvm-exits.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/*
 * Check for a number of exits, such as "exits" or "io_exits", on Arm also "wfi_exit_stat" or
 * "mmio_exit_user". Statistics with a unit are times.
 */
static bool counts_exits(struct response stat, const char *name, const char *type)
{
    return strstr(name, "exit") && strcmp(type, "cumulative") == 0 && !response_has(stat, "unit");
}

static int take_name(struct kvm_exits *e, struct response stat)
{
    const char *name;
    const char *type;

    if (response_string(stat, "name", &name) || response_string(stat, "type", &type)) {
        return -1;
    }
    if (!counts_exits(stat, name, type) || e->n == KVM_EXITS_MAX) {
        return 0;
    }
    e->name[e->n] = strdup(name);
    if (!e->name[e->n]) {
        return error_memory(stat.t);
    }
    e->n++;
    return 0;
}

static int take_schema(struct kvm_exits *e, struct response schema)
{
    struct response list;
    const char *target;
    size_t n;

    if (response_string(schema, "target", &target)) {
        return -1;
    }
    if (strcmp(target, "vcpu") != 0) {
        return 0;
    }
    if (response_list(schema, "stats", &list, &n)) {
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (take_name(e, response_item(list, i))) {
            return -1;
        }
    }
    return 0;
}

static void find_all(struct kvm_exits *e)
{
    e->all = e->n;
    for (size_t i = 0; i < e->n; i++) {
        if (strcmp(e->name[i], "exits") == 0) {
            e->all = i;
        }
    }
}

int kvm_exits_find(struct kvm_exits *e, struct qmp *q, struct error *t)
{
    struct json_object *arguments = json_object_new_object();
    struct response a = {.what = "query-stats-schemas", .t = t};
    struct json_object *result;
    size_t n;
    int err;

    *e = (struct kvm_exits){0};
    json_object_object_add(arguments, "provider", json_object_new_string("kvm"));
    if (qmp_call(q, a.what, arguments, &result, t)) {
        return -1;
    }
    a.o = result;
    err = response_length(a, &n);
    for (size_t i = 0; !err && i < n; i++) {
        err = take_schema(e, response_item(a, i));
    }
    json_object_put(result);
    find_all(e);
    if (!err && e->n == 0) {
        err = error_set(t, ERROR_NO_VPMU,
                        "the host's KVM has no numbers of exits: Linux has them since 5.14");
    }
    return err;
}

struct reading {
    uint64_t *value;
    size_t n;
    bool per_vcpu;
};

static int take_value(void *opaque, size_t cpu, size_t name, struct response stat)
{
    const struct reading *r = opaque;
    uint64_t value;

    if (response_u64(stat, "value", UINT64_MAX, &value)) {
        return -1;
    }
    r->value[(r->per_vcpu ? cpu * r->n : 0) + name] += value;
    return 0;
}

int kvm_exits_read(const struct kvm_exits *e, uint64_t *value, bool per_vcpu, struct qmp *q,
                   const struct pmus *pmus, struct error *t)
{
    struct reading r = {.value = value, .n = e->n, .per_vcpu = per_vcpu};

    memset(value, 0, (per_vcpu ? pmus->n : 1) * e->n * sizeof(*value));
    return machine_stats_of(q, pmus, "kvm", (const char *const *)e->name, e->n, take_value, &r, t);
}

void kvm_exits_free(struct kvm_exits *e)
{
    for (size_t i = 0; i < e->n; i++) {
        free(e->name[i]);
    }
    *e = (struct kvm_exits){0};
}
