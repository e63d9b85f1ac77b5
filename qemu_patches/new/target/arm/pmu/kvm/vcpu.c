/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of KVM guests: set-up, restoring, and query-vpmu
 *
 * The library kvm_glue makes the calls of the kernel in the right order, and
 * returns a sentence that says what went wrong.
 */

#include "qemu/osdep.h"
#include <sched.h>
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "qapi/qapi-types-vpmu.h"
#include "cpu.h"
#include "internals.h"
#include "kvm_arm.h"
#include "target/arm/pmu/kvm.h"
#include "system/kvm.h"
#include "system/kvm_int.h"
#include "system/kvm_vpmu.h"
#include "kvm_glue/host_pmu.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/state.h"
#include "vpmu/arm/events.h"
#include "vpmu/arm/regs.h"

static const struct kvm_glue_os *const os = &kvm_glue_os_linux;

bool kvm_arm_pmu_configurable(void)
{
    return true;
}

/*
 * Properties
 */

static char *get_host_pmu(Object *obj, Error **errp)
{
    return g_strdup(ARM_CPU(obj)->pmu_config.kvm_host ?: "");
}

static void set_host_pmu(Object *obj, const char *value, Error **errp)
{
    ARMCPU *cpu = ARM_CPU(obj);

    g_free(cpu->pmu_config.kvm_host);
    /* An empty value is the default. */
    cpu->pmu_config.kvm_host = *value ? g_strdup(value) : NULL;
    cpu->pmu_config.by = "host-pmu";
}

static bool get_truncate(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_config.kvm_truncate;
}

static void set_truncate(Object *obj, bool value, Error **errp)
{
    ARM_CPU(obj)->pmu_config.kvm_truncate = value;
}

void kvm_arm_pmu_add_properties(Object *obj)
{
    object_property_add_str(obj, "host-pmu", get_host_pmu, set_host_pmu);
    object_property_set_description(obj, "host-pmu",
                                    "PMU of the host that counts for the "
                                    "guest: its name in "
                                    "/sys/bus/event_source/devices, or its "
                                    "type");
    object_property_add_bool(obj, "kvm-pmu-truncate",
                             get_truncate, set_truncate);
    object_property_set_description(obj, "kvm-pmu-truncate",
                                    "Set on to accept a saved PMU with more "
                                    "counters than this one, and drop them");
}

/*
 * Set-up
 */

static void threads_cpus(struct kvm_glue_cpus *cpus)
{
    cpu_set_t set;

    memset(cpus, 0, sizeof(*cpus));
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) < 0) {
        memset(&set, 0xff, sizeof(set));
    }
    for (unsigned int i = 0; i < MIN(CPU_SETSIZE, KVM_GLUE_MAX_CPUS); i++) {
        if (CPU_ISSET(i, &set)) {
            cpus->bits[i / 64] |= 1ull << (i % 64);
        }
    }
}

/*
 * Chooses the PMU that the user names, or that of the CPUs where vCPUs may run.
 * Leaves the choice to the kernel if the user set neither host-pmu nor
 * num-pmu-counters.
 */
