/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <locale.h>
#include <string.h>

#include "base/format.h"
#include "unit/tests.h"

START_TEST(grouped)
{
    static const struct {
        uint64_t n;
        const char *text;
    } rows[] = {
        {0, "0"},
        {999, "999"},
        {1000, "1,000"},
        {1234567, "1,234,567"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    char buf[FORMAT_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(format_grouped(buf, rows[i].n), rows[i].text);
    }
}
END_TEST

/* Text that does not fit is cut between characters. A wide character takes two columns. */
START_TEST(fit)
{
    static const struct {
        const char *text;
        int columns;
        const char *fitted;
    } rows[] = {
        {"abc", 5, "abc  "}, {"abcdef", 5, "abcde"}, {"", 2, "  "},         {"äöü", 2, "äö"},
        {"äöü", 5, "äöü  "}, {"日本", 3, "日 "},     {"a\xffz", 4, "a?z "}, {"ab", 0, ""},
    };
    char buf[32];

    ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(format_fit(buf, sizeof(buf), rows[i].text, rows[i].columns),
                         rows[i].fitted);
    }
    setlocale(LC_CTYPE, "C");
    ck_assert_str_eq(format_fit(buf, sizeof(buf), "ä", 3), "?? ");
}
END_TEST

START_TEST(scaled)
{
    static const struct {
        double value, scaled;
        const char *letter;
    } rows[] = {
        {0, 0, ""}, {999, 999, ""}, {1000, 1, "K"}, {2500000, 2.5, "M"}, {3e12, 3000, "G"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double value = rows[i].value;

        ck_assert_str_eq(format_scaled(&value), rows[i].letter);
        ck_assert_double_eq(value, rows[i].scaled);
    }
}
END_TEST

/* Any share above 0 is visible. A share above 1 fills the bar. */
START_TEST(bar)
{
    static const struct {
        double share;
        bool unicode;
        const char *text;
    } rows[] = {
        {0, false, "    "},    {0.001, false, "#   "}, {0.5, false, "##  "},
        {1, false, "####"},    {2, false, "####"},     {0, true, "    "},
        {0.001, true, "▏   "}, {0.375, true, "█▌  "},  {1, true, "████"},
    };
    char buf[4 * 3 + 1];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(format_bar(buf, rows[i].share, 4, rows[i].unicode), rows[i].text);
    }
}
END_TEST

START_TEST(bucket)
{
    static const struct {
        unsigned bucket;
        const char *text;
    } rows[] = {
        {0, "0"},
        {1, "1"},
        {2, "2 - 3"},
        {7, "64 - 127"},
        {20, "524288 - 1048575"},
        {21, "2^20 - 2^21 - 1"},
        {64, "2^63 - 2^64 - 1"},
    };
    char buf[FORMAT_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_str_eq(format_bucket(buf, rows[i].bucket), rows[i].text);
    }
}
END_TEST

START_TEST(tame)
{
    static const struct {
        const char *text, *tame;
    } rows[] = {
        {"", ""},
        {"a b~", "a b~"},
        {"\x1b[2J\r\n\x7f", "?[2J???"},
        {"grün ▏", "grün ▏"},
        {"\xc2\x9b"
         "31m",
         "??31m"},
        {"\x9b"
         "31m",
         "?31m"},
        {"\xff\xfe", "??"},
        {"cut \xe2\x96", "cut ??"},
        {"\xc2", "?"},
        {"\xf4\x8f", "??"},
        {"\xe0\x9f\xbf", "???"},
        {"\xed\xa0\x80", "???"},
        {"\xf0\x8f\xbf\xbf", "????"},
        {"\xf4\x90\x80\x80", "????"},
        {"\xed\x9f\xbf\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xf4\x8f\xbf\xbf"},
        /* Each character with the property Bidi_Control, and the separators U+2028 and U+2029. */
        {"\u061c\u200e\u200f", "????????"},
        {"\u202a\u202b\u202c\u202d\u202e", "???????????????"},
        {"\u2066\u2067\u2068\u2069", "????????????"},
        {"\u2028\u2029", "??????"},
        /* Their neighbours stay, and so do letters that are written from right to left. */
        {"\u061b\u061d\u200d\u2010\u2027\u202f", "\u061b\u061d\u200d\u2010\u2027\u202f"},
        {"\u2065\u206a\u05d0", "\u2065\u206a\u05d0"},
    };
    char buf[64];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        strcpy(buf, rows[i].text);
        format_tame(buf);
        ck_assert_str_eq(buf, rows[i].tame);
    }
}
END_TEST

Suite *format_suite(void)
{
    const TTest *const tests[] = {fit, grouped, scaled, bar, bucket, tame};

    return suite_of("format", tests, COUNT_OF(tests));
}
