/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * old-kernel COMMAND...: executes it as Linux 4.18 would: system calls that are newer fail with
 * ENOSYS.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The last system calls of Linux 4.18: rseq. arm64 has no other numbers above. */
#if defined(__x86_64__)
#define LAST 334
#define ARCH AUDIT_ARCH_X86_64
#else
#define LAST 293
#define ARCH AUDIT_ARCH_AARCH64
#endif

int main(int argc, char **argv)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, LAST, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    if (argc < 2) {
        fprintf(stderr, "usage: old-kernel COMMAND...\n");
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("old-kernel: cannot install the filter");
        return 2;
    }
    /* It is installed: openat2() is of Linux 5.6. */
    if (syscall(437, -1, NULL, NULL, 0) != -1 || errno != ENOSYS) {
        fprintf(stderr, "old-kernel: the filter has no effect\n");
        return 2;
    }
    execvp(argv[1], argv + 1);
    fprintf(stderr, "old-kernel: cannot execute %s: %s\n", argv[1], strerror(errno));
    return 2;
}
