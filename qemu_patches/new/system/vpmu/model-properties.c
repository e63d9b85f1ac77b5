/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The properties of a CPU that say what a PMU's models are like
 *
 * A target adds one property for each row, and finds the models' configuration
 * in its CPU.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "qapi/visitor.h"
#include "system/vpmu_model.h"

typedef enum VPMUPropertyKind {
    VPMU_PROPERTY_CACHE,
    VPMU_PROPERTY_TLB,
    VPMU_PROPERTY_BRANCH,
    VPMU_PROPERTY_POLICY,
    VPMU_PROPERTY_CYCLES,
    VPMU_PROPERTY_WIDTH,
    VPMU_PROPERTY_PENALTY,
    VPMU_PROPERTY_SWITCH,
} VPMUPropertyKind;

struct VPMUModelProperty {
    const char *name;
    VPMUPropertyKind kind;
    size_t offset;
    const char *description;
};

typedef struct VPMUModelProperty VPMUProperty;

#define MODEL(field) offsetof(struct vpmu_model_config, field)

static const VPMUProperty vpmu_properties[] = {
    { "pmu-cycles", VPMU_PROPERTY_CYCLES, MODEL(cycles),
      "Where the PMU's cycles come from: clock, issue or model" },
    { "pmu-cache-l1i", VPMU_PROPERTY_CACHE, MODEL(l1i),
      "L1 instruction cache that the PMU models: size:ways:line" },
    { "pmu-cache-l1d", VPMU_PROPERTY_CACHE, MODEL(l1d),
      "L1 data cache that the PMU models: size:ways:line" },
    { "pmu-cache-l2", VPMU_PROPERTY_CACHE, MODEL(l2),
      "L2 cache that the PMU models: size:ways:line, or none" },
    { "pmu-cache-llc", VPMU_PROPERTY_CACHE, MODEL(llc),
      "Last-level cache that the PMU models: size:ways:line, or none" },
    { "pmu-llc-shared", VPMU_PROPERTY_SWITCH, MODEL(llc_shared),
      "All CPUs share the last-level cache that the PMU models" },
    { "pmu-cache-l1-policy", VPMU_PROPERTY_POLICY, MODEL(l1_policy),
      "What modelled L1 caches replace: fifo or lru" },
    { "pmu-tlb-l1i", VPMU_PROPERTY_TLB, MODEL(l1i_tlb),
      "L1 instruction TLB that the PMU models: entries:ways" },
    { "pmu-tlb-l1d", VPMU_PROPERTY_TLB, MODEL(l1d_tlb),
      "L1 data TLB that the PMU models: entries:ways" },
    { "pmu-tlb-l2", VPMU_PROPERTY_TLB, MODEL(l2_tlb),
      "L2 TLB that the PMU models: entries:ways" },
    { "pmu-branch", VPMU_PROPERTY_BRANCH, MODEL(branch),
      "Branch predictor that the PMU models: tage, gshare, bimodal or static" },
    { "pmu-width", VPMU_PROPERTY_WIDTH, MODEL(width),
      "Issue slots of a cycle with pmu-cycles=issue or model: 1 to 8" },
    { "pmu-penalty-l2", VPMU_PROPERTY_PENALTY, MODEL(penalty_l2),
      "Cycles for which an access that hits L2 stalls" },
    { "pmu-penalty-llc", VPMU_PROPERTY_PENALTY, MODEL(penalty_llc),
      "Cycles for which an access that hits the last level stalls" },
    { "pmu-penalty-memory", VPMU_PROPERTY_PENALTY, MODEL(penalty_memory),
      "Cycles for which an access that hits no cache stalls" },
    { "pmu-penalty-tlb2", VPMU_PROPERTY_PENALTY, MODEL(penalty_tlb2),
      "Cycles for which an L1 TLB miss that hits the L2 TLB stalls" },
    { "pmu-penalty-walk", VPMU_PROPERTY_PENALTY, MODEL(penalty_walk),
      "Cycles for which a walk of translation tables stalls" },
    { "pmu-penalty-branch", VPMU_PROPERTY_PENALTY, MODEL(penalty_branch),
      "Cycles for which a mispredicted branch stalls" },
};

