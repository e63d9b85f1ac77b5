/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as words, in the order that Linux's perf_event.h gives at PERF_RECORD_SAMPLE. Each word
 * has a value of its own, so that a field that is taken from another word is noticed.
 */
#include "perfdata/perfsample.h"

#include <linux/perf_event.h>
#include <string.h>

#include "perfdata/perffile.h"
#include "unit/tests.h"

#define MAX_WORDS 20
/* Two 32-bit fields, as they are in the file. */
#define PAIR(first, second) ((first) | (uint64_t)(second) << 32)
/* Fields that a sample does not have. */
#define NO_TID .pid = UINT32_MAX, .tid = UINT32_MAX
#define NO_CPU .cpu = UINT32_MAX
#define NO_TIME .time = UINT64_MAX
#define NOTHING NO_TID, NO_CPU, NO_TIME

/* What is compared: the fields, and the first word of each list. */
struct expected {
    uint64_t ip, time, address, id, period, link, weight, source, cgroup;
    uint64_t n_values, stride, id_word, n_chain, n_branches;
    uint64_t value, call, branch, registers, stack, stack_size;
    uint32_t pid, tid, cpu;
    bool has_link;
};

static struct expected of(const struct perfsample *s)
{
    return (struct expected){
        .ip = s->ip,
        .time = s->time,
        .address = s->address,
        .id = s->id,
        .period = s->period,
        .link = s->link,
        .weight = s->weight,
        .source = s->source,
        .cgroup = s->cgroup,
        .n_values = s->n_values,
        .stride = s->n_values ? s->stride : 0,
        .id_word = s->n_values ? s->id_word : 0,
        .n_chain = s->n_chain,
        .n_branches = s->n_branches,
        .value = s->n_values ? perfsample_word(s->values, 0) : 0,
        .call = s->n_chain ? perfsample_word(s->chain, 0) : 0,
        .branch = s->n_branches ? perfsample_word(s->branches, 0) : 0,
        .registers = s->registers ? perfsample_word(s->registers, 0) : 0,
        .stack = s->stack ? perfsample_word(s->stack, 0) : 0,
        .stack_size = s->stack_size,
        .pid = s->pid,
        .tid = s->tid,
        .cpu = s->cpu,
        .has_link = s->has_link,
    };
}

struct row {
    const char *name;
    struct perf_event_attr attr;
    uint64_t words[MAX_WORDS];
    size_t n;
    struct expected expected;
};

static void compare(const struct row *row, const struct perfsample *s)
{
    const struct expected got = of(s);

#define SAME(field)                                                                                \
    ck_assert_msg(got.field == row->expected.field, "%s: expected " #field " %#llx got %#llx",     \
                  row->name, (unsigned long long)row->expected.field,                              \
                  (unsigned long long)got.field)
    SAME(ip), SAME(time), SAME(address), SAME(id), SAME(period), SAME(link), SAME(weight);
    SAME(source), SAME(cgroup), SAME(n_values), SAME(stride), SAME(id_word), SAME(n_chain);
    SAME(n_branches), SAME(value), SAME(call), SAME(branch), SAME(pid), SAME(tid), SAME(cpu);
    SAME(has_link), SAME(registers), SAME(stack), SAME(stack_size);
}

static struct bytes body(const uint64_t *words, size_t n)
{
    return (struct bytes){.at = (const unsigned char *)words, .left = n * sizeof(*words)};
}

#define WORDS(...)                                                                                 \
    .words = {__VA_ARGS__}, .n = sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define READ(format)                                                                               \
    {                                                                                              \
        .sample_type = PERF_SAMPLE_READ, .read_format = (format)                                   \
    }
#define STACKS (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define BRANCHES (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP)

