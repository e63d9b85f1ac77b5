/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_OS_H
#define KVM_GLUE_OS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;
struct perf_event_mmap_page;

/**
 * struct kvm_glue_os - the functions of the kernel that this library uses
 * @ioctl: ioctl(2).
 * @perf_open: perf_event_open(2) for any CPU, close-on-exec. @tid 0 is the calling thread; @group
 *     is a leader's descriptor or -1.
 * @read: read(2).
 * @open: open(2) for reading, close-on-exec.
 * @pread: pread(2).
 * @close: close(2).
 * @map_page: maps the first page of a perf event for reading; NULL if it cannot be mapped.
 * @unmap_page: unmaps it.
 * @map_ring: maps the first page of a perf event and the ring of @size bytes behind it, for reading
 *     and for acknowledging records; sets @page and @data.
 * @unmap_ring: unmaps them.
 * @clock: CLOCK_MONOTONIC in nanoseconds.
 * @list: calls @each for each name in a directory until @each does not return 0, and returns that
 *     result.
 * @read_counter: reads a counter of the PMU without a system call: perf_event_mmap_page.index - 1.
 *     NULL if that is not possible.
 * @user_config: the value of perf_event_attr.config1 that requests such reads.
 *
 * The functions that return int or ssize_t return a negative errno on failure.
 */
struct kvm_glue_os {
    int (*ioctl)(int fd, unsigned long request, void *arg);
    int (*perf_open)(const struct perf_event_attr *attr, pid_t tid, int group);
    ssize_t (*read)(int fd, void *buf, size_t len);
    int (*open)(const char *path);
    ssize_t (*pread)(int fd, void *buf, size_t len, off_t offset);
    int (*close)(int fd);
    void *(*map_page)(int fd);
    void (*unmap_page)(void *page);
    int (*map_ring)(int fd, size_t size, struct perf_event_mmap_page **page, const void **data);
    void (*unmap_ring)(struct perf_event_mmap_page *page, size_t size);
    uint64_t (*clock)(void);
    int (*list)(const char *path, int (*each)(void *arg, const char *name), void *arg);
    uint64_t (*read_counter)(unsigned index);
    uint64_t user_config;
};

/* The system calls of the running kernel. */
extern const struct kvm_glue_os kvm_glue_os_linux;

#endif
