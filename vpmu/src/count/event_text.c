/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Events as perf writes them: a name, or r and a number; a colon and modifiers. */
#include "../event_text.h"

const char vpmu_modifiers_expected_[] =
    "modifiers are u, k and h for exception levels, G and H for guests and the host";

size_t vpmu_event_length_(const char *text)
{
    size_t len = 0;

    while (text[len] && text[len] != ':') {
        len++;
    }
    return len;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool vpmu_is_name_(const char *name, const char *text, size_t len)
{
    size_t i = 0;

    while (i < len && name[i] && lower(name[i]) == lower(text[i])) {
        i++;
    }
    return i == len && !name[i];
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10
                                                : -1;
}

bool vpmu_raw_number_(const char *text, size_t len, uint64_t *number)
{
    if (len < 2 || len > 17 || text[0] != 'r') {
        return false;
    }
    *number = 0;
    for (size_t i = 1; i < len; i++) {
        int digit = hex_digit(text[i]);

        if (digit < 0) {
            return false;
        }
        *number = *number << 4 | (unsigned)digit;
    }
    return true;
}

static const struct {
    char letter;
    unsigned bit;
} letters[] = {
    {'u', VPMU_MODIFIER_U},     {'k', VPMU_MODIFIER_K},    {'h', VPMU_MODIFIER_H},
    {'G', VPMU_MODIFIER_GUEST}, {'H', VPMU_MODIFIER_HOST},
};

bool vpmu_take_modifiers_(const char *text, unsigned *modifiers)
{
    *modifiers = 0;
    if (!*text) {
        return true;
    }
    while (*++text) {
        size_t i = 0;

        while (i < sizeof(letters) / sizeof(letters[0]) && letters[i].letter != *text) {
            i++;
        }
        if (i == sizeof(letters) / sizeof(letters[0])) {
            return false;
        }
        *modifiers |= letters[i].bit;
    }
    return *modifiers != 0;
}

unsigned vpmu_complete_modifiers_(unsigned modifiers)
{
    return modifiers | (modifiers & VPMU_MODIFIER_LEVELS_ ? 0 : VPMU_MODIFIER_LEVELS_) |
           (modifiers & VPMU_MODIFIER_SIDES_ ? 0 : VPMU_MODIFIER_SIDES_);
}
