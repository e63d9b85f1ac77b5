/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_DEFINITIONS_CONTEXTS_H
#define TESTS_DEFINITIONS_CONTEXTS_H

#include <stdbool.h>

#include "runtime/level.h"
#include "tests/definitions/definitions.h"

/* Memory that rows use. */
extern uint8_t definition_buffer[];

bool definition_has(unsigned feature);

/* Whether this machine can run rows at @at, one of AT_*. */
bool context_exists(unsigned at);

/* Prepares the machine for rows at @at and returns their level. context_leave() undoes it. */
enum level context_enter(unsigned at);
void context_leave(void);

#endif
