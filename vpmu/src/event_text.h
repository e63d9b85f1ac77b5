/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EVENT_TEXT_H
#define VPMU_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/count.h"

/* event_text.c: events as perf writes them, whatever the architecture. */

#define VPMU_MODIFIER_LEVELS_ (VPMU_MODIFIER_U | VPMU_MODIFIER_K | VPMU_MODIFIER_H)
#define VPMU_MODIFIER_SIDES_ (VPMU_MODIFIER_GUEST | VPMU_MODIFIER_HOST)

/* What is said if there are other letters behind an event. */
extern const char vpmu_modifiers_expected_[];

/* How many characters the event has, without modifiers. */
size_t vpmu_event_length_(const char *text);

/* Is @name what the @len characters at @text spell, in any case? */
bool vpmu_is_name_(const char *name, const char *text, size_t len);

/* r and one to sixteen hexadecimal digits, in all @len characters; otherwise false. */
bool vpmu_raw_number_(const char *text, size_t len, uint64_t *number);

/* What follows an event: nothing, or a colon and letters. False if it is neither. */
bool vpmu_take_modifiers_(const char *text, unsigned *modifiers);

/* Of a kind of which none was given all are meant. */
unsigned vpmu_complete_modifiers_(unsigned modifiers);

#endif
