/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of perf, and what its events count. */
#include <errno.h>
#include <string.h>

#include "fake.h"

#define FIRST_FD 100
#define EVENTS 16

/* A hardware counter is 32 bits wide. The page has the offset to add. */
#define WIDTH 32
#define PMC_MASK 0xffffffffull

static struct perf_event_mmap_page pages[EVENTS];

static bool is_hardware(const struct perf_event_attr *attr)
{
    return attr->type != PERF_TYPE_SOFTWARE;
}

static unsigned hardware_in_group(int leader)
{
    unsigned n = 1;

    for (int i = 0; i < EVENTS; i++) {
        const struct fake_event *e = &fake.event[i];

        n += e->open && is_hardware(&e->attr) && (i + FIRST_FD == leader || e->group == leader);
    }
    return n;
}

static int refusal_of(const struct perf_event_attr *attr, pid_t tid, int group)
{
    if ((int)fake.opened++ == fake.fail_open_at) {
        return fake.fail_open_error;
    }
    if (tid != 0 && tid == fake.dead) {
        return ESRCH;
    }
    if (fake.paranoid > 1 && !attr->exclude_kernel) {
        return EACCES;
    }
    if (!is_hardware(attr)) {
        return 0;
    }
    if (!fake.has_pmu) {
        return ENOENT;
    }
    if (fake.mediated && !attr->exclude_guest) {
        return EOPNOTSUPP;
    }
    if (attr->config1 != 0 && fake.user_config_refused) {
        return EOPNOTSUPP;
    }
    return group >= 0 && hardware_in_group(group) > fake.pmu_counters ? EINVAL : 0;
}

/* Linux 7.3, kernel/events/core.c, perf_create_mediated_pmu(). */
int fake_mediated_machine(void)
{
    for (int i = 0; i < EVENTS; i++) {
        if (fake.event[i].open && is_hardware(&fake.event[i].attr) &&
            !fake.event[i].attr.exclude_guest && !fake.mediated) {
            return -EBUSY;
        }
    }
    fake.mediated = true;
    return 0;
}

int fake_perf_open(const struct perf_event_attr *attr, pid_t tid, int group)
{
    int refusal = refusal_of(attr, tid, group);
    int i = 0;

    if (refusal != 0) {
        return -refusal;
    }
    while (fake.event[i].open) {
        i++;
    }
    memset(&fake.event[i], 0, sizeof(fake.event[i]));
    fake.event[i].open = true;
    fake.event[i].attr = *attr;
    fake.event[i].tid = tid;
    fake.event[i].group = group;
    return FIRST_FD + i;
}

int fake_perf_ioctl(int fd, unsigned long request, void *arg)
{
    if (request != PERF_EVENT_IOC_ENABLE || arg != (void *)PERF_IOC_FLAG_GROUP) {
        return -ENOTTY;
    }
    for (int i = 0; i < EVENTS; i++) {
        fake.event[i].on |= i + FIRST_FD == fd || fake.event[i].group == fd;
    }
    return 0;
}

ssize_t fake_perf_read(int fd, void *buf, size_t len)
{
    uint64_t *data = buf;
    size_t n = 3;

    fake.reads++;
    if (fake.fail_read != 0 && fake.fail_read != -2) {
        return fake.fail_read == -1 ? 0 : -fake.fail_read;
    }
    data[1] = fake.enabled;
    data[2] = is_hardware(&fake.event[fd - FIRST_FD].attr) ? fake.running : fake.enabled;
    for (int i = 0; i < EVENTS; i++) {
        if (fake.event[i].open && (i + FIRST_FD == fd || fake.event[i].group == fd)) {
            data[n++] = fake.event[i].value;
        }
    }
    data[0] = n - 3;
    n -= fake.fail_read == -2;
    return n * sizeof(*data) <= len ? (ssize_t)(n * sizeof(*data)) : -ENOSPC;
}

int fake_perf_close(int fd)
{
    fake.event[fd - FIRST_FD].open = false;
    return 0;
}

/* The counter of event n starts at -1 + n, and the page's offset corrects that. */
static uint64_t pmc_of(int n)
{
    return (fake.event[n].value - 1 + (uint64_t)n) & PMC_MASK;
}

static void update_page(int n)
{
    struct perf_event_mmap_page *page = fake.event[n].page;

    page->cap_user_rdpmc = fake.user_access;
    page->index = fake.starved || fake.no_index ? 0 : (uint32_t)n + 1;
    page->pmc_width = WIDTH;
    page->offset = (int64_t)(fake.event[n].value - (uint64_t)(int64_t)(int32_t)pmc_of(n));
    page->time_enabled = fake.enabled;
    page->time_running = fake.running;
}

void *fake_map_page(int fd)
{
    struct fake_event *e = &fake.event[fd - FIRST_FD];

    if (fake.no_pages) {
        return NULL;
    }
    e->page = &pages[fd - FIRST_FD];
    memset(e->page, 0, sizeof(*e->page));
    update_page(fd - FIRST_FD);
    return e->page;
}

void fake_unmap_page(void *page)
{
    for (int i = 0; i < EVENTS; i++) {
        if (fake.event[i].page == page) {
            fake.event[i].page = NULL;
        }
    }
}

uint64_t fake_read_counter(unsigned index)
{
    if (fake.moves != 0) {
        fake.moves--;
        fake.event[index].page->lock++;
        return 0;
    }
    return pmc_of((int)index);
}

static bool counts(const struct perf_event_attr *attr, enum fake_where where)
{
    switch (where) {
    case IN_GUEST:
        return !attr->exclude_guest && !(attr->exclude_user && attr->exclude_kernel);
    case IN_HOST_KERNEL:
        return !attr->exclude_host && !attr->exclude_kernel;
    case IN_HOST_USER:
        return !attr->exclude_host && !attr->exclude_user;
    case IN_EL2:
        return !attr->exclude_hv && !attr->exclude_host;
    default:
        return !attr->exclude_hv && !attr->exclude_host && !attr->exclude_guest;
    }
}

/* A cycle takes a nanosecond. */
void fake_cycles(enum fake_where where, uint64_t n)
{
    fake.now += n;
    fake.enabled += n;
    fake.running += fake.starved ? 0 : n;
    for (int i = 0; i < EVENTS; i++) {
        struct fake_event *e = &fake.event[i];

        if (e->open && e->on && is_hardware(&e->attr) && !fake.starved && counts(&e->attr, where)) {
            e->value += n;
        }
        if (e->open && e->page != NULL) {
            update_page(i);
        }
    }
}

void fake_software(uint64_t config, uint64_t n)
{
    for (int i = 0; i < EVENTS; i++) {
        struct fake_event *e = &fake.event[i];

        if (e->open && e->on && !is_hardware(&e->attr) && e->attr.config == config) {
            e->value += n;
        }
    }
}

unsigned fake_open_events(void)
{
    unsigned n = 0;

    for (int i = 0; i < EVENTS; i++) {
        n += fake.event[i].open;
    }
    return n;
}
