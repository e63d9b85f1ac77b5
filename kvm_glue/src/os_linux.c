/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of the running kernel. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "pmc.h"

static int or_errno(int result)
{
    return result < 0 ? -errno : result;
}

static int linux_ioctl(int fd, unsigned long request, void *arg)
{
    return or_errno(ioctl(fd, request, arg));
}

static int linux_perf_open(const struct perf_event_attr *attr, pid_t tid, int group)
{
    return or_errno((int)syscall(SYS_perf_event_open, attr, tid, -1, group, PERF_FLAG_FD_CLOEXEC));
}

static ssize_t linux_read(int fd, void *buf, size_t len)
{
    ssize_t got = read(fd, buf, len);

    return got < 0 ? -errno : got;
}

static int linux_open(const char *path)
{
    return or_errno(open(path, O_RDONLY | O_CLOEXEC));
}

static ssize_t linux_pread(int fd, void *buf, size_t len, off_t offset)
{
    ssize_t got = pread(fd, buf, len, offset);

    return got < 0 ? -errno : got;
}

static int linux_close(int fd)
{
    return or_errno(close(fd));
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *linux_map_page(int fd)
{
    void *page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);

    return page == MAP_FAILED ? NULL : page;
}

static void linux_unmap_page(void *page)
{
    munmap(page, page_size());
}

static int linux_map_ring(int fd, size_t size, struct perf_event_mmap_page **page,
                          const void **data)
{
    void *map = mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (map == MAP_FAILED) {
        return -errno;
    }
    *page = map;
    *data = (const char *)map + page_size();
    return 0;
}

static void linux_unmap_ring(struct perf_event_mmap_page *page, size_t size)
{
    munmap(page, page_size() + size);
}

static uint64_t linux_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int linux_list(const char *path, int (*each)(void *arg, const char *name), void *arg)
{
    DIR *dir = opendir(path);
    struct dirent *entry;
    int ret = 0;

    if (dir == NULL) {
        return -errno;
    }
    while (ret == 0 && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.') {
            ret = each(arg, entry->d_name);
        }
    }
    closedir(dir);
    return ret;
}

const struct kvm_glue_os kvm_glue_os_linux = {
    .ioctl = linux_ioctl,
    .perf_open = linux_perf_open,
    .read = linux_read,
    .open = linux_open,
    .pread = linux_pread,
    .close = linux_close,
    .map_page = linux_map_page,
    .unmap_page = linux_unmap_page,
    .map_ring = linux_map_ring,
    .unmap_ring = linux_unmap_ring,
    .clock = linux_clock,
    .list = linux_list,
    .read_counter = KVM_GLUE_READ_COUNTER,
    .user_config = KVM_GLUE_USER_CONFIG,
};
