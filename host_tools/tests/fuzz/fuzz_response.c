/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the input is the responses of a peer, one per line. All commands that read responses
 * are run. Each result must be valid, or an error of one line.
 */
#include <stdlib.h>
#include <string.h>

#include "qmp/response.h"
#include "machine/blackout.h"
#include "machine/exits.h"
#include "fuzz.h"
#include "machine/guest.h"
#include "machine/machine.h"
#include "qmp/memory.h"
#include "machine/observers.h"

/* A peer that sends the lines of the input. */
struct lines {
    struct qmp qmp;
    const char *at;
    const char *end;
};

static int ask(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
               struct error *t)
{
    struct lines *l = (struct lines *)q;
    const char *line = l->at;
    const char *end = memchr(line, '\n', (size_t)(l->end - line));
    size_t len = (size_t)((end ? end : l->end) - line);

    (void)command;
    (void)fd;
    l->at = end ? end + 1 : l->end;
    return response_parse(line, len, answer, t);
}

static const struct qmp_ops ops = {.ask = ask};

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* A failure always has one line that is safe for a terminal. */
static bool judge(int err, struct error *t)
{
    require((err == 0) == (t->code == ERROR_NONE));
    for (const char *p = t->text; *p; p++) {
        require((unsigned char)*p >= ' ' && *p != 0x7f);
    }
    *t = (struct error){0};
    return err == 0;
}

/* @kind: which meter is read, and whether for each vCPU. */
static void read_stats(struct qmp *q, const struct pmus *pmus, size_t kind)
{
    struct blackout *blackouts = calloc(pmus->n, sizeof(*blackouts));
    struct exits *exits = calloc(pmus->n, sizeof(*exits));
    struct observers o = {.n = 2, .names = {"observer/a", "observer/b"}};
    struct error t = {0};
    uint64_t *values = calloc(pmus->n * o.n, sizeof(*values));

    require(values && blackouts && exits);
    judge(observers_read(&o, q, pmus, values, &t), &t);
    if (kind & 2) {
        judge(exits_read(exits, kind & 1, q, pmus, &t), &t);
    } else {
        judge(blackout_read(blackouts, kind & 1, q, pmus, &t), &t);
    }
    free(values);
    free(blackouts);
    free(exits);
}

static void look_at_guests(const struct pmus *pmus)
{
    struct guest_use u = {0};

    for (size_t i = 0; i < pmus->n; i++) {
        guest_look(&u, &pmus->pmu[i]);
        require(u.uncounted <= u.enabled && u.changed <= u.looks);
    }
}

/* The memory of a machine, in which no kernel is found. */
static void read_memory(struct qmp *q)
{
    struct machine_memory m = machine_memory(q);
    static uint64_t tables[MEMORY_TABLES];
    uint64_t pages[MEMORY_FOUND];
    struct error t = {0};
    char bytes[4];
    size_t n;

    judge(m.memory.tables(&m.memory, tables, &n, &t), &t);
    require(n <= MEMORY_TABLES);
    judge(m.memory.find(&m.memory, "OSRELEASE=", pages, &n, &t), &t);
    require(n <= MEMORY_FOUND);
    judge(m.memory.read(&m.memory, 0, bytes, sizeof(bytes), &t), &t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lines l = {.qmp = {.ops = &ops, .stop_fd = -1}, .at = (const char *)data};
    struct error t = {0};
    const char *accelerator;
    struct pmus pmus;
    char *name;

    l.end = l.at + size;
    if (judge(machine_pmus(&l.qmp, &pmus, &t), &t)) {
        read_stats(&l.qmp, &pmus, size);
        look_at_guests(&pmus);
        pmus_free(&pmus);
    }
    if (judge(machine_name(&l.qmp, "/x/path", &name, &t), &t)) {
        require(*name != '\0');
        free(name);
    }
    judge(machine_accelerator(&l.qmp, &accelerator, &t), &t);
    read_memory(&l.qmp);
    return 0;
}

/* An event counter of an event that the machine does not count. */
#define UNKNOWN(index)                                                                             \
    "{\"index\": " index ", \"event\": 16962, \"type\": 16962, \"value\": 0, \"enabled\": true, "  \
    "\"counting\": false, \"overflow\": false, \"interrupt\": false}"

/* Valid responses, and some that are nearly valid. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static const char *const lines[] = {
        "{\"return\": [{\"cpu-index\": 0, \"qom-path\": \"/a\", \"version\": \"p5\", "
        "\"event-counters\": 6, \"meter\": true, \"observers\": 1, \"runs\": \"guest\", "
        "\"counters\": [{\"index\": 31, \"event\": 17, \"name\": \"CPU_CYCLES\", \"type\": 0, "
        "\"value\": 18446744073709551615, \"enabled\": true, \"counting\": false, "
        "\"overflow\": true, \"interrupt\": false}, " UNKNOWN("0") ", " UNKNOWN("30") "]}]}\n",
        "{\"return\": [{\"qom-path\": \"/a\", \"stats\": [{\"name\": \"observer/a\", \"value\": "
        "5}, "
        "{\"name\": \"observer/b\", \"value\": 6}]}], \"id\": 5}\n",
        "{\"return\": [{\"qom-path\": \"/a\", \"stats\": [{\"name\": \"entry-windows\", "
        "\"value\": 5}, {\"name\": \"entry-instructions-histogram\", \"value\": [1, 2]}, "
        "{\"name\": \"reason-hvc64-windows\", \"value\": 9}]}]}\n",
        "{\"return\": {\"name\": \"x\"}}\n",
        "{\"return\": {\"enabled\": true}}\n",
        "{\"return\": [{\"cpu-index\": 0, \"tables\": [1100472321]}]}\n",
        "{\"return\": {\"pages\": [4096, 8192], \"next\": 12288}}\n",
        "{\"return\": {\"pages\": [16384]}}\n",
        "{\"return\": {\"data\": \"TVpA+g==\"}}\n",
        "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no \\u001b[m\"}}\n",
    };
    size_t size = 0;

    /* Mostly in the order of the commands. */
    for (size_t i = 0; i < 9; i++) {
        const char *line = lines[choose_one_in(c, 8) ? choose_below(c, 10) : i];
        size_t len = strlen(line);

        if (size + len <= max) {
            memcpy(buf + size, line, len);
            size += len;
        }
    }
    return size;
}