static const char *const vpmu_branch_names[] = {
    [VPMU_BRANCH_TAGE] = "tage",
    [VPMU_BRANCH_GSHARE] = "gshare",
    [VPMU_BRANCH_BIMODAL] = "bimodal",
    [VPMU_BRANCH_STATIC] = "static",
};

static const char *const vpmu_policy_names[] = {
    [VPMU_POLICY_FIFO] = "fifo",
    [VPMU_POLICY_LRU] = "lru",
};

static const char *const vpmu_cycles_names[] = {
    [VPMU_CYCLES_CLOCK] = "clock",
    [VPMU_CYCLES_ISSUE] = "issue",
    [VPMU_CYCLES_MODEL] = "model",
};

static char *text_of(const VPMUProperty *property, const void *field)
{
    const struct vpmu_cache_config *cache = field;
    const struct vpmu_tlb_config *tlb = field;

    switch (property->kind) {
    case VPMU_PROPERTY_CACHE:
        return cache->size == 0 ? g_strdup("none")
               : g_strdup_printf("%u:%u:%u", cache->size, cache->ways,
                                 cache->line);
    case VPMU_PROPERTY_TLB:
        return g_strdup_printf("%u:%u", tlb->entries, tlb->ways);
    case VPMU_PROPERTY_BRANCH:
        return g_strdup(vpmu_branch_names[*(const uint8_t *)field]);
    case VPMU_PROPERTY_POLICY:
        return g_strdup(vpmu_policy_names[*(const uint8_t *)field]);
    case VPMU_PROPERTY_CYCLES:
        return g_strdup(vpmu_cycles_names[*(const uint8_t *)field]);
    default:
        g_assert_not_reached();
    }
}

/* Returns the index of @text in @names, which has @n entries, or -1. */
static int name_index(const char *const *names, int n, const char *text)
{
    for (int i = 0; i < n; i++) {
        if (g_str_equal(names[i], text)) {
            return i;
        }
    }
    return -1;
}

static bool parse_property(const VPMUProperty *property, void *field,
                           const char *text, const char **why)
{
    int i;

    switch (property->kind) {
    case VPMU_PROPERTY_CACHE:
        return !vpmu_cache_parse(text, field, why);
    case VPMU_PROPERTY_TLB:
        return !vpmu_tlb_parse(text, field, why);
    case VPMU_PROPERTY_BRANCH:
        return !vpmu_branch_parse(text, field, why);
    case VPMU_PROPERTY_POLICY:
        i = name_index(vpmu_policy_names, ARRAY_SIZE(vpmu_policy_names),
                       text);
        *why = "it must be fifo or lru";
        *(uint8_t *)field = MAX(i, 0);
        return i >= 0;
    case VPMU_PROPERTY_CYCLES:
        i = name_index(vpmu_cycles_names, ARRAY_SIZE(vpmu_cycles_names),
                       text);
        *why = "it must be clock, issue or model";
        *(uint8_t *)field = MAX(i, 0);
        return i >= 0;
    default:
        g_assert_not_reached();
    }
}

static bool is_text(const VPMUProperty *property)
{
    return property->kind < VPMU_PROPERTY_WIDTH;
}

const VPMUModelProperty *vpmu_model_property(unsigned int i)
{
    return i < ARRAY_SIZE(vpmu_properties) ? &vpmu_properties[i] : NULL;
}

uint32_t vpmu_model_property_bit(const VPMUModelProperty *property)
{
    QEMU_BUILD_BUG_ON(ARRAY_SIZE(vpmu_properties) > 32);
    return BIT(property - vpmu_properties);
}

