/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LINK_REGISTER_H
#define VPMU_STATS_LINK_REGISTER_H

#include <stdint.h>

#include "symbols/functions.h"

/* What an Arm CPU's link register is at a sample. */
enum link_register {
    LINK_REGISTER_UNKNOWN, /* without the names of both functions */
    LINK_REGISTER_STALE,   /* left from a call that has returned, or saved in the frame */
    LINK_REGISTER_RETURNS, /* the address that the function returns to */
};

/**
 * link_register_judge() - decides whether a caller is known by the link register only
 * @here: the function of the sample; NULL if its name is not known.
 * @caller: the function before the address in the register; NULL likewise.
 * @link: the register.
 * @next: the return address in the innermost frame; 0 if there is none.
 */
enum link_register link_register_judge(const struct function *here, const struct function *caller,
                                       uint64_t link, uint64_t next);

#endif
