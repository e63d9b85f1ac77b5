/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/token.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_text(const char *path, const char *token, struct error *t)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789-._~+/=";
    size_t len = strlen(token);

    if (len < TOKEN_MIN || len > TOKEN_MAX || token[strspn(token, allowed)]) {
        return error_set(t, ERROR_USAGE,
                         "%s: the token must be one line of %u to %u letters, digits and -._~+/=",
                         path, TOKEN_MIN, TOKEN_MAX);
    }
    return 0;
}

/*
 * Reads one byte more than the longest token and its newline, to detect a token that is too long.
 */
static int read_open(const char *path, int fd, char *token, struct error *t)
{
    char text[TOKEN_MAX + 3];
    struct stat st;
    ssize_t n;

    if (fstat(fd, &st)) {
        return error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    }
    if (st.st_mode & S_IRWXO) {
        return error_set(t, ERROR_USAGE, "other users can read or write %s: run chmod o=", path);
    }
    n = read(fd, text, sizeof(text) - 1);
    if (n < 0) {
        return error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    }
    text[n] = '\0';
    if (n > 0 && text[n - 1] == '\n') {
        text[n - 1] = '\0';
    }
    if (check_text(path, text, t)) {
        return -1;
    }
    memcpy(token, text, strlen(text) + 1);
    return 0;
}

int token_read(const char *path, char *token, struct error *t)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int err;

    if (fd < 0) {
        return error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
    }
    err = read_open(path, fd, token, t);
    close(fd);
    return err;
}