static bool is_geometry(const VPMUProperty *property)
{
    return property->kind == VPMU_PROPERTY_CACHE ||
           property->kind == VPMU_PROPERTY_TLB;
}

void vpmu_model_complete(struct vpmu_model_config *model, uint32_t set,
                         const struct vpmu_model_config *defaults)
{
    for (int i = 0; i < ARRAY_SIZE(vpmu_properties); i++) {
        const VPMUProperty *property = &vpmu_properties[i];

        if (is_geometry(property) && !(set & BIT(i))) {
            memcpy((char *)model + property->offset,
                   (const char *)defaults + property->offset,
                   property->kind == VPMU_PROPERTY_CACHE
                   ? sizeof(struct vpmu_cache_config)
                   : sizeof(struct vpmu_tlb_config));
        }
    }
}

VPMUGeometryList *vpmu_model_geometry(const struct vpmu_model_config *model)
{
    VPMUGeometryList *list = NULL;

    for (int i = ARRAY_SIZE(vpmu_properties); i-- > 0; ) {
        const VPMUProperty *property = &vpmu_properties[i];

        if (is_geometry(property)) {
            VPMUGeometry *geometry = g_new0(VPMUGeometry, 1);

            geometry->property = g_strdup(property->name);
            geometry->value = text_of(property, (const char *)model +
                                                property->offset);
            QAPI_LIST_PREPEND(list, geometry);
        }
    }
    return list;
}

const char *vpmu_model_property_name(const VPMUModelProperty *property)
{
    return property->name;
}

const char *vpmu_model_property_type(const VPMUModelProperty *property)
{
    return is_text(property) ? "string"
           : property->kind == VPMU_PROPERTY_SWITCH ? "bool" : "uint16";
}

const char *vpmu_model_property_description(const VPMUModelProperty *property)
{
    return property->description;
}

bool vpmu_model_property_get(const VPMUModelProperty *property, Visitor *v,
                             const struct vpmu_model_config *model,
                             Error **errp)
{
    const char *field = (const char *)model + property->offset;
    g_autofree char *text = NULL;
    uint16_t value;
    bool on;

    if (property->kind == VPMU_PROPERTY_SWITCH) {
        on = *(const bool *)field;
        return visit_type_bool(v, property->name, &on, errp);
    }
    if (is_text(property)) {
        text = text_of(property, field);
        return visit_type_str(v, property->name, &text, errp);
    }
    value = property->kind == VPMU_PROPERTY_WIDTH
            ? *(const uint8_t *)field : *(const uint16_t *)field;
    return visit_type_uint16(v, property->name, &value, errp);
}

static bool set_text(const VPMUProperty *property, Visitor *v,
                     void *field, Error **errp)
{
    g_autofree char *text = NULL;
    const char *why;

    if (!visit_type_str(v, property->name, &text, errp)) {
        return false;
    }
    if (!parse_property(property, field, text, &why)) {
        error_setg(errp, "'%s' cannot be '%s': %s", property->name, text, why);
        return false;
    }
    return true;
}

static bool set_number(const VPMUProperty *property, Visitor *v,
                       void *field, Error **errp)
{
    uint16_t value;

    if (!visit_type_uint16(v, property->name, &value, errp)) {
        return false;
    }
    if (property->kind != VPMU_PROPERTY_WIDTH) {
        *(uint16_t *)field = value;
        return true;
    }
    if (value < 1 || value > 8) {
        error_setg(errp, "'%s' must be 1 to 8, not %u", property->name, value);
        return false;
    }
    *(uint8_t *)field = value;
    return true;
}

bool vpmu_model_property_set(const VPMUModelProperty *property, Visitor *v,
                             struct vpmu_model_config *model, Error **errp)
{
    void *field = (char *)model + property->offset;

    if (property->kind == VPMU_PROPERTY_SWITCH) {
        return visit_type_bool(v, property->name, field, errp);
    }
    return is_text(property) ? set_text(property, v, field, errp)
                                  : set_number(property, v, field, errp);
}
