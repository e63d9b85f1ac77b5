/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base64.h"

#include <stdint.h>
#include <string.h>

/* Return: the value of a base64 digit, 0 to 63; -1 for any other character. */
static int digit(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decode 4 characters into @size bytes, 1 to 3. Only the last group has fewer than 3. */
static bool decode_group(const char *text, unsigned char *to, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < 4; i++) {
        int d = i <= size ? digit(text[i]) : text[i] == '=' ? 0 : -1;

        if (d < 0) {
            return false;
        }
        value = value << 6 | (uint32_t)d;
    }
    for (size_t i = 0; i < size; i++) {
        to[i] = (unsigned char)(value >> (16 - 8 * i));
    }
    return true;
}

bool base64_decode(const char *text, void *to, size_t size)
{
    unsigned char *bytes = to;

    if (strlen(text) != (size + 2) / 3 * 4) {
        return false;
    }
    for (size_t at = 0; at < size; at += 3) {
        if (!decode_group(text + at / 3 * 4, bytes + at, size - at < 3 ? size - at : 3)) {
            return false;
        }
    }
    return true;
}