static const struct row samples[] = {
    {"period of the event", {.sample_period = 7}, .expected = {NOTHING, .period = 7}},
    {"frequency", {.sample_freq = 7, .freq = 1}, .expected = {NOTHING, .period = 1}},
    {"first fields",
     {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                     PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
                     PERF_SAMPLE_PERIOD},
     WORDS(1, 2, PAIR(3, 4), 5, 6, 77, 88, PAIR(9, 99), 10),
     {.id = 1, .ip = 2, .pid = 3, .tid = 4, .time = 5, .address = 6, .cpu = 9, .period = 10}},
    {"id", {.sample_type = PERF_SAMPLE_ID}, WORDS(3), {NOTHING, .id = 3}},
    {"group with times",
     READ(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
          PERF_FORMAT_TOTAL_TIME_RUNNING),
     WORDS(2, 100, 200, 30, 1, 40, 2),
     {NOTHING, .n_values = 2, .stride = 2, .id_word = 1, .value = 30}},
    {"group with lost",
     READ(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST),
     WORDS(1, 30, 1, 5),
     {NOTHING, .n_values = 1, .stride = 3, .id_word = 1, .value = 30}},
    {"a value with a time",
     READ(PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED),
     WORDS(30, 100, 1),
     {NOTHING, .n_values = 1, .stride = 3, .id_word = 2, .value = 30}},
    {"values without ids", READ(PERF_FORMAT_GROUP), WORDS(2, 30, 40), {NOTHING}},
    {"chain",
     {.sample_type = PERF_SAMPLE_CALLCHAIN},
     WORDS(2, 11, 12),
     {NOTHING, .n_chain = 2, .call = 11}},
    {"empty chain", {.sample_type = PERF_SAMPLE_CALLCHAIN}, WORDS(0), {NOTHING}},
    {"branches",
     {.sample_type = BRANCHES},
     WORDS(1, 21, 22, 23, 5),
     {NOTHING, .n_branches = 1, .branch = 21, .cgroup = 5}},
    {"branches with an index",
     {.sample_type = BRANCHES, .branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX},
     WORDS(1, 9, 21, 22, 23, 5),
     {NOTHING, .n_branches = 1, .branch = 21, .cgroup = 5}},
    {"raw data",
     {.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CGROUP},
     WORDS(PAIR(12, 0), 0, 5),
     {NOTHING, .cgroup = 5}},
    {"registers and stack",
     {.sample_type = STACKS | PERF_SAMPLE_CGROUP, .sample_regs_user = 0x15},
     WORDS(PERF_SAMPLE_REGS_ABI_64, 1, 2, 3, 16, 4, 5, 16, 77),
     {NOTHING, .registers = 1, .stack = 4, .stack_size = 16, .cgroup = 77}},
    {"registers and stack without a cgroup",
     {.sample_type = STACKS, .sample_regs_user = 1},
     WORDS(PERF_SAMPLE_REGS_ABI_64, 1, 8, 4, 8),
     {NOTHING, .registers = 1, .stack = 4, .stack_size = 8}},
    {"a stack with a part that is valid",
     {.sample_type = STACKS | PERF_SAMPLE_CGROUP, .sample_regs_user = 1},
     WORDS(PERF_SAMPLE_REGS_ABI_64, 1, 16, 4, 5, 8, 77),
     {NOTHING, .registers = 1, .stack = 4, .stack_size = 8, .cgroup = 77}},
    {"a stack with a part that is larger than all of it",
     {.sample_type = STACKS | PERF_SAMPLE_CGROUP, .sample_regs_user = 1},
     WORDS(PERF_SAMPLE_REGS_ABI_64, 1, 16, 4, 5, 17, 77),
     {NOTHING, .registers = 1, .stack = 4, .stack_size = 16, .cgroup = 77}},
    {"registers of a 32-bit program",
     {.sample_type = STACKS | PERF_SAMPLE_CGROUP, .sample_regs_user = 3},
     WORDS(PERF_SAMPLE_REGS_ABI_32, 1, 2, 8, 4, 8, 77),
     {NOTHING, .stack = 4, .stack_size = 8, .cgroup = 77}},
    {"no registers, no stack",
     {.sample_type = STACKS | PERF_SAMPLE_CGROUP, .sample_regs_user = 0x15},
     WORDS(PERF_SAMPLE_REGS_ABI_NONE, 0, 77),
     {NOTHING, .cgroup = 77}},
    {"no registers of an interrupt",
     {.sample_type = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP, .sample_regs_intr = 3},
     WORDS(PERF_SAMPLE_REGS_ABI_NONE, 77),
     {NOTHING, .cgroup = 77}},
    {"branches without a cgroup",
     {.sample_type = PERF_SAMPLE_BRANCH_STACK},
     WORDS(1, 21, 22, 23),
     {NOTHING, .n_branches = 1, .branch = 21}},
    {"a source without a cgroup",
     {.sample_type = PERF_SAMPLE_DATA_SRC},
     WORDS(32),
     {NOTHING, .source = 32}},
    {"access",
     {.sample_type = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
                     PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP,
      .sample_regs_intr = 3},
     WORDS(31, 32, 33, PERF_SAMPLE_REGS_ABI_64, 1, 2, 34, 77),
     {NOTHING, .weight = 31, .source = 32, .cgroup = 77}},
    {"weights",
     {.sample_type = PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_CGROUP},
     WORDS(31, 77),
     {NOTHING, .weight = 31, .cgroup = 77}},
    {"link",
     {.sample_type = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP,
      .sample_regs_intr = PERFFILE_REGISTER_LINK},
     WORDS(PERF_SAMPLE_REGS_ABI_64, 41, 77),
     {NOTHING, .link = 41, .has_link = true, .cgroup = 77}},
    {"no link",
     {.sample_type = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP,
      .sample_regs_intr = PERFFILE_REGISTER_LINK},
     WORDS(PERF_SAMPLE_REGS_ABI_NONE, 77),
     {NOTHING, .cgroup = 77}},
};

