/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats numbers and bars for people. The result does not depend on the locale's decimal point and
 * separators.
 */
#include "base/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Return: the length in bytes of the UTF-8 sequence at @p; 0 if it is invalid. */
static size_t utf8_length(const unsigned char *p)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    /* Reject overlong sequences, UTF-16 surrogates and values above U+10FFFF. */
    if (p[0] > 0xf4 || (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
        (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return len;
}

/*
 * Control characters: C0, DEL and C1; the characters that change the direction of the text around
 * them (Bidi_Control in Unicode's PropList.txt); and the separators of lines and paragraphs.
 */
static const struct {
    uint32_t first;
    uint32_t last;
} controls[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},
    {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
};

/* @p: a valid UTF-8 sequence of @len bytes. */
static bool is_control(const unsigned char *p, size_t len)
{
    uint32_t c = len == 1 ? p[0] : p[0] & (0x7fu >> len);

    for (size_t i = 1; i < len; i++) {
        c = c << 6 | (p[i] & 0x3f);
    }
    for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
        if (c >= controls[i].first && c <= controls[i].last) {
            return true;
        }
    }
    return false;
}

void format_tame(char *text)
{
    unsigned char *p = (unsigned char *)text;

    while (*p) {
        size_t len = utf8_length(p);

        if (len == 0 || is_control(p, len)) {
            len = len ? len : 1;
            memset(p, '?', len);
        }
        p += len;
    }
}

void format_valid(char *text)
{
    unsigned char *p = (unsigned char *)text;

    while (*p) {
        size_t len = utf8_length(p);

        if (len == 0) {
            *p = '?';
            len = 1;
        }
        p += len;
    }
}

/*
 * Decode the next character in the encoding of the locale. Return: its length in bytes; 0 at the
 * end. *@columns is set to its width in columns, -1 if the locale cannot print it.
 */
static size_t next_character(const char *text, mbstate_t *state, int *columns)
{
    wchar_t c;
    size_t len = mbrtowc(&c, text, MB_CUR_MAX, state);

    if (len == (size_t)-1 || len == (size_t)-2) {
        memset(state, 0, sizeof(*state));
        *columns = -1;
        return 1;
    }
    *columns = wcwidth(c);
    return len;
}

const char *format_fit(char *buf, size_t size, const char *text, int columns)
{
    mbstate_t state = {0};
    size_t used = 0;
    size_t len;
    int width;

    while ((len = next_character(text, &state, &width)) > 0) {
        int needed = width < 0 ? 1 : width;

        if (needed > columns || used + len + (size_t)columns >= size) {
            break;
        }
        memcpy(buf + used, width < 0 ? "?" : text, width < 0 ? 1 : len);
        used += width < 0 ? 1 : len;
        columns -= needed;
        text += len;
    }
    memset(buf + used, ' ', (size_t)columns);
    buf[used + (size_t)columns] = '\0';
    return buf;
}

const char *format_grouped(char *buf, uint64_t n)
{
    char digits[FORMAT_SIZE];
    size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
    char *to = buf;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            *to++ = ',';
        }
        *to++ = digits[i];
    }
    *to = '\0';
    return buf;
}

const char *format_scaled(double *value)
{
    static const char *const letters[] = {"", "K", "M", "G"};
    size_t i = 0;

    while (*value >= 1000 && i + 1 < sizeof(letters) / sizeof(letters[0])) {
        *value /= 1000;
        i++;
    }
    return letters[i];
}

const char *format_bar(char *buf, double share, size_t width, bool unicode)
{
    static const char *const blocks[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    size_t parts = unicode ? 8 : 1;
    size_t most = width * parts;
    double exact = share * (double)most;
    size_t size = exact < 1 ? exact > 0 : exact > (double)most ? most : (size_t)exact;
    char *to = buf;

    for (size_t column = 0; column < width; column++) {
        size_t here = size < parts ? size : parts;
        const char *cell = here == 0 ? " " : unicode ? blocks[here] : "#";

        to = stpcpy(to, cell);
        size -= here;
    }
    *to = '\0';
    return buf;
}

const char *format_bucket(char *buf, unsigned bucket)
{
    uint64_t first = bucket ? 1ull << (bucket - 1) : 0;

    if (bucket < 2) {
        snprintf(buf, FORMAT_SIZE, "%u", bucket);
    } else if (first < 1u << 20) {
        snprintf(buf, FORMAT_SIZE, "%" PRIu64 " - %" PRIu64, first, 2 * first - 1);
    } else {
        snprintf(buf, FORMAT_SIZE, "2^%u - 2^%u - 1", bucket - 1, bucket);
    }
    return buf;
}

void format_markdown(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (strchr("\\`*_{}[]<>#|~@&", *text)) {
            fputc('\\', to);
        }
        fputc(*text, to);
    }
}
