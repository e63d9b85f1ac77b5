/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_INIT_IMAGE_H
#define VPMU_RUN_INIT_IMAGE_H

#include <stddef.h>

/* The machine's init, a static program: guest/ */
extern const unsigned char init_image[];
extern const size_t init_image_size;

#endif
