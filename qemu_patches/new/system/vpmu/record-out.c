/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file descriptor that samples are written to.  The writer's thread waits
 * here for the reader and for the CPUs.
 */

#include "qemu/osdep.h"
#include "monitor/monitor.h"
#include "qapi/error.h"
#include "system/vpmu_record.h"

/*
 * How long the writer waits for a reader that takes nothing, once the recording
 * is finishing, in milliseconds.
 */
#define PATIENCE 5000

/* Indices of VPMURecord.polled. */
enum { READER, KICK, CPUS };

static void record_poll(VPMURecord *r, int fd, int events)
{
    GPollFD pollfd = { .fd = fd, .events = events };

    g_array_append_val(r->polled, pollfd);
}

bool vpmu_record_open(VPMURecord *r, const char *fd, Error **errp)
{
    int err;

    r->fd = monitor_get_fd(monitor_cur(), fd, errp);
    if (r->fd < 0) {
        return false;
    }
    err = event_notifier_init(&r->kick, false);
    if (err || !g_unix_set_fd_nonblocking(r->fd, true, NULL)) {
        error_setg_errno(errp, err ? -err : errno,
                         "cannot write samples to '%s'", fd);
        close(r->fd);
        if (!err) {
            event_notifier_cleanup(&r->kick);
        }
        return false;
    }
    r->polled = g_array_new(false, false, sizeof(GPollFD));
    record_poll(r, r->fd, 0);
    record_poll(r, event_notifier_get_fd(&r->kick), G_IO_IN);
    for (unsigned int i = 0; i < r->cpus->len; i++) {
        record_poll(r, r->by->fd(r->cpus->pdata[i]), G_IO_IN);
    }
    return true;
}

void vpmu_record_close(VPMURecord *r)
{
    close(r->fd);
    event_notifier_cleanup(&r->kick);
    g_array_free(r->polled, true);
}

/*
 * Waits for @events of the reader's descriptor, and for the rest of the first
 * @n descriptors.  Returns false if the reader is gone.
 */
static bool record_wait(VPMURecord *r, unsigned int n, int events, int ms)
{
    GPollFD *fds = (GPollFD *)r->polled->data;

    fds[READER].events = events;
    g_poll(fds, n, ms);
    if (event_notifier_test_and_clear(&r->kick)) {
        qatomic_set(&r->kicked, false);
    }
    for (unsigned int i = CPUS; i < n; i++) {
        /* The CPU's thread has ended; poll would report this each time. */
        if (fds[i].revents & (G_IO_ERR | G_IO_HUP | G_IO_NVAL)) {
            fds[i].fd = -1;
        }
    }
    return !(fds[READER].revents & (G_IO_ERR | G_IO_HUP | G_IO_NVAL));
}

bool vpmu_record_poll(VPMURecord *r, int ms)
{
    return record_wait(r, r->polled->len, 0, ms);
}

/* Has the reader taken nothing for too long, while the recording finishes? */
static bool record_gives_up(VPMURecord *r, int64_t *deadline)
{
    int64_t now = g_get_monotonic_time() / 1000;

    if (!qatomic_load_acquire(&r->finishing)) {
        return false;
    }
    if (!*deadline) {
        *deadline = now + PATIENCE;
    }
    return now >= *deadline;
}

bool vpmu_record_write(VPMURecord *r, const void *data, size_t len)
{
    int64_t deadline = 0;

    while (len) {
        ssize_t n = write(r->fd, data, len);

        if (n > 0) {
            data = (const uint8_t *)data + n;
            len -= n;
            deadline = 0;
            qatomic_add(&r->written, n);
        } else if (n < 0 && errno == EAGAIN) {
            /* Ignore CPUs: their records cannot be written before these. */
            if (record_gives_up(r, &deadline) ||
                !record_wait(r, CPUS, G_IO_OUT, 1000)) {
                return false;
            }
        } else if (n == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}
