/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What generated code knows of a PMU's models of caches
 *
 * Models are those of the vpmu library, which says in vpmu/model.h what of
 * them generated code may read.  Most accesses and fetches change nothing
 * there, which the line filter and the line of the last fetch tell.
 */

#ifndef TCG_VPMU_MODEL_H
#define TCG_VPMU_MODEL_H

/* Where what is in struct vpmu_model_head lies. */
#define VPMU_MODEL_SLOTS      1024
#define VPMU_MODEL_LOAD       0
#define VPMU_MODEL_STORE      (VPMU_MODEL_SLOTS * 8)
#define VPMU_MODEL_FETCH_LINE (VPMU_MODEL_SLOTS * 8 * 3)

/* In the file that knows both: is it there? */
#define VPMU_MODEL_CHECK_LAYOUT()                                          \
    QEMU_BUILD_BUG_ON(                                                     \
        VPMU_MODEL_SLOTS != (int)VPMU_FILTER_SLOTS ||                      \
        VPMU_MODEL_LOAD !=                                                 \
            offsetof(struct vpmu_model_head, filter.load) ||               \
        VPMU_MODEL_STORE !=                                                \
            offsetof(struct vpmu_model_head, filter.store) ||              \
        VPMU_MODEL_FETCH_LINE !=                                           \
            offsetof(struct vpmu_model_head, fetch_line))

#endif
