/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process for each file reads its debug information. Answers are kept. */
#include "lines/source-lines.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/format.h"
#include "symbols/image.h"
#include "lines/line-server.h"
#include "symbols/reader-process.h"

/* The most files that are read, each by a process. */
#define MAX_FILES 64u

/* The most bytes of answers to keep. When there are more, all are dropped. */
#define MAX_CACHED (64u << 20)

/* An answer to all addresses up to @last: the lines as the child sends them. */
struct answer {
    uint64_t address;
    uint64_t last;
    size_t size;
    char text[];
};

/**
 * struct source_file - a file
 * @path: the path of the ELF file.
 * @child: the process that reads it; 0 if there is none.
 * @fd: our end of its socket.
 * @answers: a tree of answers.
 */
struct source_file {
    char *path;
    pid_t child;
    int fd;
    void *answers;
};

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct source_file *)a)->path, ((const struct source_file *)b)->path);
}

/* Answers that have an address in common are equal; those of a tree have none. */
static int compare_answers(const void *a, const void *b)
{
    const struct answer *left = a, *right = b;

    return left->last < right->address ? -1 : left->address > right->last;
}

/*
 * Files
 */

/* Return: true if the child had used all the processor time that it may use. */
static bool end_child(struct source_file *file)
{
    bool slow = file->child > 0 && reader_process_end(file->child, file->fd);

    file->child = 0;
    return slow;
}

static void free_file(void *opaque)
{
    struct source_file *file = opaque;

    end_child(file);
    tdestroy(file->answers, free);
    free(file->path);
    free(file);
}

int source_lines_open(const struct debug_dirs *dirs, const char *path)
{
    struct error ignored = {0};
    int fd = image_open(NULL, path, &ignored);
    int other;

    if (fd < 0 || dwarf_lines_exist(fd)) {
        return fd;
    }
    other = debug_file_open(dirs, fd, path);
    close(fd);
    if (other >= 0 && !dwarf_lines_exist(other)) {
        close(other);
        other = -1;
    }
    return other;
}

static void start(struct source_lines *s, struct source_file *file)
{
    int fd = s->open < MAX_FILES && s->slow < SOURCE_LINES_MAX_SLOW
                 ? source_lines_open(&s->dirs, file->path)
                 : -1;

    if (fd >= 0) {
        file->child = line_server_start(fd, &file->fd);
        s->open += file->child > 0;
        close(fd);
    }
}

static struct source_file *file_of(struct source_lines *s, const char *path)
{
    struct source_file wanted = {.path = (char *)(uintptr_t)path};
    struct source_file **found = tfind(&wanted, &s->files, compare_files);
    struct source_file *new;

    if (found) {
        return *found;
    }
    new = calloc(1, sizeof(*new));
    if (new) {
        new->path = strdup(path);
    }
    if (!new || !new->path || !tsearch(new, &s->files, compare_files)) {
        if (new) {
            free(new->path);
        }
        free(new);
        return NULL;
    }
    start(s, new);
    return new;
}

/*
 * Answers
 */

static struct answer *ask(const struct source_lines *s, struct source_file *file, uint64_t address)
{
    struct line_question q = {.address = address, .inlined = !s->no_inline};
    struct answer *a = NULL;
    struct line_answer head;

    if (send(file->fd, &q, sizeof(q), MSG_NOSIGNAL) == sizeof(q) &&
        reader_process_read(file->fd, &head, sizeof(head)) && head.size <= LINE_SERVER_MAX &&
        head.addresses && head.addresses - 1 <= UINT64_MAX - address) {
        a = malloc(sizeof(*a) + head.size + 1);
        if (a && !reader_process_read(file->fd, a->text, head.size)) {
            free(a);
            a = NULL;
        }
    }
    if (a) {
        a->address = address;
        a->last = address + head.addresses - 1;
        a->size = head.size;
        a->text[head.size] = '\0';
    }
    return a;
}

static void forget_answers(const void *node, VISIT visit, void *opaque)
{
    struct source_file *file = *(struct source_file *const *)node;

    (void)opaque;
    if (visit == postorder || visit == leaf) {
        tdestroy(file->answers, free);
        file->answers = NULL;
    }
}

/* Keep an answer for what no other one is for. Return: false if there is not enough memory. */
static bool keep(struct source_lines *s, struct source_file *file, struct answer *a)
{
    struct answer **other;

    s->cached += sizeof(*a) + a->size;
    if (s->cached > MAX_CACHED) {
        twalk_r(s->files, forget_answers, NULL);
        s->cached = sizeof(*a) + a->size;
    }
    while ((other = tfind(a, &file->answers, compare_answers))) {
        a->last = (*other)->address - 1;
    }
    return tsearch(a, &file->answers, compare_answers) != NULL;
}

static const struct answer *answer_of(struct source_lines *s, struct source_file *file,
                                      uint64_t address)
{
    struct answer wanted = {.address = address, .last = address};
    struct answer **found = tfind(&wanted, &file->answers, compare_answers);
    struct answer *new;

    if (found) {
        return *found;
    }
    new = file->child ? ask(s, file, address) : NULL;
    if (file->child && !new) {
        s->slow += end_child(file);
        s->broken = file->path;
    }
    if (new && !keep(s, file, new)) {
        free(new);
        new = NULL;
    }
    return new;
}

/* Split the text of an answer: a function, a file and a number for each line, each with a NUL. */
static size_t split(const struct answer *a, struct dwarf_line *line)
{
    const char *at = a->text;
    const char *end = a->text + a->size;
    size_t n = 0;

    while (at < end && n < DWARF_LINES_FRAMES) {
        const char *part[3];

        for (size_t i = 0; i < 3; i++) {
            part[i] = at < end ? at : "";
            at += at < end ? strlen(at) + 1 : 0;
        }
        line[n++] = (struct dwarf_line){.function = *part[0] ? part[0] : NULL,
                                        .file = part[1],
                                        .line = (unsigned)strtoul(part[2], NULL, 10)};
    }
    return n;
}

size_t source_lines_find(struct source_lines *s, const char *path, uint64_t address,
                         struct dwarf_line *line)
{
    struct source_file *file = file_of(s, path);
    const struct answer *a = file ? answer_of(s, file, address) : NULL;

    return a ? split(a, line) : 0;
}

void source_lines_free(struct source_lines *s)
{
    tdestroy(s->files, free_file);
    *s = (struct source_lines){.dirs = s->dirs, .no_inline = s->no_inline};
}
