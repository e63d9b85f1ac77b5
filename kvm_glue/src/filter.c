/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event filters: which events a guest may count. */
#include "kvm_glue/filter.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "internal.h"
#include "vpmu/arm/config.h"

#define MAX_EVENT 0xffffu

int kvm_glue_filter_add(struct kvm_glue_filter *f, unsigned action, uint64_t first, uint64_t last,
                        struct kvm_glue_error *err)
{
    if (action != KVM_GLUE_ALLOW && action != KVM_GLUE_DENY) {
        return kvm_glue_fail_(err, -EINVAL, "a rule of the event filter allows or denies");
    }
    if (first > last) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the event filter's range 0x%" PRIx64 "-0x%" PRIx64
                              " ends before it begins; write the lower event first",
                              first, last);
    }
    if (last > MAX_EVENT) {
        return kvm_glue_fail_(err, -EINVAL,
                              "the event filter's range 0x%" PRIx64 "-0x%" PRIx64
                              " is out of bounds; events are 0x0 to 0xffff",
                              first, last);
    }
    if (f->count >= KVM_GLUE_MAX_RULES) {
        return kvm_glue_fail_(err, -E2BIG, "the event filter has more than %u rules",
                              KVM_GLUE_MAX_RULES);
    }
    f->rules[f->count++] = (struct kvm_glue_rule){(uint16_t)first, (uint16_t)last, (uint8_t)action};
    return 0;
}

/* Returns -1 if @c is not a digit in any base. */
static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    char lower = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
    const char *at = lower == '\0' ? NULL : strchr(digits, lower);

    return at == NULL ? -1 : (int)(at - digits);
}

/*
 * Parses a number and advances @text; false if there is none. Numbers that are too large are out of
 * range for the caller.
 */
static bool parse_number(const char **text, uint64_t *number)
{
    bool hexadecimal = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
    int base = hexadecimal ? 16 : 10;
    const char *at = *text + (hexadecimal ? 2 : 0);
    const char *begin = at;

    *number = 0;
    for (int digit = digit_of(*at); digit >= 0 && digit < base; digit = digit_of(*++at)) {
        if (*number <= UINT32_MAX) {
            *number = *number * (unsigned)base + (unsigned)digit;
        }
    }
    *text = at;
    return at != begin;
}

static bool parse_action(const char **text, unsigned *action)
{
    char c = **text;

    if ((c != 'A' && c != 'D') || (*text)[1] != ':') {
        return false;
    }
    *action = c == 'A' ? KVM_GLUE_ALLOW : KVM_GLUE_DENY;
    *text += 2;
    return true;
}

static bool parse_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (!parse_number(text, first) || **text != '-') {
        return false;
    }
    *text += 1;
    return parse_number(text, last);
}

/* The length of the first rule in @text, for messages. */
static int rule_length(const char *text)
{
    size_t length = strcspn(text, ";,");

    return length > 40 ? 40 : (int)length;
}

int kvm_glue_filter_parse(const char *text, struct kvm_glue_filter *f, struct kvm_glue_error *err)
{
    struct kvm_glue_filter parsed = {.count = 0};

    for (;;) {
        const char *rule = text;
        unsigned action;
        uint64_t first;
        uint64_t last;
        int ret;

        if (!parse_action(&text, &action) || !parse_range(&text, &first, &last) ||
            (*text != '\0' && *text != ';' && *text != ',')) {
            return kvm_glue_fail_(err, -EINVAL,
                                  "'%.*s' is no rule of an event filter; one is A:0x11-0x11 to "
                                  "allow events or D:0x23-0x3a to deny them, with ';' between two",
                                  rule_length(rule), rule);
        }
        ret = kvm_glue_filter_add(&parsed, action, first, last, err);
        if (ret < 0) {
            return ret;
        }
        if (*text++ == '\0') {
            break;
        }
    }
    *f = parsed;
    return 0;
}

unsigned kvm_glue_filter_event_bits(unsigned pmuver)
{
    return pmuver == VPMU_V3 ? 10 : 16;
}

int kvm_glue_filter_check(const struct kvm_glue_filter *f, unsigned pmuver,
                          struct kvm_glue_error *err)
{
    unsigned bits = kvm_glue_filter_event_bits(pmuver);

    if (f->count > KVM_GLUE_MAX_RULES) {
        return kvm_glue_fail_(err, -EINVAL, "the event filter has more than %u rules",
                              KVM_GLUE_MAX_RULES);
    }
    for (unsigned i = 0; i < f->count; i++) {
        const struct kvm_glue_rule *rule = &f->rules[i];

        if (rule->first > rule->last || rule->last >> bits != 0) {
            return kvm_glue_fail_(
                err, -EINVAL,
                "FILTER: the range 0x%x-0x%x is out of bounds; this guest's PMU has "
                "events 0x0 to 0x%x",
                rule->first, rule->last, (1u << bits) - 1);
        }
    }
    return 0;
}

bool kvm_glue_filter_allows(const struct kvm_glue_filter *f, unsigned event)
{
    if (f->count == 0 || event == VPMU_EVENT_SW_INCR || event == VPMU_EVENT_CHAIN) {
        return true;
    }
    for (unsigned i = f->count; i-- > 0;) {
        if (event >= f->rules[i].first && event <= f->rules[i].last) {
            return f->rules[i].action == KVM_GLUE_ALLOW;
        }
    }
    return f->rules[0].action == KVM_GLUE_DENY;
}
