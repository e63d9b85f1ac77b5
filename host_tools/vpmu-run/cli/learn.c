/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/learn.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "cli/run-once.h"
#include "machine/cache.h"
#include "machine/supply.h"
#include "report/result.h"

/* Each turn that is not the last one starts a larger machine. */
#define TURNS_MAX 8

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_more(hash, text, strlen(text) + 1);
}

static uint64_t hash_texts(uint64_t hash, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hash = hash_text(hash, texts[i]);
    }
    return hash_more(hash, &n, sizeof(n));
}

/* key_of() - what makes a command another one */
static uint64_t key_of(const struct run_options *o)
{
    const struct job *job = &o->job;
    uint64_t hash = hash_more(HASH_SEED, &o->emulator.machine, sizeof(o->emulator.machine));
    char cwd[PATH_MAX];

    for (char **arg = job->argv; *arg; arg++) {
        hash = hash_text(hash, *arg);
    }
    hash = hash_text(hash, getcwd(cwd, sizeof(cwd)) ? cwd : "");
    hash = hash_text(hash, job->root);
    hash = hash_texts(hash, job->copies, job->n_copies);
    hash = hash_texts(hash, job->binds, job->n_binds);
    return hash_texts(hash, job->programs, job->n_programs);
}

static uint64_t bytes_of(const struct learned *l, const struct job *job)
{
    uint64_t bytes = 0;
    char host[PATH_MAX];
    struct stat st;

    for (size_t i = 0; i < l->n; i++) {
        if (l->entry[i]->kind == LEARNED_FILE && learned_look(job, l->entry[i]->path, host, &st)) {
            bytes += (uint64_t)st.st_size;
        }
    }
    return bytes;
}

static int pack(struct run_options *o, const struct input *in, struct archive *a, struct failure *f)
{
    struct job job = o->job;

    job.learn = true;
    return job_pack(&job, o->emulator.machine, in, 0, a, run_files_max(o), f);
}

/* run() - the program, in a machine that asks for what it lacks */
static int run(struct run_options *o, const struct archive *a, const struct input *in,
               struct supply *s, struct failure *f)
{
    struct input none = *in;
    char *text;
    int err;

    o->emulator.memory = run_memory(o, a->size);
    s->bytes = bytes_of(s->learned, s->job);
    s->budget = o->memory ? UINT64_MAX : s->bytes + run_space(o, a->size);
    none.live = false;
    err = run_machine(&o->emulator, a, &none, -1, s, &text, f);
    if (err && f->status == 128 + SIGPIPE) {
        /* It writes without end. The files that it has looked for until now are known. */
        *f = (struct failure){0};
        err = 0;
    } else if (!err) {
        struct result r;

        /* What init reports as an error is one. How the program ends is not. */
        err = result_parse(&r, text, 0, f);
        if (!err) {
            result_free(&r);
        }
        free(text);
    }
    supply_free(s);
    return err ? -1 : 0;
}

static int refuse(const struct supply *s, struct failure *f)
{
    return failure_set(f, FAILURE_RUN,
                       "the program looks for %zu file%s that the list of its files lacks, such as "
                       "%s: run it without --locked, or name them with --copy",
                       s->n_refused, s->n_refused == 1 ? "" : "s", s->refused);
}

/* turn() - Return: 1 if all was found, 0 if a larger machine is needed, or -1 with an error. */
static int turn(struct run_options *o, const struct input *in, bool *changed, struct failure *f)
{
    struct learned *l = &o->learned;
    struct supply s = {.job = &o->job, .learned = l, .locked = o->locked};
    struct archive a;
    uint64_t hash;
    int err;

    if (pack(o, in, &a, f) != 0) {
        return -1;
    }
    hash = a.hash;
    if (l->verified == hash && !learned_absent_exists(l, &o->job)) {
        archive_close(&a);
        return 1;
    }
    *changed = true;
    learned_forget_absent(l);
    err = run(o, &a, in, &s, f);
    archive_close(&a);
    if (err && s.exceeded) {
        *f = (struct failure){0};
        return 0;
    }
    if (err || s.n_refused > 0) {
        return err ? -1 : refuse(&s, f);
    }
    learned_settle(l);
    if (s.grown) {
        if (pack(o, in, &a, f) != 0) {
            return -1;
        }
        hash = a.hash;
        archive_close(&a);
    }
    l->verified = hash;
    return 1;
}

int learn(struct run_options *o, const struct input *in, struct failure *f)
{
    char path[PATH_MAX];
    bool changed = false;
    int done = 0;

    if (o->no_learn || o->live || o->emulator.net) {
        o->job.learned = &o->learned;
        return o->files ? learned_read(&o->learned, o->files, f) : 0;
    }
    cache_files_path(key_of(o), path);
    if (learned_read(&o->learned, o->files ? o->files : path, f) != 0) {
        if (o->files) {
            return -1;
        }
        learned_free(&o->learned);
        *f = (struct failure){0};
    }
    o->job.learned = &o->learned;
    for (unsigned i = 0; !done && i < TURNS_MAX; i++) {
        done = turn(o, in, &changed, f);
    }
    if (done <= 0) {
        return done < 0
                   ? -1
                   : failure_set(f, FAILURE_RUN,
                                 "the files of the program need too much memory: use --memory");
    }
    /* A list that cannot be kept is made again by the next run. */
    if (changed && !o->files && cache_files_make()) {
        struct failure ignored = {0};

        learned_write(&o->learned, path, &ignored);
    }
    return 0;
}
