/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

const struct program *program;
struct result *result;
