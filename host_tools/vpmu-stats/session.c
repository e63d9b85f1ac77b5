/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session.h"

#include <stdlib.h>

int session_reach(struct session *s, const struct options *o, const struct target *target,
                  int stop_fd, struct trouble *t)
{
    return target_open(target, stop_fd, o->patience, &s->q, t) ||
                   machine_name(s->q, target->name, &s->name, t)
               ? -1
               : 0;
}

int session_connect(struct session *s, const struct options *o, const struct target *target,
                    int stop_fd, struct trouble *t)
{
    return session_reach(s, o, target, stop_fd, t) || machine_pmus(s->q, &s->pmus, t) ? -1 : 0;
}

int session_out(struct session *s, const struct options *o, bool live, struct trouble *t)
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
                 struct trouble *t)
{
    struct targets targets;
    int err = options_target(o, stop_fd, &targets, t);

    if (!err) {
        err = session_connect(s, o, &targets.target[0], stop_fd, t);
    }
    targets_free(&targets);
    return err ? err : session_out(s, o, live, t);
}

int session_close(struct session *s, struct trouble *t)
{
    struct trouble closing = {0};
    /* What was measured before the machine ended, or the user had enough, is worth having. */
    bool keep = t->code == TROUBLE_NONE || t->code == TROUBLE_ENDED || t->code == TROUBLE_STOPPED;

    if (s->out_is_open && out_close(&s->out, keep, &closing) && t->code != TROUBLE_OUTPUT) {
        trouble_tell(t);
        *t = closing;
    }
    pmus_free(&s->pmus);
    qmp_close(s->q);
    free(s->name);
    trouble_tell(t);
    return (int)t->code;
}
