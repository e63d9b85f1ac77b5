/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/job.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "files/bind.h"
#include "files/home.h"
#include "files/learned.h"
#include "files/needed.h"
#include "files/program.h"
#include "files/root.h"
#include "protocol.h"
#include "files/tree.h"

extern char **environ;

/* An environment that is the same on each computer. */
static const char *const fixed[] = {"HOME=/tmp", "LANG=C.UTF-8"};
/* The dynamic linker needs this one to find the libraries that it found here. */
static const char libraries[] = "LD_LIBRARY_PATH";

#define GROUPS_MAX 64
#define LAYOUT_MAX 4096u
#define PATHS_SIZE (2 * PATH_MAX)

static void put(FILE *to, const char *key, const char *value)
{
    fputs(key, to);
    fputc('\0', to);
    fputs(value, to);
    fputc('\0', to);
}

static void put_number(FILE *to, const char *key, unsigned value)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", value);
    put(to, key, text);
}

/* is_set() - does the user choose the value of @variable, "NAME=VALUE"? */
static bool is_set(const struct job *job, const char *variable)
{
    size_t n = strcspn(variable, "=");

    for (size_t i = 0; i < job->n_env; i++) {
        if (strncmp(job->env[i], variable, n) == 0 &&
            (job->env[i][n] == '=' || job->env[i][n] == '\0')) {
            return true;
        }
    }
    return false;
}

/* library_path() - LD_LIBRARY_PATH that the program will have, or NULL */
static const char *library_path(const struct job *job)
{
    const char *value = getenv(libraries);
    size_t n = strlen(libraries);

    for (size_t i = 0; i < job->n_env; i++) {
        if (strncmp(job->env[i], libraries, n) == 0 && job->env[i][n] == '=') {
            value = job->env[i] + n + 1;
        }
    }
    return value;
}

/* put_setting() - a variable, "NAME=VALUE" */
static void put_setting(FILE *to, const char *text)
{
    fputs(text, to);
    fputc('\0', to);
}

/* put_variable() - the value that it has here, if it has one */
static void put_variable(FILE *to, const char *name)
{
    const char *value = getenv(name);

    if (value) {
        fprintf(to, "%s=", name);
        put_setting(to, value);
    }
}

static void put_settings(FILE *to, const struct job *job, const struct tree *t)
{
    /* PATH begins with where programs were found that are looked for by name. */
    if (!job->all_env && !is_set(job, "PATH=")) {
        fprintf(to, "PATH=%s", t->programs);
        put_setting(to, tree_path);
    }
    for (size_t i = 0; !job->all_env && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (!is_set(job, fixed[i])) {
            put_setting(to, fixed[i]);
        }
    }
    for (size_t i = 0; job->all_env && environ[i]; i++) {
        /* An empty one would end the list. */
        if (environ[i][0] && !is_set(job, environ[i])) {
            put_setting(to, environ[i]);
        }
    }
    if (!job->all_env && !is_set(job, libraries)) {
        put_variable(to, libraries);
    }
    for (size_t i = 0; i < job->n_env; i++) {
        if (strchr(job->env[i], '=')) {
            put_setting(to, job->env[i]);
        } else {
            put_variable(to, job->env[i]);
        }
    }
}

