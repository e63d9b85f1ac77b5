/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manages the list of machines to inspect, and connects to their monitors. */
#include "qmp/target.h"

#include <stdlib.h>
#include <string.h>

#include "qmp/libvirt.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool target_same(const struct target *a, const struct target *b)
{
    return a->missing == b->missing && same_text(a->uri, b->uri) &&
           (a->uri ? same_text(a->uuid, b->uuid) : same_text(a->name, b->name));
}

void target_free(struct target *target)
{
    free(target->name);
    free(target->uri);
    free(target->uuid);
}

/* Copy @text, which may be NULL. Return: false if there is not enough memory. */
static bool copy(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return !text || *to;
}

int target_set(struct target *target, const char *name, const char *uri, const char *uuid,
               struct error *t)
{
    struct target new = {.named = target->named, .missing = target->missing};

    if (!copy(&new.name, name) || !copy(&new.uri, uri) || !copy(&new.uuid, uuid)) {
        target_free(&new);
        return error_memory(t);
    }
    target_free(target);
    *target = new;
    return 0;
}

static bool is_there(const struct targets *targets, const struct target *target)
{
    for (size_t i = 0; i < targets->n; i++) {
        if (target_same(&targets->target[i], target)) {
            return true;
        }
    }
    return false;
}

int targets_add(struct targets *targets, const char *name, const char *uri, const char *uuid,
                bool named, struct error *t)
{
    struct target target = {.named = named};

    if (target_set(&target, name, uri, uuid, t)) {
        return -1;
    }
    if (is_there(targets, &target)) {
        target_free(&target);
    } else if (targets->n == TARGETS_MAX) {
        targets->full = true;
        target_free(&target);
    } else {
        targets->target[targets->n++] = target;
    }
    return 0;
}

int targets_check(const struct targets *targets, struct error *t)
{
    return targets->full
               ? error_set(t, ERROR_TALK,
                           "there are more than %u machines: the others are left out", TARGETS_MAX)
               : 0;
}

void targets_free(struct targets *targets)
{
    while (targets->n > 0) {
        target_free(&targets->target[--targets->n]);
    }
}

int target_open(const struct target *target, int stop_fd, int patience, bool explain,
                struct qmp **q, struct error *t)
{
    return target->uri ? libvirt_open(target->uri, target->uuid, stop_fd, patience, q, t)
                       : qmp_socket_open(target->name, stop_fd, patience, explain, q, t);
}
