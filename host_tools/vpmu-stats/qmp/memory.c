/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qmp/memory.h"

#include <inttypes.h>
#include <string.h>

#include "qmp/response.h"
#include "base/base64.h"

/* The most bytes that one vpmu-read command reads. */
#define MOST 0x40000u

static struct qmp *qmp_of(struct memory *m)
{
    return ((struct machine_memory *)m)->q;
}

static int take_bytes(struct json_object *result, void *to, size_t size, struct error *t)
{
    struct response a = {.o = result, .what = "vpmu-read", .t = t};
    const char *text;

    if (response_string(a, "data", &text)) {
        return -1;
    }
    return base64_decode(text, to, size)
               ? 0
               : error_set(t, ERROR_TALK, "vpmu-read: the response is not %zu bytes in base64",
                           size);
}

static int read_some(struct memory *m, uint64_t at, void *to, size_t size, struct error *t)
{
    struct json_object *arguments = json_object_new_object();
    struct json_object *result;
    int err;

    json_object_object_add(arguments, "address", json_object_new_uint64(at));
    json_object_object_add(arguments, "size", json_object_new_int64((int64_t)size));
    if (qmp_call(qmp_of(m), "vpmu-read", arguments, &result, t)) {
        return -1;
    }
    err = take_bytes(result, to, size, t);
    json_object_put(result);
    return err;
}

static int read_all(struct memory *m, uint64_t at, void *to, size_t size, struct error *t)
{
    for (size_t done = 0; done < size; done += MOST) {
        size_t some = size - done < MOST ? size - done : MOST;

        if (read_some(m, at + done, (char *)to + done, some, t)) {
            return -1;
        }
    }
    return 0;
}

/* Add the found pages to @found. *@next is set to where the search must continue, 0 at the end. */
static int take_pages(struct json_object *result, uint64_t *found, size_t *n, uint64_t *next,
                      struct error *t)
{
    struct response a = {.o = result, .what = "vpmu-find", .t = t};
    uint64_t from = *next;
    struct response pages;
    size_t more;

    *next = 0;
    if (response_list(a, "pages", &pages, &more) ||
        (response_has(a, "next") && response_u64(a, "next", UINT64_MAX, next))) {
        return -1;
    }
    for (size_t i = 0; i < more && *n < MEMORY_FOUND; i++) {
        if (response_item_u64(pages, i, &found[*n])) {
            return -1;
        }
        ++*n;
    }
    return *next && *next <= from
               ? error_set(t, ERROR_TALK, "vpmu-find: the search does not advance")
               : 0;
}

static int find_pages(struct memory *m, const char *text, uint64_t *found, size_t *n,
                      struct error *t)
{
    uint64_t next = 0;
    int err;

    *n = 0;
    do {
        struct json_object *arguments = json_object_new_object();
        struct json_object *result;

        json_object_object_add(arguments, "text", json_object_new_string(text));
        json_object_object_add(arguments, "from", json_object_new_uint64(next));
        if (qmp_call(qmp_of(m), "vpmu-find", arguments, &result, t)) {
            return -1;
        }
        err = take_pages(result, found, n, &next, t);
        json_object_put(result);
    } while (!err && next && *n < MEMORY_FOUND);
    return err;
}

static int take_tables(struct response cpu, uint64_t *tables, size_t *n)
{
    struct response list;
    size_t more;

    if (response_list(cpu, "tables", &list, &more)) {
        return -1;
    }
    for (size_t i = 0; i < more && *n < MEMORY_TABLES; i++) {
        if (response_item_u64(list, i, &tables[*n])) {
            return -1;
        }
        ++*n;
    }
    return 0;
}

static int find_tables(struct memory *m, uint64_t *tables, size_t *n, struct error *t)
{
    struct json_object *result;
    struct response a = {.what = "query-vpmu-tables", .t = t};
    size_t cpus;
    int err;

    *n = 0;
    if (qmp_call(qmp_of(m), a.what, NULL, &result, t)) {
        return -1;
    }
    a.o = result;
    err = response_length(a, &cpus);
    for (size_t i = 0; !err && i < cpus; i++) {
        err = take_tables(response_item(a, i), tables, n);
    }
    json_object_put(result);
    return err;
}

struct machine_memory machine_memory(struct qmp *q)
{
    return (struct machine_memory){
        .memory = {.read = read_all, .find = find_pages, .tables = find_tables}, .q = q};
}