/* list_settings() - Return: to be freed; NULL if there is no memory */
static char *list_settings(const struct job *job, const struct tree *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to) {
        put_settings(to, job, t);
        put_setting(to, "");
    }
    if (!to || fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* put_environment() - @settings, and one that moves the stack if there is a seed */
static void put_environment(FILE *to, const char *settings, unsigned long long seed)
{
    for (const char *at = settings; *at; at += strlen(at) + 1) {
        put(to, "env", at);
    }
    if (seed) {
        char text[LAYOUT_MAX + 32];
        /* A multiple of a prime: lengths that follow each other are far apart. */
        unsigned length = (unsigned)(seed * 1571u % LAYOUT_MAX);

        snprintf(text, sizeof(text), "VPMU_RUN_LAYOUT=%0*d", (int)length + 1, 0);
        put(to, "env", text);
    }
}

static void put_user(FILE *to)
{
    gid_t groups[GROUPS_MAX];
    int n = getgroups(GROUPS_MAX, groups);

    put_number(to, "uid", getuid());
    put_number(to, "gid", getgid());
    for (int i = 0; i < n; i++) {
        put_number(to, "group", groups[i]);
    }
}

/*
 * date_of() - the first day of a year that is not before any of the files
 * Files that are checked out today have another date than yesterday's, and programs that use the
 * date would have other counts. A network's certificates are for the present date.
 */
static uint32_t date_of(const struct job *job, const struct archive *a)
{
    const time_t newest = a->newest;
    struct tm day;
    time_t next;

    if (job->net) {
        return (uint32_t)time(NULL);
    }
    if (a->newest <= tree_start || !gmtime_r(&newest, &day)) {
        return tree_start;
    }
    next = timegm(&(struct tm){.tm_year = day.tm_year + 1, .tm_mday = 1});
    return next > UINT32_MAX ? UINT32_MAX : (uint32_t)next;
}

/* put_counting() - what is counted and recorded, and what comes back */
static void put_counting(FILE *to, const struct job *job)
{
    for (size_t i = 0; i < job->events.n; i++) {
        put(to, job->events.event[i].key, job->events.event[i].text);
    }
    if (job->machine) {
        put(to, "machine", "1");
    }
    if (job->syscalls) {
        put(to, "syscalls", "1");
    }
    if (job->record.on) {
        char record[96];

        snprintf(record, sizeof(record), "%llu %llu %d %d %u %llu", job->record.period,
                 job->record.frequency, job->record.chains, job->record.branches, job->record.stack,
                 job->record.registers);
        put(to, "record", record);
    }
    for (size_t i = 0; i < job->outs; i++) {
        put(to, "out", job->out[i].path);
    }
}

static int write_job(const struct job *job, const char *path, const char *cwd,
                     const struct input *in, unsigned long long seed, struct tree *t,
                     struct failure *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to;
    int err;

    t->archive->environment = list_settings(job, t);
    to = t->archive->environment ? open_memstream(&text, &size) : NULL;
    if (!to) {
        return failure_memory(f);
    }
    put(to, "path", path);
    put(to, "cwd", cwd);
    t->archive->date = date_of(job, t->archive);
    put_number(to, "date", t->archive->date);
    put_user(to);
    for (char **arg = job->argv; *arg; arg++) {
        put(to, "arg", *arg);
    }
    put_environment(to, t->archive->environment, seed);
    if (job->learn) {
        put(to, "learn", "1");
    } else {
        put_counting(to, job);
    }
    if (job->joined) {
        put(to, "joined", "1");
    }
    if (job->net) {
        put(to, "net", "1");
    }
    if (in->live) {
        put(to, "live", "1");
    }
    if (seed) {
        char number[24];

        snprintf(number, sizeof(number), "%llu", seed);
        put(to, "seed", number);
    }
    err = fclose(to) != 0 ? failure_memory(f) : tree_add_data(t, RUN_JOB, 0644, text, size, f);
    free(text);
    return err;
}

/* join() - makes @name absolute */
static const char *join(const char *cwd, const char *name, char *path)
{
    if (name[0] == '/') {
        return name;
    }
    snprintf(path, PATHS_SIZE, "%s/%s", cwd, name);
    return path;
}

/*
 * add_arguments() - adds the files that arguments name
 * "/" is what the machine has, not what this computer has.
 */
static int add_arguments(const struct job *job, const char *cwd, struct tree *t, struct failure *f)
{
    for (char **arg = job->argv + 1; job->argv[0] && *arg; arg++) {
        char path[PATHS_SIZE], host[PATH_MAX];

        if ((*arg)[0] && strspn(*arg, "/.") != strlen(*arg) &&
            root_resolve(job->root, *arg, host) == 0 && access(host, R_OK) == 0 &&
            tree_add(t, join(cwd, *arg, path), f) != 0) {
            return -1;
        }
    }
    return 0;
}

/* add_outs() - adds the directories that --out names, or in which it names something */
static int add_outs(const struct job *job, struct tree *t, struct failure *f)
{
    for (size_t i = 0; i < job->outs; i++) {
        const struct job_out *out = &job->out[i];
        char path[PATH_MAX];
        struct stat st;
        bool whole = lstat(out->host, &st) == 0 && S_ISDIR(st.st_mode);

        snprintf(path, sizeof(path), "%.*s",
                 (int)(whole ? strlen(out->path) : (size_t)(strrchr(out->path, '/') - out->path)),
                 out->path);
        if (tree_add_directory(t, path, f) != 0) {
            return -1;
        }
    }
    return 0;
}

/* add_net() - what programs need to find other computers. The resolver is QEMU's. */
static int add_net(struct tree *t, struct failure *f)
{
    static const char resolver[] = "nameserver 10.0.2.3\n";
    static const char *const files[] = {"/etc/hosts", "/etc/services", "/etc/protocols",
                                        "/etc/ssl/certs/ca-certificates.crt"};

    char host[PATH_MAX];

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        if (root_resolve(t->root, files[i], host) == 0 && access(host, R_OK) == 0 &&
            tree_add(t, files[i], f) != 0) {
            return -1;
        }
    }
    if (root_resolve(t->root, "/etc", host) != 0 || access(host, F_OK) != 0) {
        const struct stat directory = {.st_mode = S_IFDIR | 0755, .st_mtime = tree_start};

        return archive_add(t->archive, "/etc", &directory, NULL, 0, f) != 0 ||
                       tree_add_data(t, "/etc/resolv.conf", 0644, resolver, strlen(resolver), f) !=
                           0
                   ? -1
                   : 0;
    }
    return tree_add_new(t, "/etc/resolv.conf", 0644, resolver, strlen(resolver), f);
}

