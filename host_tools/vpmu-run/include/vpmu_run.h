/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * vpmu_run.h - marks regions of a program that vpmu-run counts separately
 *
 *     #include <vpmu_run.h>
 *
 *     prepare();
 *     vpmu_run_begin("sort");
 *     sort(numbers, n);
 *     vpmu_run_end("sort");
 *
 * The report of vpmu-run then has an event "sort/instructions:u" beside "instructions:u", and so on
 * for each event. Outside of vpmu-run both functions do nothing; the first call costs a few system
 * calls, each later one a few instructions.
 *
 * The counts of a region contain neither vpmu_run_begin() and vpmu_run_end() themselves nor the
 * calls for regions inside it. docs/ci.md describes threads, children and nesting.
 *
 * For C and C++, x86-64 and arm64, on Linux. There is no library to link with.
 */
#ifndef VPMU_RUN_H
#define VPMU_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The longest name of a region, in bytes. Longer names are cut. */
#define VPMU_RUN_NAME_MAX 47

#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Where init of vpmu-run's machine listens, and the messages that it knows. */
#define VPMU_RUN_SOCKET_ "/.vpmu-run/regions"
#define VPMU_RUN_UNKNOWN_ (-2)
#define VPMU_RUN_OUTSIDE_ (-1)

/* One for each program or shared library. Assembler code below uses these by name. */
__attribute__((weak, visibility("hidden"), used)) int vpmu_run_socket_ = VPMU_RUN_UNKNOWN_;
__attribute__((weak, visibility("hidden"), used)) char vpmu_run_reply_ = 0;
/* Counting pauses; counting continues; a measurement of what such a pair costs. */
__attribute__((weak, visibility("hidden"), used)) char vpmu_run_messages_[3] = {'s', 'g', 'm'};

/*
 * VPMU_RUN_STAMP_() - sends one byte to init, which reads all counters, and waits for its reply
 * sendto() and recvfrom(). Each use is the same instructions, whatever the compiler does. That is
 * why the cost of a pair can be measured and subtracted exactly.
 */
#if defined(__x86_64__)
#define VPMU_RUN_STAMP_(message)                                                                   \
    __asm__ volatile("movl vpmu_run_socket_(%%rip), %%edi\n\t"                                     \
                     "testl %%edi, %%edi\n\t"                                                      \
                     "js 1f\n\t"                                                                   \
                     "leaq vpmu_run_messages_+" message "(%%rip), %%rsi\n\t"                       \
                     "movl $1, %%edx\n\t"                                                          \
                     "movl $0x4000, %%r10d\n\t" /* MSG_NOSIGNAL */                                 \
                     "xorl %%r8d, %%r8d\n\t"                                                       \
                     "xorl %%r9d, %%r9d\n\t"                                                       \
                     "movl $44, %%eax\n\t" /* sendto */                                            \
                     "syscall\n\t"                                                                 \
                     "leaq vpmu_run_reply_(%%rip), %%rsi\n\t"                                      \
                     "xorl %%r10d, %%r10d\n\t"                                                     \
                     "movl $45, %%eax\n\t" /* recvfrom */                                          \
                     "syscall\n"                                                                   \
                     "1:"                                                                          \
                     :                                                                             \
                     :                                                                             \
                     : "rax", "rcx", "rdx", "rdi", "rsi", "r8", "r9", "r10", "r11", "cc",          \
                       "memory")
