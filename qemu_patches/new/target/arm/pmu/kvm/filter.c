/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events a KVM guest may count
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-visit-vpmu-filter.h"
#include "qom/object_interfaces.h"
#include "target/arm/pmu/kvm.h"
#include "target/arm/pmu/compat.h"
#include "kvm_glue/filter.h"

#define TYPE_KVM_PMU_FILTER "kvm-pmu-filter"
OBJECT_DECLARE_SIMPLE_TYPE(KVMPMUFilter, KVM_PMU_FILTER)

struct KVMPMUFilter {
    Object parent_obj;

    KvmPmuFilterAction action;
    KvmPmuFilterEventList *events;
};

/* The filter of the accelerator.  There is only one accelerator. */
static KVMPMUFilter *chosen;

static int get_action(Object *obj, Error **errp)
{
    return KVM_PMU_FILTER(obj)->action;
}

static void set_action(Object *obj, int value, Error **errp)
{
    KVM_PMU_FILTER(obj)->action = value;
}

static void get_events(Object *obj, Visitor *v, const char *name,
                       void *opaque, Error **errp)
{
    visit_type_KvmPmuFilterEventList(v, name, &KVM_PMU_FILTER(obj)->events,
                                     errp);
}

static void set_events(Object *obj, Visitor *v, const char *name,
                       void *opaque, Error **errp)
{
    KVMPMUFilter *filter = KVM_PMU_FILTER(obj);
    KvmPmuFilterEventList *events;

    if (visit_type_KvmPmuFilterEventList(v, name, &events, errp)) {
        qapi_free_KvmPmuFilterEventList(filter->events);
        filter->events = events;
    }
}

static bool translate(const KVMPMUFilter *from, struct kvm_glue_filter *to,
                      Error **errp)
{
    struct kvm_glue_error err;

    for (KvmPmuFilterEventList *e = from->events; e; e = e->next) {
        KvmPmuFilterAction action = e->value->has_action ? e->value->action
                                                         : from->action;
        uint64_t last = e->value->has_last ? e->value->last : e->value->code;

        if (kvm_glue_filter_add(to, action == KVM_PMU_FILTER_ACTION_ALLOW
                                    ? KVM_GLUE_ALLOW : KVM_GLUE_DENY,
                                e->value->code, last, &err) < 0) {
            error_setg(errp, TYPE_KVM_PMU_FILTER ": %s", err.text);
            return false;
        }
    }
    return true;
}

/* Checks the ranges when the object is created, so the error names it. */
static void complete(UserCreatable *uc, Error **errp)
{
    struct kvm_glue_filter filter = { 0 };
    KVMPMUFilter *self = KVM_PMU_FILTER(uc);

    if (!self->events) {
        error_setg(errp, TYPE_KVM_PMU_FILTER " needs 'events'");
        return;
    }
    translate(self, &filter, errp);
}

static bool may_delete(UserCreatable *uc)
{
    return chosen != KVM_PMU_FILTER(uc);
}

/* Since QEMU 11 this method has another name, and sets the error. */
#if QEMU_VERSION_MAJOR < 11
#define prepare_delete can_be_deleted
#define filter_prepare_delete may_delete
#else
static bool filter_prepare_delete(UserCreatable *uc, Error **errp)
{
    if (may_delete(uc)) {
        return true;
    }
    error_setg(errp, "the filter is in use, can not be deleted");
    return false;
}
#endif

static void filter_finalize(Object *obj)
{
    qapi_free_KvmPmuFilterEventList(KVM_PMU_FILTER(obj)->events);
}

static void filter_class_init(ObjectClass *oc, ARMPMUClassData *data)
{
    UserCreatableClass *ucc = USER_CREATABLE_CLASS(oc);

    object_class_property_add_enum(oc, "action", "KvmPmuFilterAction",
                                   &KvmPmuFilterAction_lookup,
                                   get_action, set_action);
    object_class_property_add(oc, "events", "KvmPmuFilterEventList",
                              get_events, set_events, NULL, NULL);
    ucc->complete = complete;
    ucc->prepare_delete = filter_prepare_delete;
}

static const TypeInfo filter_info = {
    .name = TYPE_KVM_PMU_FILTER,
    .parent = TYPE_OBJECT,
    .instance_size = sizeof(KVMPMUFilter),
    .instance_finalize = filter_finalize,
    .class_init = filter_class_init,
    .interfaces = (InterfaceInfo[]) {
        { TYPE_USER_CREATABLE },
        { }
    },
};

static void register_types(void)
{
    type_register_static(&filter_info);
}
type_init(register_types)

static char *get_filter(Object *obj, Error **errp)
{
    return chosen ? object_get_canonical_path(OBJECT(chosen)) : g_strdup("");
}

static void set_filter(Object *obj, const char *value, Error **errp)
{
    Object *filter = object_resolve_path_type(value, TYPE_KVM_PMU_FILTER,
                                              NULL);

    if (!filter) {
        error_setg(errp, "there is no object " TYPE_KVM_PMU_FILTER
                   " '%s': create it with -object " TYPE_KVM_PMU_FILTER
                   ",id=%s,...",
                   value, value);
        return;
    }
    chosen = KVM_PMU_FILTER(filter);
}

void kvm_pmu_filter_add_property(ObjectClass *oc)
{
    object_class_property_add_str(oc, "pmu-filter", get_filter, set_filter);
    object_class_property_set_description(oc, "pmu-filter",
        "The " TYPE_KVM_PMU_FILTER " object that says which events the guest "
        "may count");
}

bool kvm_pmu_filter_get(struct kvm_glue_filter *filter, Error **errp)
{
    memset(filter, 0, sizeof(*filter));
    return !chosen || translate(chosen, filter, errp);
}