static int add_files(const struct job *job, const char *program, const char *cwd, unsigned machine,
                     struct tree *t, struct failure *f)
{
    if (tree_add_directory(t, cwd, f) != 0 || program_add(t, program, machine, f) != 0 ||
        add_arguments(job, cwd, t, f) != 0) {
        return -1;
    }
    for (size_t i = 0; i < job->n_programs; i++) {
        char path[PATH_MAX];

        if (program_find(job->root, job->programs[i], path, f) != 0 ||
            program_add(t, path, machine, f) != 0) {
            return -1;
        }
        tree_note_program(t, path);
    }
    for (size_t i = 0; i < job->n_copies; i++) {
        char path[PATHS_SIZE];

        if (tree_add(t, join(cwd, job->copies[i], path), f) != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < t->n_binds; i++) {
        if (tree_add(t, t->binds[i].path, f) != 0) {
            return -1;
        }
    }
    if (add_outs(job, t, f) != 0) {
        return -1;
    }
    if (needed_add_modules(t, machine, f) != 0 ||
        home_add(t, job->all_env || is_set(job, "LANG=") || is_set(job, "LC_ALL="), f) != 0 ||
        (job->net && add_net(t, f) != 0)) {
        return -1;
    }
    return job->learned ? learned_pack(job->learned, job, t, f) : 0;
}

int job_pack(const struct job *job, unsigned machine, const struct input *in,
             unsigned long long seed, struct archive *archive, uint64_t limit, struct failure *f)
{
    char program[PATH_MAX], cwd[PATH_MAX];
    static struct tree_bind binds[JOB_COPIES_MAX];
    struct tree tree;
    int err;

    if (program_find(job->root, job->argv[0], program, f) != 0) {
        return -1;
    }
    if (job->root[0]) {
        snprintf(cwd, sizeof(cwd), "/");
    } else if (!getcwd(cwd, sizeof(cwd))) {
        return failure_set(f, FAILURE_RUN,
                           "the working directory does not exist any more: change to another");
    }
    if (archive_open(archive, limit, f) != 0) {
        return -1;
    }
    err = tree_init(&tree, archive, job->root, f);
    tree.binds = binds;
    tree.library_path = library_path(job);
    tree.n_binds = job_read_binds(job, binds, f);
    err = err || tree.n_binds < job->n_binds ? -1 : 0;
    if (!err) {
        err = add_files(job, program, cwd, machine, &tree, f);
    }
    if (!err) {
        err = write_job(job, program, cwd, in, seed, &tree, f);
    }
    if (!err && in->fd >= 0) {
        err = lseek(in->fd, 0, SEEK_SET) < 0
                  ? failure_set(f, FAILURE_RUN, "cannot read the input: %s", strerror(errno))
                  : tree_add_open(&tree, RUN_STDIN, in->fd, f);
    }
    if (!err) {
        err = archive_end(archive, f);
    }
    tree_free(&tree);
    for (size_t i = 0; i < tree.n_binds; i++) {
        bind_free(&binds[i]);
    }
    if (err) {
        archive_close(archive);
    }
    return err;
}
