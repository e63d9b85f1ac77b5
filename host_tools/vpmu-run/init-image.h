/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_INIT_IMAGE_H
#define VPMU_RUN_INIT_IMAGE_H

#include <stddef.h>

/* The init of each machine, a static program: guest/ */
extern const unsigned char init_amd64[], init_arm64[];
extern const size_t init_amd64_size, init_arm64_size;

#endif