static bool choose_host_pmu(ARMCPU *cpu, int *type, Error **errp)
{
    g_autofree struct kvm_glue_host_pmus *pmus =
        g_new0(struct kvm_glue_host_pmus, 1);
    struct kvm_glue_error err;
    struct kvm_glue_cpus cpus;
    int ret;

    *type = KVM_GLUE_DEFAULT;
    if (!cpu->pmu_config.kvm_host && !cpu->pmu_config.counters_set) {
        return true;
    }
    ret = kvm_glue_host_pmus_find(os, pmus, &err);
    if (ret == 0 && cpu->pmu_config.kvm_host) {
        ret = kvm_glue_host_pmu_by_name(pmus, cpu->pmu_config.kvm_host, &err);
    } else if (ret == 0) {
        threads_cpus(&cpus);
        ret = kvm_glue_host_pmu_choose(pmus, &cpus, &err);
    }
    if (ret < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    *type = ret;
    kvm_vpmu_set_host_pmu(ret);
    return true;
}

/* Sets up what all vCPUs share.  KVM takes these settings from any vCPU. */
static bool setup_vm(ARMCPU *cpu, struct kvm_glue_setup *setup, Error **errp)
{
    struct kvm_glue_filter filter;
    struct kvm_glue_error err;

    if (!kvm_pmu_filter_get(&filter, errp) ||
        !choose_host_pmu(cpu, &setup->host_pmu, errp)) {
        return false;
    }
    setup->filter = &filter;
    if (kvm_glue_setup_vm(os, CPU(cpu)->kvm_fd, setup, &err) < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    return true;
}

bool kvm_arm_pmu_setup(ARMCPU *cpu, int irq, Error **errp)
{
    /* Chosen when the first vCPU is set up. */
    static int host_pmu = KVM_GLUE_DEFAULT;
    struct kvm_glue_error err;
    struct kvm_glue_setup setup = {
        .host_pmu = host_pmu,
        .counters = cpu->pmu_config.counters_set
                    ? pmu_num_counters(&cpu->env)
                    : KVM_GLUE_DEFAULT,
        .irq = irq,
    };

    if (CPU(cpu) == first_cpu && !setup_vm(cpu, &setup, errp)) {
        return false;
    }
    setup.filter = NULL;
    host_pmu = setup.host_pmu;
    if (kvm_glue_setup_vcpu(os, CPU(cpu)->kvm_fd, &setup, &err) < 0) {
        error_setg(errp, "%s", err.text);
        return false;
    }
    /* PMCR_EL0.N has changed.  A reset must not write the old value back. */
    if (cpu->pmu_config.counters_set && !write_kvmstate_to_list(cpu)) {
        error_setg(errp, "cannot read KVM's registers after the set-up of "
                   "the PMU");
        return false;
    }
    return true;
}

/*
 * Restoring
 */

/* Returns the index of register @id in the list, or -1. */
static int find_reg(ARMCPU *cpu, uint64_t id)
{
    int low = 0, high = cpu->cpreg_array_len;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (cpu->cpreg_indexes[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < cpu->cpreg_array_len && cpu->cpreg_indexes[low] == id ? low
                                                                      : -1;
}

/*
 * Called for each register at each write, so it must be fast: all registers of
 * the PMU except PMEVCNTR<n> and PMEVTYPER<n> are in CRn 9.
 */
bool kvm_arm_is_pmu_reg(uint64_t regidx)
{
    const uint64_t family = 7ull << KVM_REG_ARM64_SYSREG_OP2_SHIFT |
                            7ull << KVM_REG_ARM64_SYSREG_CRM_SHIFT;
    const uint64_t set = 7ull << KVM_REG_ARM64_SYSREG_OP2_SHIFT |
                         3ull << KVM_REG_ARM64_SYSREG_CRM_SHIFT;

    return (regidx & ~family) == ARM64_SYS_REG(3, 3, 14, 8, 0) ||
           (regidx & ~set) == ARM64_SYS_REG(3, 3, 9, 12, 0) ||
           regidx == ARM64_SYS_REG(3, 0, 9, 14, 1) ||
           regidx == ARM64_SYS_REG(3, 0, 9, 14, 2);
}

static bool state_of_list(ARMCPU *cpu, struct kvm_glue_state *state)
{
    struct kvm_glue_register reg;

    memset(state, 0, sizeof(*state));
    state->magic = KVM_GLUE_STATE_MAGIC;
    state->version = KVM_GLUE_STATE_VERSION;
    for (unsigned int i = 0; kvm_glue_register(i, &reg); i++) {
        int at = find_reg(cpu, reg.id);

        if (at < 0) {
            return false;
        }
        state->value[i] = cpu->cpreg_values[at];
    }
    state->counters = extract64(state->value[0], VPMU_PMCR_N_SHIFT, 5);
    return true;
}

bool kvm_arm_pmu_has_all_regs(ARMCPU *cpu)
{
    struct kvm_glue_state state;

    return cpu->has_pmu && state_of_list(cpu, &state);
}

static void report_loss(ARMCPU *cpu, const struct kvm_glue_loss *loss)
{
    static bool said;

    if (loss->dropped && !said) {
        said = true;
        warn_report("the guest's PMU lost %d event counters, of which it "
                    "used %d", ctpop32(loss->dropped),
                    ctpop32(loss->in_use));
    }
}

bool kvm_arm_pmu_restore(ARMCPU *cpu, Error **errp)
{
    struct kvm_glue_state state;
    struct kvm_glue_loss loss;
    struct kvm_glue_error err;
    unsigned int flags;

    if (!cpu->pmu_config.kvm_apart) {
        return true;
    }
    state_of_list(cpu, &state);
    flags = cpu->pmu_config.kvm_truncate ? KVM_GLUE_TRUNCATE : 0;
    if (kvm_glue_state_restore(os, CPU(cpu)->kvm_fd, &state, flags, &loss,
                               &err) < 0) {
        error_setg(errp, "CPU %d's PMU: %s", CPU(cpu)->cpu_index, err.text);
        return false;
    }
    report_loss(cpu, &loss);
    return true;
}

/*
 * Describing
 */

static uint64_t value_of(const struct kvm_glue_state *state, const char *name)
{
    struct kvm_glue_register reg;

    for (unsigned int i = 0; kvm_glue_register(i, &reg); i++) {
        if (g_str_equal(reg.name, name)) {
            return state->value[i];
        }
    }
    g_assert_not_reached();
}

static uint64_t of_counter(const struct kvm_glue_state *state,
                           const char *family, unsigned int n)
{
    g_autofree char *name = g_strdup_printf("%s%u_EL0", family, n);

    return value_of(state, name);
}

static VPMUCounter *describe_counter(const struct kvm_glue_state *state,
                                     unsigned int n)
{
    VPMUCounter *counter = g_new0(VPMUCounter, 1);
    const struct vpmu_event *event;

    counter->index = n;
    if (n == VPMU_CYCLE_COUNTER) {
        counter->type = value_of(state, "PMCCFILTR_EL0");
        counter->value = value_of(state, "PMCCNTR_EL0");
        counter->event = VPMU_EVENT_CPU_CYCLES;
    } else {
        counter->type = of_counter(state, "PMEVTYPER", n);
        counter->value = of_counter(state, "PMEVCNTR", n);
        counter->event = counter->type & VPMU_TYPER_EVENT;
    }
    event = vpmu_event_find(counter->event);
    if (event) {
        counter->name = g_strdup(event->name);
    }
    counter->enabled = value_of(state, "PMCNTENSET_EL0") >> n & 1;
    counter->counting = counter->enabled &&
                        (value_of(state, "PMCR_EL0") & VPMU_PMCR_E);
    counter->overflow = value_of(state, "PMOVSSET_EL0") >> n & 1;
    counter->interrupt = value_of(state, "PMINTENSET_EL1") >> n & 1;
    return counter;
}

typedef struct Description {
    VPMUInfo *info;
    Error *err;
} Description;

static void describe_cpu(CPUState *cs, run_on_cpu_data data)
{
    Description *d = data.host_ptr;
    ARMCPU *cpu = ARM_CPU(cs);
    struct kvm_glue_state state;
    struct kvm_glue_error err;

    if (kvm_glue_state_save(os, cs->kvm_fd, &state, &err) < 0) {
        error_setg(&d->err, "CPU %d's PMU: %s", cs->cpu_index, err.text);
        return;
    }
    d->info->cpu_index = cs->cpu_index;
    d->info->qom_path = g_strdup(DEVICE(cpu)->canonical_path);
    d->info->version = g_strdup(arm_pmu_version_name(cpu));
    d->info->event_counters = state.counters;
    d->info->meter = cs->kvm_meter != NULL;
    for (int i = VPMU_CYCLE_COUNTER; i >= 0; i--) {
        VPMUCounter *counter;

        if (i < VPMU_CYCLE_COUNTER && i >= state.counters) {
            continue;
        }
        counter = describe_counter(&state, i);
        if (counter->type || counter->value || counter->enabled) {
            QAPI_LIST_PREPEND(d->info->counters, counter);
        } else {
            qapi_free_VPMUCounter(counter);
        }
    }
}

VPMUInfoList *kvm_arm_query_vpmu(Error **errp)
{
    VPMUInfoList *list = NULL;
    VPMUInfoList **tail = &list;
    CPUState *cs;

    CPU_FOREACH(cs) {
        Description d = { .info = NULL };

        if (!ARM_CPU(cs)->has_pmu) {
            continue;
        }
        d.info = g_new0(VPMUInfo, 1);
        QAPI_LIST_APPEND(tail, d.info);
        run_on_cpu(cs, describe_cpu, RUN_ON_CPU_HOST_PTR(&d));
        if (d.err) {
            error_propagate(errp, d.err);
            qapi_free_VPMUInfoList(list);
            return NULL;
        }
    }
    return list;
}