START_TEST(perfsample_fields)
{
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const struct row *row = &samples[i];
        struct perfsample s;

        ck_assert_msg(perfsample_decode(&row->attr, body(row->words, row->n), &s), "%s", row->name);
        compare(row, &s);
        /* One word less. */
        ck_assert_msg(!row->n || !perfsample_decode(&row->attr, body(row->words, row->n - 1), &s),
                      "%s: expected an end", row->name);
    }
}
END_TEST

/* Numbers that do not fit. */
START_TEST(perfsample_wrong)
{
    static const struct row rows[] = {
        {"values", READ(PERF_FORMAT_GROUP), WORDS(257, 0, 0), {0}},
        {"calls", {.sample_type = PERF_SAMPLE_CALLCHAIN}, WORDS(3, 1, 2), {0}},
        {"all calls", {.sample_type = PERF_SAMPLE_CALLCHAIN}, WORDS(UINT64_MAX, 1, 2), {0}},
        {"branches", {.sample_type = PERF_SAMPLE_BRANCH_STACK}, WORDS(2, 1, 2, 3, 4, 5), {0}},
        {"all branches", {.sample_type = PERF_SAMPLE_BRANCH_STACK}, WORDS(UINT64_MAX, 1), {0}},
        {"stack",
         {.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP},
         WORDS(UINT64_MAX, 1, 2),
         {0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfsample s;

        ck_assert_msg(!perfsample_decode(&rows[i].attr, body(rows[i].words, rows[i].n), &s), "%s",
                      rows[i].name);
    }
}
END_TEST

/* The largest group, 256 values. */
START_TEST(perfsample_largest)
{
    static const struct perf_event_attr attr = READ(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
    static uint64_t words[1 + 2 * 256] = {256, 1};
    struct perfsample s;

    ck_assert(perfsample_decode(&attr, body(words, COUNT_OF(words)), &s));
    ck_assert_uint_eq(s.n_values, 256);
}
END_TEST

/* Records that are no samples end with these fields; see sample_id in perf_event.h. */
START_TEST(perfsample_trailers)
{
#define ALL                                                                                        \
    (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |                 \
     PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
    static const struct row rows[] = {
        {"all",
         {.sample_id_all = 1, .sample_type = ALL | PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD},
         WORDS(99, 98, PAIR(3, 4), 5, 77, 88, PAIR(9, 0), 1),
         {.pid = 3, .tid = 4, .time = 5, .cpu = 9, .id = 1}},
        {"id",
         {.sample_id_all = 1, .sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_CPU},
         WORDS(99, 6, PAIR(9, 0)),
         {NO_TID, .cpu = 9, .id = 6}},
        {"no id",
         {.sample_id_all = 1, .sample_type = PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER},
         WORDS(99, PAIR(9, 0), 1),
         {NO_TID, .cpu = 9, .id = 1}},
        {"no trailers", {.sample_type = ALL}, WORDS(1, 2, 3, 4, 5, 6), {NO_TID, NO_CPU}},
        {"too short", {.sample_id_all = 1, .sample_type = ALL}, WORDS(1, 2, 3), {NO_TID, NO_CPU}},
        {"nothing before",
         {.sample_id_all = 1, .sample_type = PERF_SAMPLE_TIME},
         WORDS(5),
         {NO_TID, NO_CPU, .time = 5}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfsample s;

        perfsample_trailer(&rows[i].attr, body(rows[i].words, rows[i].n), &s);
        compare(&rows[i], &s);
    }
}
END_TEST

Suite *perfsample_suite(void)
{
    const TTest *const tests[] = {perfsample_fields, perfsample_wrong, perfsample_largest,
                                  perfsample_trailers};

    return suite_of("perfsample", tests, COUNT_OF(tests));
}
