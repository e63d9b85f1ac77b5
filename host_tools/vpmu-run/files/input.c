/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, data, size);

        if (n < 0) {
            return -1;
        }
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* slurp() - copies the rest of the standard input to a file in memory */
static int slurp(struct input *in, uint64_t limit, struct failure *f)
{
    char buffer[1 << 16];
    uint64_t size = 0;
    ssize_t n;

    in->fd = memfd_create("vpmu-run-stdin", MFD_CLOEXEC);
    if (in->fd < 0) {
        return failure_set(f, FAILURE_RUN, "cannot create a file in memory: %s", strerror(errno));
    }
    while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) != 0) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return failure_set(f, FAILURE_RUN, "cannot read the standard input: %s",
                               strerror(errno));
        }
        size += (uint64_t)n;
        if (size > limit) {
            return failure_set(f, FAILURE_RUN,
                               "the standard input is longer than %llu MiB: raise --memory, or use "
                               "--live-input",
                               (unsigned long long)(limit >> 20));
        }
        if (write_all(in->fd, buffer, (size_t)n) != 0) {
            return failure_set(f, FAILURE_RUN, "no memory for the standard input: %s",
                               strerror(errno));
        }
    }
    return 0;
}

int input_open(struct input *in, uint64_t limit, bool live, struct failure *f)
{
    struct stat st;
    int null;

    *in = (struct input){.fd = -1, .kind = "none", .passed = live};
    if (fstat(STDIN_FILENO, &st) != 0) {
        /* It is closed. Another file must not take its number. */
        null = open("/dev/null", O_RDONLY);
        return null < 0 ? failure_set(f, FAILURE_RUN, "cannot open /dev/null") : 0;
    }
    if (live || isatty(STDIN_FILENO)) {
        in->live = true;
        in->kind = isatty(STDIN_FILENO) ? "terminal" : "live";
        return 0;
    }
    if (S_ISCHR(st.st_mode) && stat("/dev/null", &st) == 0) {
        struct stat own;

        if (fstat(STDIN_FILENO, &own) == 0 && own.st_rdev == st.st_rdev) {
            return 0;
        }
    }
    in->kind = "file";
    return slurp(in, limit, f);
}

void input_close(struct input *in)
{
    if (in->fd >= 0) {
        close(in->fd);
    }
}
