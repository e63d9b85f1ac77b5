/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LINK_REGISTER_H
#define VPMU_STATS_LINK_REGISTER_H

#include <stdint.h>

#include "symbols/functions.h"

/* What the link register of an Arm CPU contains at a sample. */
enum link_register {
    LINK_REGISTER_UNKNOWN, /* the name of a function is missing */
    LINK_REGISTER_STALE,   /* left by a call that has returned, or also saved in the frame */
    LINK_REGISTER_RETURNS, /* the address that the function will return to */
};

/**
 * link_register_judge() - decide whether the caller is in the link register, but not in a frame
 * @here: the function of the sample; NULL if its name is not known.
 * @caller: the function that contains the instruction before @link; NULL if its name is not known.
 * @link: the value of the link register.
 * @next: the return address in the innermost frame; 0 if there is none.
 */
enum link_register link_register_judge(const struct function *here, const struct function *caller,
                                       uint64_t link, uint64_t next);

#endif
