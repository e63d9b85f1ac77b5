/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines/source-text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "symbols/image.h"

/* The most bytes of a file to read. */
#define MAX_SIZE (8u << 20)

/* A file without a size, as in /proc, may wait for something to read. */
static void read_file(struct source_text *s, int fd)
{
    struct stat st;
    size_t size;
    ssize_t n;

    if (fstat(fd, &st) || st.st_size <= 0) {
        return;
    }
    size = st.st_size < MAX_SIZE ? (size_t)st.st_size : MAX_SIZE;
    s->text = malloc(size);
    while (s->text && s->size < size && (n = read(fd, s->text + s->size, size - s->size)) > 0) {
        s->size += (size_t)n;
    }
}

/* A file that cannot be read is empty. */
static void open_file(struct source_text *s, const char *path)
{
    struct error ignored = {0};
    int fd;

    if (s->path && strcmp(s->path, path) == 0) {
        return;
    }
    source_text_free(s);
    s->path = strdup(path);
    fd = s->path ? image_open(NULL, path, &ignored) : -1;
    if (fd >= 0) {
        read_file(s, fd);
        close(fd);
    }
}

/* Copy a line. Each tab becomes a space. */
static void copy_line(char *to, const char *from, size_t size)
{
    size = size < SOURCE_TEXT_SIZE ? size : SOURCE_TEXT_SIZE - 1;
    memcpy(to, from, size);
    to[size] = '\0';
    for (char *at = to; *at; at++) {
        *at = *at == '\t' ? ' ' : *at;
    }
    format_tame(to);
}

void source_text_line(struct source_text *s, const char *path, unsigned line,
                      char to[SOURCE_TEXT_SIZE])
{
    const char *at;
    const char *end;

    *to = '\0';
    open_file(s, path);
    at = s->text;
    end = at ? at + s->size : NULL;
    while (at && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));

        if (--line == 0) {
            copy_line(to, at, (size_t)((newline ? newline : end) - at));
            return;
        }
        at = newline ? newline + 1 : NULL;
    }
}

void source_text_free(struct source_text *s)
{
    free(s->path);
    free(s->text);
    *s = (struct source_text){0};
}
