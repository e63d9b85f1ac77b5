/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets a process wait in the system calls that name files, for another one that listens to it. The
 * descriptor that this one listens to goes through a pair of sockets.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest.h"
#include "lookups.h"

/* Flags of seccomp() that the headers of older systems lack. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1ul << 5)
#endif

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

static int sockets[2] = {-1, -1};

void confine_prepare(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        guest_die("cannot make a socket: %s", strerror(errno));
    }
}

static struct sock_filter statement(uint16_t code, uint32_t value)
{
    return (struct sock_filter){.code = code, .k = value};
}

/* install() - makes the calling process wait in each of the system calls. Return: a descriptor. */
static int install(void)
{
    struct sock_filter filter[LOOKUPS_MAX + 6];
    struct sock_fprog program = {.filter = filter};
    const uint16_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K;
    unsigned short at = 0;
    long fd;

    filter[at++] = statement(load, offsetof(struct seccomp_data, arch));
    filter[at++] = (struct sock_filter){.code = equal, .k = OWN_ARCH, .jt = 1};
    filter[at++] = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = statement(load, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < lookups_n; i++) {
        filter[at++] = (struct sock_filter){
            .code = equal, .k = lookups[i].number, .jt = (uint8_t)(lookups_n - i)};
    }
    filter[at++] = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[at++] = statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    program.len = at;
    fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                 SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                 &program);
    if (fd < 0 && errno == EINVAL) {
        fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                     &program);
    }
    return (int)fd;
}

/* A message that carries one descriptor. */
struct carrier {
    struct msghdr message;
    struct iovec part;
    char byte;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
};

static void carrier_init(struct carrier *c)
{
    memset(c, 0, sizeof(*c));
    c->part = (struct iovec){&c->byte, 1};
    c->message.msg_iov = &c->part;
    c->message.msg_iovlen = 1;
    c->message.msg_control = &c->control;
    c->message.msg_controllen = sizeof(c->control);
}

int confine_self(void)
{
    struct carrier c;
    int fd = install();

    if (fd < 0) {
        return errno;
    }
    carrier_init(&c);
    c.control.header.cmsg_len = CMSG_LEN(sizeof(int));
    c.control.header.cmsg_level = SOL_SOCKET;
    c.control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&c.control.header), &fd, sizeof(fd));
    if (sendmsg(sockets[1], &c.message, 0) < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

int confine_listener(void)
{
    struct carrier c;
    int fd = -1;

    close(sockets[1]);
    carrier_init(&c);
    if (recvmsg(sockets[0], &c.message, MSG_CMSG_CLOEXEC) > 0 &&
        c.control.header.cmsg_type == SCM_RIGHTS) {
        memcpy(&fd, CMSG_DATA(&c.control.header), sizeof(fd));
    }
    return fd;
}

void confine_leave(void)
{
    close(sockets[0]);
    close(sockets[1]);
}
