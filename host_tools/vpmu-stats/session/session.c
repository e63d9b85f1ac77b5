/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include <stdlib.h>

int session_reach(struct session *s, const struct options *o, const struct target *target,
                  int stop_fd, struct error *t)
{
    return target_open(target, stop_fd, o->patience, !o->in_background, &s->q, t) ||
                   machine_name(s->q, target->name, &s->name, t)
               ? -1
               : 0;
}

int session_connect(struct session *s, const struct options *o, const struct target *target,
                    int stop_fd, struct error *t)
{
    return session_reach(s, o, target, stop_fd, t) || machine_pmus(s->q, &s->pmus, t) ? -1 : 0;
}

int session_out(struct session *s, const struct options *o, bool live, struct error *t)
{
    s->out.kind = o->kind;
    s->out.separator = o->separator;
    if (out_open(&s->out, o->output, live, o->color, t)) {
        return -1;
    }
    s->out_is_open = true;
    return 0;
}

int session_open(struct session *s, const struct options *o, int stop_fd, bool live,
                 struct error *t)
{
    struct targets targets;
    int err = options_target(o, stop_fd, &targets, t);

    if (!err) {
        err = session_connect(s, o, &targets.target[0], stop_fd, t);
    }
    targets_free(&targets);
    return err ? err : session_out(s, o, live, t);
}

int session_close(struct session *s, struct error *t)
{
    struct error closing = {0};
    /* Keep the results if the machine ended or the user stopped the program. */
    bool keep = t->code == ERROR_NONE || t->code == ERROR_ENDED || t->code == ERROR_STOPPED;

    if (s->out_is_open && out_close(&s->out, keep, &closing) && t->code != ERROR_OUTPUT) {
        error_print(t);
        *t = closing;
    }
    pmus_free(&s->pmus);
    qmp_close(s->q);
    free(s->name);
    error_print(t);
    return (int)t->code;
}
