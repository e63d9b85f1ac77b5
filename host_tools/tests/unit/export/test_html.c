/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the page of convert --to html, made from a synthetic file. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/html.h"
#include "fixtures/perffiles.h"
#include "unit/tests.h"

/* A name that would end the data if it were written without quoting. */
static const char kallsyms[] = "1000 T _text\n"
                               "1000 T main\n"
                               "1100 T </script>\"\\x\n";

static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0x1104, 0x1008};

static void make_file(struct made_file *m)
{
    const struct made_sample samples[] = {
        {.mode = 1,
         .id = 1,
         .ip = 0x1104,
         .tid = 7,
         .time = 1000,
         .cpu = 1,
         .period = 40,
         .chain = chain,
         .n_chain = COUNT_OF(chain)},
        {.mode = 1,
         .id = 1,
         .ip = 0x1104,
         .tid = 7,
         .time = 1001,
         .cpu = 1,
         .period = 30,
         .chain = chain,
         .n_chain = COUNT_OF(chain)},
        {.mode = 1, .id = 1, .ip = 0x1000, .tid = 8, .time = 3000, .cpu = 0, .period = 5},
        {.mode = 1, .id = 2, .ip = 0x1000, .tid = 8, .time = 9000, .cpu = 2, .period = 7},
    };

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        perffiles_sample(m, &samples[i]);
    }
    /* With a character that turns the rest of the line around. */
    perffiles_comm(m, 7, 5, "pr\u202eog");
    perffiles_end(m);
}

static char *make_page(const char *name, unsigned event)
{
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct profile p = {0};
    struct error t = {0};
    struct html h = {.event = name};
    struct sample_input g = {.kallsyms = path,
                             .programs = &none,
                             .each = html_sample,
                             .sink = &h,
                             .opaque = &h.stacks,
                             .profile = &p};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    make_temporary(path, kallsyms, strlen(kallsyms));
    make_file(&m);
    g.input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_int_eq(html_write(&h, &p, event, file, &t), 0);
    fclose(file);
    html_free(&h);
    profile_free(&p);
    return text;
}

/* Returns the data of a page, which is modified to end there. */
static struct json_object *data_of(char *page)
{
    static const char mark[] = "<script id=\"data\" type=\"application/json\">\n";
    char *start = strstr(page, mark);
    char *end;
    struct json_object *data;

    ck_assert_ptr_nonnull(start);
    start += sizeof(mark) - 1;
    end = strstr(start, "</script>");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    data = json_tokener_parse(start);
    ck_assert_msg(data != NULL, "no JSON: %s", start);
    return data;
}

static void check_part(struct json_object *data, const char *name, const char *wanted)
{
    struct json_object *part;

    ck_assert_msg(json_object_object_get_ex(data, name, &part), "no %s", name);
    ck_assert_str_eq(json_object_to_json_string_ext(part, JSON_C_TO_STRING_PLAIN), wanted);
}

START_TEST(html_data)
{
    static const struct {
        const char *name;
        unsigned event;
        const char *parts[8][2];
    } rows[] = {
        {NULL,
         0,
         {{"event", "\"event-a\""},
          {"samples", "3"},
          {"period", "75"},
          /*
           * Texts: 0 is pr???og, 4 the function with the bad name, 5 main, 6 the thread without a
           * name.
           */
          {"stacks", "[[1,5,6,5],[2,70,0,5,4]]"},
          {"first", "1000"},
          {"last", "3000"},
          {"cpus", "[{\"cpu\":0,\"bars\":[[399,6,5]]},{\"cpu\":1,\"bars\":[[0,0,70]]}]"},
          {"code", "[]"}}},
        {"event-b",
         1,
         {{"event", "\"event-b\""},
          {"samples", "1"},
          {"first", "9000"},
          {"last", "9000"},
          {"cpus", "[{\"cpu\":2,\"bars\":[[0,3,7]]}]"}}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *page = make_page(rows[i].name, rows[i].event);
        struct json_object *data = data_of(page);

        for (size_t k = 0; k < 8 && rows[i].parts[k][0]; k++) {
            check_part(data, rows[i].parts[k][0], rows[i].parts[k][1]);
        }
        json_object_put(data);
        free(page);
    }
}
END_TEST

/* The page is one file that loads nothing, and its data ends where it should. */
START_TEST(html_alone)
{
    static const char *const forbidden[] = {"http:", "https:", "src=", "<link", "@import", "url("};
    char *page = make_page(NULL, 0);
    unsigned scripts = 0;

    for (size_t i = 0; i < COUNT_OF(forbidden); i++) {
        ck_assert_msg(!strstr(page, forbidden[i]), "%s", forbidden[i]);
    }
    for (const char *p = page; (p = strstr(p, "</script>")); p++) {
        scripts++;
    }
    ck_assert_uint_eq(scripts, 2);
    ck_assert_ptr_nonnull(strstr(page, "\"pr???og\""));
    ck_assert_ptr_nonnull(strstr(page, "\\u003c/script>\\\"\\\\x"));
    free(page);
}
END_TEST

Suite *html_suite(void)
{
    const TTest *const tests[] = {html_data, html_alone};

    return suite_of("html", tests, COUNT_OF(tests));
}