#else
#define VPMU_RUN_STAMP_(message)                                                                   \
    __asm__ volatile("adrp x1, vpmu_run_socket_\n\t"                                               \
                     "ldr w9, [x1, :lo12:vpmu_run_socket_]\n\t"                                    \
                     "tbnz w9, #31, 1f\n\t"                                                        \
                     "mov w0, w9\n\t"                                                              \
                     "adrp x1, vpmu_run_messages_+" message "\n\t"                                 \
                     "add x1, x1, :lo12:vpmu_run_messages_+" message "\n\t"                        \
                     "mov x2, #1\n\t"                                                              \
                     "mov x3, #0x4000\n\t" /* MSG_NOSIGNAL */                                      \
                     "mov x4, #0\n\t"                                                              \
                     "mov x5, #0\n\t"                                                              \
                     "mov x8, #206\n\t" /* sendto */                                               \
                     "svc #0\n\t"                                                                  \
                     "mov w0, w9\n\t"                                                              \
                     "adrp x1, vpmu_run_reply_\n\t"                                                \
                     "add x1, x1, :lo12:vpmu_run_reply_\n\t"                                       \
                     "mov x3, #0\n\t"                                                              \
                     "mov x8, #207\n\t" /* recvfrom */                                             \
                     "svc #0\n"                                                                    \
                     "1:"                                                                          \
                     :                                                                             \
                     :                                                                             \
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x8", "x9", "cc", "memory")
#endif
#define VPMU_RUN_STOP_ "0"
#define VPMU_RUN_GO_ "1"
#define VPMU_RUN_MEASURE_ "2"

/*
 * Connects to init, and pauses counting. Init measures the cost of a pair several times and takes
 * the smallest.
 */
static inline void vpmu_run_connect_(void)
{
    struct sockaddr_un to;
    int fd = -1;

    memset(&to, 0, sizeof(to));
    to.sun_family = AF_UNIX;
    strcpy(to.sun_path, VPMU_RUN_SOCKET_);
    if (access(VPMU_RUN_SOCKET_, F_OK) == 0) {
        fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    }
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
        close(fd);
        fd = -1;
    }
    vpmu_run_socket_ = fd >= 0 ? fd : VPMU_RUN_OUTSIDE_;
    VPMU_RUN_STAMP_(VPMU_RUN_STOP_);
    VPMU_RUN_STAMP_(VPMU_RUN_MEASURE_);
    VPMU_RUN_STAMP_(VPMU_RUN_MEASURE_);
    VPMU_RUN_STAMP_(VPMU_RUN_MEASURE_);
    VPMU_RUN_STAMP_(VPMU_RUN_MEASURE_);
}

/* Says which region begins ('b') or ends ('e'). Counting is paused. */
static inline void vpmu_run_name_(char what, const char *name)
{
    char message[1 + VPMU_RUN_NAME_MAX];
    size_t n = 0;

    if (vpmu_run_socket_ >= 0) {
        message[0] = what;
        while (n < VPMU_RUN_NAME_MAX && name[n]) {
            message[1 + n] = name[n];
            n++;
        }
        send(vpmu_run_socket_, message, 1 + n, MSG_NOSIGNAL);
    }
}

/**
 * vpmu_run_begin() - starts counting a region of the program
 * @name: of the region: letters, digits and "_-."; others become "_". At most VPMU_RUN_NAME_MAX
 * bytes. The counts of all regions with the same name are added.
 *
 * If the region is counted already, vpmu_run_end() has to be called once more. Not for signal
 * handlers.
 */
static inline __attribute__((always_inline)) void vpmu_run_begin(const char *name)
{
    VPMU_RUN_STAMP_(VPMU_RUN_STOP_);
    if (vpmu_run_socket_ == VPMU_RUN_UNKNOWN_) {
        vpmu_run_connect_();
    }
    vpmu_run_name_('b', name);
    VPMU_RUN_STAMP_(VPMU_RUN_GO_);
}

/**
 * vpmu_run_end() - ends counting a region of the program
 * @name: as passed to vpmu_run_begin(). A region that has not begun is ignored.
 */
static inline __attribute__((always_inline)) void vpmu_run_end(const char *name)
{
    VPMU_RUN_STAMP_(VPMU_RUN_STOP_);
    vpmu_run_name_('e', name);
    VPMU_RUN_STAMP_(VPMU_RUN_GO_);
}

#else

static inline void vpmu_run_begin(const char *name)
{
    (void)name;
}

static inline void vpmu_run_end(const char *name)
{
    (void)name;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
