/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last-level cache that the models of all CPUs share (pmu-llc-shared=on)
 *
 * A call that searches or flushes caches or TLBs holds the lock, because it may
 * change the models of other CPUs.  Branch prediction and generated code, which
 * reads the line filter, do not.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/memalign.h"
#include "qemu/thread.h"
#include "system/vpmu_shared_cache.h"

static struct {
    struct vpmu_shared *cache;
    QemuSpin lock;
    unsigned int cpus;
    unsigned int (*context)(void *cpu);
} vpmu_llc;

static void llc_lock(void *opaque)
{
    qemu_spin_lock(&vpmu_llc.lock);
}

static void llc_unlock(void *opaque)
{
    qemu_spin_unlock(&vpmu_llc.lock);
}

static unsigned llc_context(void *cpu)
{
    return vpmu_llc.context(cpu);
}

static void llc_create(const struct vpmu_model_config *config)
{
    static const struct vpmu_shared_ops ops = {
        .lock = llc_lock,
        .unlock = llc_unlock,
        .context = llc_context,
    };
    void *mem = qemu_memalign(VPMU_MODEL_ALIGN, vpmu_shared_size(config));

    qemu_spin_init(&vpmu_llc.lock);
    vpmu_llc.cache = vpmu_shared_init(mem, config, &ops, NULL);
}

bool vpmu_shared_cache_reserve(const struct vpmu_model_config *config,
                               Error **errp)
{
    if (!config->llc_shared) {
        return true;
    }
    if (!vpmu_llc.cache) {
        llc_create(config);
    }
    if (!vpmu_shared_fits(vpmu_llc.cache, config)) {
        error_setg(errp, "with 'pmu-llc-shared=on', all CPUs must have the "
                   "same 'pmu-cache-llc'");
        return false;
    }
    if (vpmu_llc.cpus == VPMU_SHARED_MAX_MODELS) {
        error_setg(errp, "with 'pmu-llc-shared=on', there can be at most "
                   "%u CPUs",
                   VPMU_SHARED_MAX_MODELS);
        return false;
    }
    vpmu_llc.cpus++;
    return true;
}

void vpmu_shared_cache_release(const struct vpmu_model_config *config)
{
    if (config->llc_shared && --vpmu_llc.cpus == 0) {
        qemu_vfree(vpmu_llc.cache);
        vpmu_llc.cache = NULL;
    }
}

void vpmu_shared_cache_join(struct vpmu_model *model, void *cpu,
                            unsigned int (*context)(void *cpu))
{
    vpmu_llc.context = context;
    /* There is a place for each CPU that has been realized. */
    if (vpmu_shared_join(vpmu_llc.cache, model, cpu)) {
        g_assert_not_reached();
    }
}
