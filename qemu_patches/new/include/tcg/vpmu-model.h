/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a PMU's cache models, for generated code
 *
 * The models are those of the vpmu library.  vpmu/model.h says what generated
 * code may read.  Most accesses and fetches change nothing in a model.  The
 * line filter and the line of the last fetch show this without a call.
 */

#ifndef TCG_VPMU_MODEL_H
#define TCG_VPMU_MODEL_H

/* Offsets in struct vpmu_model_head. */
#define VPMU_MODEL_SLOTS      1024
#define VPMU_MODEL_LOAD       0
#define VPMU_MODEL_STORE      (VPMU_MODEL_SLOTS * 8)
#define VPMU_MODEL_FETCH      (VPMU_MODEL_SLOTS * 8 * 2)
#define VPMU_MODEL_FETCH_LINE (VPMU_MODEL_SLOTS * 8 * 3)

/* Checks these numbers, in a file that includes both headers. */
#define VPMU_MODEL_CHECK_LAYOUT()                                          \
    QEMU_BUILD_BUG_ON(                                                     \
        VPMU_MODEL_SLOTS != (int)VPMU_FILTER_SLOTS ||                      \
        VPMU_MODEL_LOAD !=                                                 \
            offsetof(struct vpmu_model_head, filter.load) ||               \
        VPMU_MODEL_STORE !=                                                \
            offsetof(struct vpmu_model_head, filter.store) ||              \
        VPMU_MODEL_FETCH !=                                                \
            offsetof(struct vpmu_model_head, filter.fetch) ||              \
        VPMU_MODEL_FETCH_LINE !=                                           \
            offsetof(struct vpmu_model_head, fetch_line))

#endif
