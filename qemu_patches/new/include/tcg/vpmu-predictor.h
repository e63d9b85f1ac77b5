/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a PMU's branch predictor, for generated code
 *
 * The predictor is that of the vpmu library.  vpmu/predictor.h describes its
 * layout, and has functions that do the same as generated code.
 */

#ifndef TCG_VPMU_PREDICTOR_H
#define TCG_VPMU_PREDICTOR_H

#define VPMU_PREDICT_COUNTERS 8192
#define VPMU_PREDICT_TARGETS  512
#define VPMU_PREDICT_RETURNS  16
#define VPMU_PREDICT_TAKEN    2
#define VPMU_PREDICT_MAX      3
#define VPMU_PREDICT_TARGET_SHIFT 4

/* Offsets in struct vpmu_predictor. */
#define VPMU_PREDICT_HISTORY  0
#define VPMU_PREDICT_TOP      8
#define VPMU_PREDICT_RETURN   16
#define VPMU_PREDICT_TARGET   (VPMU_PREDICT_RETURN + VPMU_PREDICT_RETURNS * 8)
#define VPMU_PREDICT_COUNTER  \
    (VPMU_PREDICT_TARGET + (VPMU_PREDICT_TARGETS << VPMU_PREDICT_TARGET_SHIFT))

/* Checks these numbers, in a file that includes both headers. */
#define VPMU_PREDICTOR_CHECK_LAYOUT()                                      \
    QEMU_BUILD_BUG_ON(                                                     \
        VPMU_PREDICT_COUNTERS != VPMU_PREDICTOR_COUNTERS ||                \
        VPMU_PREDICT_TARGETS != VPMU_PREDICTOR_TARGETS ||                  \
        VPMU_PREDICT_RETURNS != VPMU_PREDICTOR_RETURNS ||                  \
        VPMU_PREDICT_TAKEN != VPMU_PREDICTOR_TAKEN ||                      \
        VPMU_PREDICT_MAX != VPMU_PREDICTOR_MAX ||                          \
        VPMU_NO_RETURN != UINT64_MAX ||                                    \
        sizeof(struct vpmu_predictor_target) !=                            \
            1 << VPMU_PREDICT_TARGET_SHIFT ||                              \
        offsetof(struct vpmu_predictor_target, tag) != 0 ||                \
        offsetof(struct vpmu_predictor_target, target) != 8 ||             \
        offsetof(struct vpmu_predictor, history) != VPMU_PREDICT_HISTORY || \
        offsetof(struct vpmu_predictor, returns_top) != VPMU_PREDICT_TOP || \
        offsetof(struct vpmu_predictor, returns) != VPMU_PREDICT_RETURN || \
        offsetof(struct vpmu_predictor, targets) != VPMU_PREDICT_TARGET || \
        offsetof(struct vpmu_predictor, counters) != VPMU_PREDICT_COUNTER)

#endif
