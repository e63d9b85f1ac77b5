/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/histogram.h"

#include "base/format.h"
#include "base/number.h"

#define WIDTH 40

int histogram_read(struct histogram *h, struct response stat)
{
    struct response list;
    size_t n;

    if (response_list(stat, "value", &list, &n)) {
        return -1;
    }
    if (n > HISTOGRAM_BUCKETS) {
        return error_set(stat.t, ERROR_TALK,
                         "%s: a histogram with %zu buckets; at most %d are possible", stat.what, n,
                         (int)HISTOGRAM_BUCKETS);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t value;

        if (response_item_u64(list, i, &value)) {
            return -1;
        }
        h->n[i] += value;
    }
    return 0;
}

void histogram_subtract(struct histogram *h, const struct histogram *before)
{
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        h->n[i] = number_growth(h->n[i], before->n[i]);
    }
}

/* Return: the number of buckets up to the last that is not 0; at least 1. */
static unsigned end_of(const struct histogram *h)
{
    unsigned end = HISTOGRAM_BUCKETS;

    while (end > 1 && !h->n[end - 1]) {
        end--;
    }
    return end;
}

void histogram_print(struct out *out, const struct histogram *h)
{
    unsigned end = end_of(h);
    unsigned first = 0;
    uint64_t most = 1;
    char range[FORMAT_SIZE];
    char number[FORMAT_SIZE];
    char bar[3 * WIDTH + 1];

    for (unsigned i = 0; i < end; i++) {
        most = h->n[i] > most ? h->n[i] : most;
    }
    while (first + 1 < end && !h->n[first]) {
        first++;
    }
    for (unsigned i = first; i < end; i++) {
        fprintf(out->text, "  %18s %14s |%s|\n", format_bucket(range, i),
                format_grouped(number, h->n[i]),
                format_bar(bar, (double)h->n[i] / (double)most, WIDTH, out->unicode));
    }
}

struct json_object *histogram_list(const struct histogram *h)
{
    struct json_object *list = json_object_new_array();

    for (unsigned i = 0; i < end_of(h); i++) {
        json_object_array_add(list, json_object_new_uint64(h->n[i]));
    }
    return list;
}
