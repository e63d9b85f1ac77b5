/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where this computer has the files of the machine. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/bind.h"
#include "files/job.h"
#include "files/root.h"

size_t job_read_binds(const struct job *job, struct tree_bind *binds, struct failure *f)
{
    size_t n = 0;

    while (n < job->n_binds && bind_parse(&binds[n], job->root, job->binds[n], f) == 0) {
        n++;
    }
    return n;
}

int job_where(const struct job *job, const char *path, char *host)
{
    struct tree_bind binds[JOB_COPIES_MAX];
    struct failure ignored;
    struct tree tree = {
        .root = job->root, .binds = binds, .n_binds = job_read_binds(job, binds, &ignored)};
    const struct tree_bind *bound = tree_bound(&tree, path);
    int err = 0;

    if (bound) {
        snprintf(host, PATH_MAX, "%s%s", bound->source, path + strlen(bound->path));
    } else {
        err = root_resolve(job->root, path, host);
    }
    for (size_t i = 0; i < tree.n_binds; i++) {
        bind_free(&binds[i]);
    }
    return err;
}

bool job_host_path(const struct job *job, const char *path, char *host)
{
    return job_where(job, path, host) == 0 && access(host, R_OK) == 0;
}
