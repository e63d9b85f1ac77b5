/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SHARED_CACHE_H
#define VPMU_SHARED_CACHE_H

#include <stddef.h>

#include "vpmu/decls.h"
#include "vpmu/model.h"

VPMU_DECLS_BEGIN

/*
 * A last-level cache that the models of several CPUs share, and the coherence of their private L1
 * data and L2 caches.
 *
 * A line is identified by its virtual address and its address space, as in struct vpmu_model. In
 * the private caches of a CPU, a line has one of the states of MESI:
 *
 * - Modified: it is dirty in L1D or L2. No other CPU has it.
 * - Exclusive, Shared: it is in L1D or L2, and clean. Another CPU may have it if it is Shared. The
 *   two states are not stored: a store to a clean line asks the other CPUs.
 * - Invalid: it is in neither.
 *
 * The last level is a directory of all private caches that never overflows. It contains neither all
 * lines of the private caches nor only other lines, so a line that leaves it stays in them.
 *
 * - A store to a line that is not Modified removes the line from L1D and L2 of all other CPUs. The
 *   CPU that loses the line tallies VPMU_SRC_L1D_CACHE_INVAL and VPMU_SRC_L2D_CACHE_INVAL.
 * - A load or fetch that misses L2 makes the line clean in all other CPUs. If it was Modified, the
 *   last level gets the dirty line.
 * - An access that misses L2 is an access of the last level. It is a miss only if no other CPU has
 *   the line.
 * - L1 instruction caches are not coherent.
 * - A line that moves from one CPU to another is not a write-back.
 *
 * A CPU takes part while its model is called. Accesses for which the model is not called do not
 * change the other CPUs' caches.
 *
 * Calls for different models may be made by different threads at the same time. The counts then
 * depend on the order of the calls. Generated code reads struct vpmu_filter without a lock, so it
 * may still hit a line that another thread is removing.
 */

/* The most models that can share a cache. */
#define VPMU_SHARED_MAX_MODELS 64u

/**
 * struct vpmu_shared_ops - callbacks into the machine; every pointer must be set
 * @lock: called before a model is used in any way that other CPUs can see. Not nested. If all
 *     models are called by one thread, it can do nothing.
 * @unlock: called afterwards.
 * @context: the context in which a CPU executes, 0 to VPMU_CTX_COUNT - 1: it is about to tally that
 *     it loses a line. Called by the thread of another CPU, with the lock held. @cpu is the value
 *     passed to vpmu_shared_join().
 */
struct vpmu_shared_ops {
    void (*lock)(void *opaque);
    void (*unlock)(void *opaque);
    unsigned (*context)(void *cpu);
};

/* The cache. The caller owns the memory, aligned to VPMU_MODEL_ALIGN. */
struct vpmu_shared;

/**
 * vpmu_shared_size() - the memory that a shared cache needs
 * @config: the configuration of one of the models; vpmu_model_config.llc is the cache.
 *
 * Return: bytes, at most VPMU_MODEL_MAX_SIZE; 0 if vpmu_model_check() refuses @config, or if its
 * llc_shared is false.
 */
size_t vpmu_shared_size(const struct vpmu_model_config *config);

/**
 * vpmu_shared_init() - make an empty shared cache
 * @mem: memory for it, vpmu_shared_size() bytes of any content, aligned to VPMU_MODEL_ALIGN. It
 *     must not be moved afterwards.
 * @config: the configuration, as for vpmu_shared_size().
 * @ops: the callbacks. They are copied.
 * @opaque: is passed to lock() and unlock().
 *
 * Return: the cache; NULL if vpmu_shared_size() is 0.
 */
struct vpmu_shared *vpmu_shared_init(void *mem, const struct vpmu_model_config *config,
                                     const struct vpmu_shared_ops *ops, void *opaque);

/**
 * vpmu_shared_fits() - tell whether models with a configuration can share a cache
 * @s: the cache.
 * @config: a configuration that vpmu_model_check() accepts.
 *
 * Return: true if llc_shared is true and llc is the same as that of the cache.
 */
bool vpmu_shared_fits(const struct vpmu_shared *s, const struct vpmu_model_config *config);

/**
 * vpmu_shared_join() - let a model use the cache
 * @s: the cache. It must outlive @m, or @m must leave.
 * @m: a model with llc_shared that has not joined. Call nothing else for it before.
 * @cpu: is passed to context().
 *
 * Return: 0; -VPMU_ERR_CONFIG if vpmu_shared_fits() is false for the model, or if there are
 * VPMU_SHARED_MAX_MODELS models.
 */
int vpmu_shared_join(struct vpmu_shared *s, struct vpmu_model *m, void *cpu);

/**
 * vpmu_shared_leave() - the opposite of vpmu_shared_join()
 * @m: the model. Its private caches are dropped, and it can only be initialized again. Nothing is
 *     done if it has not joined.
 *
 * The cache is empty then. The private caches of other models keep their lines.
 */
void vpmu_shared_leave(struct vpmu_model *m);

VPMU_DECLS_END

#endif
