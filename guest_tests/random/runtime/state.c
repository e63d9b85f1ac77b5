/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

unsigned highest;
const struct program *program;
struct result *result;
bool program_has_ended;
