/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decodes counter registers that a guest has written. */
#include "machine/decode.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "vpmu/arm/events.h"
#include "vpmu/arm/regs.h"

enum {
    EL0 = 1 << 0,
    EL1 = 1 << 1,
    EL2 = 1 << 2,
};

/*
 * The bits that decide whether a counter counts at an exception level. At EL0 and EL1 it does not
 * count if the exclusive or of the bits is 1. At EL2 it does not count if that is 0.
 */
struct rule {
    uint64_t bits;
    unsigned level;
};

static const struct rule nonsecure[] = {
    {VPMU_TYPER_U | VPMU_TYPER_NSU, EL0},
    {VPMU_TYPER_P | VPMU_TYPER_NSK, EL1},
    {VPMU_TYPER_NSH, EL2},
};
static const struct rule secure[] = {
    {VPMU_TYPER_U, EL0},
    {VPMU_TYPER_P, EL1},
    {VPMU_TYPER_NSH | VPMU_TYPER_SH, EL2},
};
static const struct rule realm[] = {
    {VPMU_TYPER_U | VPMU_TYPER_RLU, EL0},
    {VPMU_TYPER_P | VPMU_TYPER_RLK, EL1},
    {VPMU_TYPER_NSH | VPMU_TYPER_RLH, EL2},
};

static bool is_odd(uint64_t bits)
{
    return __builtin_parityll(bits);
}

static unsigned levels_of(const struct rule *rules, uint64_t type)
{
    unsigned levels = 0;

    for (int i = 0; i < 3; i++) {
        if (is_odd(type & rules[i].bits) == (rules[i].level == EL2)) {
            levels |= rules[i].level;
        }
    }
    return levels;
}

static void add_levels(char *buf, const char *state, unsigned levels)
{
    for (unsigned el = 0; el < 3; el++) {
        if (levels & 1u << el) {
            size_t len = strlen(buf);

            snprintf(buf + len, DECODE_SIZE - len, "%s%sEL%u", len ? " " : "", state, el);
        }
    }
}

const char *decode_levels(char *buf, uint64_t type)
{
    unsigned ns = levels_of(nonsecure, type);
    unsigned s = levels_of(secure, type);
    unsigned rl = levels_of(realm, type);

    *buf = '\0';
    add_levels(buf, "", ns);
    add_levels(buf, "S-", s == ns ? 0 : s);
    add_levels(buf, "RL-", rl == ns ? 0 : rl);
    if (!*buf) {
        strcpy(buf, "nowhere");
    }
    return buf;
}

const char *decode_modifiers(char *buf, uint64_t type)
{
    unsigned levels = levels_of(nonsecure, type);

    if (levels == 0 || levels == (EL0 | EL1 | EL2)) {
        *buf = '\0';
    } else {
        snprintf(buf, DECODE_SIZE, ":%s%s%s", levels & EL0 ? "u" : "", levels & EL1 ? "k" : "",
                 levels & EL2 ? "h" : "");
    }
    return buf;
}

/*
 * The bits USR and OS are 16 and 17 of PERFEVTSEL. In a field of FIXED_CTR_CTRL they are 1 and 0
 * (SDM 20.2). IBS samples at all levels.
 */
static bool x86_counts(const struct counter *c, bool user)
{
    unsigned bit = c->index >= MACHINE_X86_FIXED ? user : 17u - user;

    return c->index >= MACHINE_X86_IBS || (c->type >> bit & 1);
}

const char *decode_counter_levels(char *buf, const struct counter *c)
{
    bool user = x86_counts(c, true);
    bool kernel = x86_counts(c, false);

    if (!c->x86) {
        return decode_levels(buf, c->type);
    }
    return strcpy(buf, user && kernel ? "user kernel"
                       : user         ? "user"
                       : kernel       ? "kernel"
                                      : "nowhere");
}

const char *decode_counter_modifiers(char *buf, const struct counter *c)
{
    bool user = x86_counts(c, true);

    if (!c->x86) {
        return decode_modifiers(buf, c->type);
    }
    return strcpy(buf, user == x86_counts(c, false) ? "" : user ? ":u" : ":k");
}

const char *decode_event(char *buf, const struct counter *c)
{
    const struct vpmu_arm_event *event =
        c->x86 || c->event > UINT16_MAX ? NULL : vpmu_arm_event_find((uint16_t)c->event);

    if (c->name) {
        snprintf(buf, DECODE_SIZE, "%s", c->name);
        format_tame(buf);
    } else if (event) {
        snprintf(buf, DECODE_SIZE, "%s", event->name);
    } else {
        snprintf(buf, DECODE_SIZE, "0x%04" PRIx64, c->event);
    }
    return buf;
}
